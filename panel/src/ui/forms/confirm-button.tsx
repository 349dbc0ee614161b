import { Trans } from "@lingui/react/macro";
import { Button, Group, Popover, Stack, Text } from "@mantine/core";
import type { IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { giveFocusBack } from "../focus-back.ts";
import { RowLabel } from "../lists/row-label.tsx";
import { useFailureNotice } from "../notices/undo.tsx";
import { useNamed } from "./named.ts";

type Props = {
  label: string;
  /** The name of what it changes, where a list has the same button for each row. */
  of?: string;
  question: string;
  /** Why it can't be done; shown instead of the question. */
  obstacle?: string | undefined;
  run(): Promise<unknown>;
  /** The list that it changes. */
  list: string;
  /** Not for what is lost. */
  color?: "brand";
  /** Shown instead of the label on phones, in a list whose names need the room. */
  Icon?: typeof IconTrash;
  /** The leading action of the page. */
  leads?: true;
};

/** For actions that can't be undone. */
export function ConfirmButton({
  label,
  of,
  question,
  obstacle,
  run,
  list,
  color: given,
  Icon,
  leads,
}: Props) {
  const named = useNamed();
  const color = given ?? "red";
  const said = obstacle ?? question;
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const running = useMutation({
    mutationFn: run,
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [list] });
      // The row is gone with its button.
      giveFocusBack();
    },
    onError,
  });
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Popover opened={isAsking} onChange={setIsAsking} position="bottom-end" withArrow trapFocus shadow="md">
      <Popover.Target>
        <Button
          size={leads ? "sm" : "compact-sm"}
          variant={leads ? "filled" : "subtle"}
          color={color}
          loading={running.isPending}
          {...(of !== undefined && { "aria-label": named(label, of) })}
          onClick={() => setIsAsking(!isAsking)}
        >
          {Icon === undefined ? label : <RowLabel Icon={Icon}>{label}</RowLabel>}
        </Button>
      </Popover.Target>
      <Popover.Dropdown maw={280} aria-label={said}>
        <Stack gap="xs">
          <Text size="sm">{said}</Text>
          <Group justify="end" gap="xs">
            <Button size="xs" variant="default" onClick={() => setIsAsking(false)}>
              {obstacle === undefined ? <Trans>Cancel</Trans> : <Trans>Close</Trans>}
            </Button>
            {obstacle === undefined && (
              <Button
                size="xs"
                color={color}
                onClick={() => {
                  setIsAsking(false);
                  running.mutate();
                }}
              >
                {label}
              </Button>
            )}
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
