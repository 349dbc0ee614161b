import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Share } from "../base/api.ts";
import { Dialog } from "../ui/dialogs/dialog.tsx";
import { useFailureNotice } from "../ui/notices/undo.tsx";
import { endShare, refreshShares } from "./share-queries.ts";

type Props = { share: Share | null; account: number; onClose(): void };

/** Asks first, because an ended share can't be restored: its code is free at once. */
export function EndShare({ share, account, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const ending = useMutation({
    mutationFn: (ended: Share) => endShare(ended, account),
    onSuccess: () => refreshShares(queries),
    onError,
    onSettled: onClose,
  });
  const isDrop = share?.kind === "drop";
  return (
    <Dialog
      title={isDrop ? t`Close the drop box?` : t`End the share?`}
      isOpen={share !== null}
      onClose={onClose}
      size="sm"
    >
      {share !== null && (
        <Stack gap="md">
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {isDrop ? (
              <Trans>Nobody can send files to {share.code} any more. What came in stays.</Trans>
            ) : (
              <Trans>Visitors of {share.code} find nothing any more. What was shared stays.</Trans>
            )}{" "}
            <Trans>This can't be undone.</Trans>
          </Text>
          <Group justify="end" gap="xs">
            <Button variant="default" onClick={onClose} data-autofocus>
              <Trans>Cancel</Trans>
            </Button>
            <Button color="red.8" loading={ending.isPending} onClick={() => ending.mutate(share)}>
              {isDrop ? <Trans>Close the drop box</Trans> : <Trans>End the share</Trans>}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
