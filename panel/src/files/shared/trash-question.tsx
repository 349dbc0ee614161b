import { Plural, Trans } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Share } from "../../base/api.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import type { Entry } from "../file-queries.ts";
import { ShareNames } from "./entry-shares.tsx";
import { marksQuery, sharesOf } from "./shared-queries.ts";

type Asked = { entries: readonly Entry[]; shares: readonly Share[] };

/** Asks with names before something that is shared goes to the trash. */
export function useTrashQuestion(trash: (entries: readonly Entry[]) => void) {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Asked | null>(null);

  /** Files without a mark are in no share by themselves. What fails here fails there, which says so. */
  async function begin(
    entries: readonly Entry[],
    folder: number | null,
    team: string | undefined,
  ): Promise<void> {
    const marks = queries.getQueryData(marksQuery(folder, team).queryKey);
    const ids = entries
      .filter(
        ({ kind, id, path }) =>
          kind === "folder" || path !== undefined || marks === undefined || marks.has(id),
      )
      .map(({ id }) => id);
    const shares = await sharesOf(ids, false).catch(() => []);
    if (shares.length === 0) trash(entries);
    else setAsked({ entries, shares });
  }

  const close = () => setAsked(null);
  return {
    begin: (...given: Parameters<typeof begin>) => void begin(...given),
    dialog: (
      <Dialog
        title={<Trans>Visitors will find nothing there</Trans>}
        isOpen={asked !== null}
        onClose={close}
        size="md"
      >
        {asked !== null && (
          <Stack gap="sm">
            <Text size="sm">
              <Plural
                value={asked.shares.length}
                one="It is shared. Visitors find it again once you put it back."
                other="It is in # shares. Visitors find it again once you put it back."
              />
            </Text>
            <ShareNames shares={asked.shares} />
            <Group justify="end" gap="xs">
              <Button variant="default" onClick={close} data-autofocus>
                <Trans>Cancel</Trans>
              </Button>
              <Button
                color="red.8"
                onClick={() => {
                  trash(asked.entries);
                  close();
                }}
              >
                <Trans>Move to the trash</Trans>
              </Button>
            </Group>
          </Stack>
        )}
      </Dialog>
    ),
  };
}
