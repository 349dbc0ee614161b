import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { FailureAlert } from "../../ui/failure-alert.tsx";
import { countFound } from "./found-run.ts";
import type { Selected } from "../list/selection.ts";

type Props = {
  selected: Extract<Selected, { kind: "all" }>;
  onDelete(selected: Selected): void;
  onClose(): void;
};

/** The server counts what a filter finds before it is deleted. */
export function BulkDelete({ selected, onDelete, onClose }: Props) {
  const { t } = useLingui();
  const { finding } = selected;
  const { data: matched, error } = useQuery({
    queryKey: ["links", "trial", finding],
    queryFn: ({ signal }) => countFound(finding, signal),
    gcTime: 0,
    staleTime: 0,
  });
  return (
    <Dialog title={t`Delete what the list finds`} isOpen onClose={onClose}>
      <Stack gap="sm">
        {error !== null && <FailureAlert error={error} />}
        {matched === undefined ? (
          <Skeleton height={24} />
        ) : (
          <Text fw={600}>
            <Plural value={matched} one="# link will be deleted." other="# links will be deleted." />
          </Text>
        )}
        <Text size="sm" c="dimmed">
          <Trans>Undo puts them back with their clicks.</Trans>
        </Text>
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            color="red.9"
            disabled={!matched}
            onClick={() => onDelete({ ...selected, total: matched ?? 0 })}
          >
            <Trans>Delete</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
