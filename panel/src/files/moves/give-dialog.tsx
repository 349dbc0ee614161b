import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { OwnerField } from "../../auth/teams/owner-field.tsx";
import { useTrees } from "../../auth/teams/trees.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import type { Entry } from "../file-queries.ts";

type Props = {
  /** Undefined: the dialog is closed. */
  entry: Entry | undefined;
  /** In whose tree it is. */
  team: string | undefined;
  onGive(entries: readonly Entry[], owner: string): void;
  onClose(): void;
};

/** Administrators give a file, or a folder with all in it, to any account or team. */
export function GiveDialog({ entry, team, onGive, onClose }: Props) {
  return (
    <Dialog
      title={
        <Trans>
          Change the owner of <bdi>{entry?.name}</bdi>
        </Trans>
      }
      isOpen={entry !== undefined}
      onClose={onClose}
    >
      {entry !== undefined && <Choice entry={entry} team={team} onGive={onGive} onClose={onClose} />}
    </Dialog>
  );
}

function Choice({ entry, team, onGive, onClose }: Props & { entry: Entry }) {
  const { t } = useLingui();
  const now = useTrees().ownerOf(team);
  const [owner, setOwner] = useState("");
  const chosen = owner.trim();
  function submit(event: FormEvent): void {
    event.preventDefault();
    onClose();
    onGive([entry], chosen);
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <OwnerField
          label={t`New owner`}
          description={
            entry.kind === "folder"
              ? t`Shares and drop boxes go along. A large folder takes a moment.`
              : t`Shares go along.`
          }
          value={owner}
          onChange={setOwner}
          except={now}
          data-autofocus
        />
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" disabled={chosen === "" || chosen === now}>
            <Trans>Change owner</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
