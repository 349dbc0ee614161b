import { Trans, useLingui } from "@lingui/react/macro";
import { Autocomplete, Button, Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { accountsQuery } from "../../auth/teams/team-queries.ts";
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

/** Shown at once. */
const MOST_OWNERS = 50;

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
  const { teams, ownerOf } = useTrees();
  const { data: accounts = [] } = useQuery(accountsQuery);
  const now = ownerOf(team);
  const names = [undefined, ...teams].map(ownerOf).concat(accounts.map(({ username }) => username));
  const owners = [...new Set(names)].filter((name) => name !== now);
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
        <Autocomplete
          label={t`New owner`}
          description={
            entry.kind === "folder"
              ? t`Shares and drop boxes go along. A large folder takes a moment.`
              : t`Shares go along.`
          }
          placeholder={owners[0]}
          data={owners}
          limit={MOST_OWNERS}
          value={owner}
          onChange={setOwner}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
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
