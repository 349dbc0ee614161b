import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { TreeSelect } from "../../auth/teams/tree-select.tsx";
import { useTrees } from "../../auth/teams/trees.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import type { Entry } from "../file-queries.ts";
import { FolderPicker, type PickedFolder } from "./folder-picker.tsx";

type Props = {
  /** None: the dialog is closed. */
  entries: readonly Entry[];
  /** They stay, and copies go. */
  isCopy: boolean;
  /** In whose tree they are. */
  team: string | undefined;
  /** Moves or copies. */
  onChoose(entries: readonly Entry[], folder: number | null, name: string): void;
  /** Into another tree. */
  onGive(entries: readonly Entry[], owner: string, folder: number | null): void;
  onClose(): void;
};

/** Moves without dragging, and into trees of others; copies within the tree. */
export function MoveDialog({ entries, ...props }: Props) {
  const { isCopy, onClose } = props;
  const [first, ...others] = entries;
  const one = isCopy ? (
    <Trans>
      Copy <bdi>{first?.name}</bdi>
    </Trans>
  ) : (
    <Trans>
      Move <bdi>{first?.name}</bdi>
    </Trans>
  );
  const many = isCopy ? (
    <Plural value={entries.length} one="Copy # entry" other="Copy # entries" />
  ) : (
    <Plural value={entries.length} one="Move # entry" other="Move # entries" />
  );
  return (
    <Dialog title={others.length === 0 ? one : many} isOpen={entries.length > 0} onClose={onClose} size="md">
      {entries.length > 0 && <Choice entries={entries} {...props} />}
    </Dialog>
  );
}

function Choice({ entries, isCopy, team, onChoose, onGive, onClose }: Props) {
  const { t } = useLingui();
  const { mayGive, ownerOf } = useTrees();
  const [tree, setTree] = useState(team);
  const [folder, setFolder] = useState<PickedFolder>({ id: entries[0]!.folder_id, name: "" });
  const isThere = !isCopy && tree === team && entries.every(({ folder_id }) => folder_id === folder.id);
  return (
    <Stack gap="sm">
      {!isCopy && mayGive(team) && (
        <TreeSelect
          team={tree}
          own={t`My files`}
          isForChanges
          flex="none"
          onChange={(chosen) => {
            setTree(chosen);
            setFolder({ id: null, name: "" });
          }}
        />
      )}
      <FolderPicker
        key={tree}
        team={tree}
        folder={folder}
        isRefused={({ id }) => entries.some((entry) => entry.kind === "folder" && entry.id === id)}
        onChange={setFolder}
      />
      {tree !== team && (
        <Text size="xs" c="dimmed">
          <Trans>Shares and drop boxes go along. A large folder takes a moment.</Trans>
        </Text>
      )}
      <Group justify="space-between" wrap="nowrap">
        <Text size="xs" c="dimmed">
          {isThere && <Trans>They are here already.</Trans>}
        </Text>
        <Group gap="xs" wrap="nowrap">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            disabled={isThere}
            onClick={() => {
              onClose();
              if (tree !== team) onGive(entries, ownerOf(tree), folder.id);
              else onChoose(entries, folder.id, folder.id === null ? t`All files` : folder.name);
            }}
          >
            {isCopy ? <Trans>Copy here</Trans> : <Trans>Move here</Trans>}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}
