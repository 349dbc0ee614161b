import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import type { Entry } from "../file-queries.ts";
import { FolderPicker, type PickedFolder } from "./folder-picker.tsx";

type Props = {
  /** None: the dialog is closed. */
  entries: readonly Entry[];
  onMove(entries: readonly Entry[], folder: number | null, name: string): void;
  onClose(): void;
};

/** Moves without dragging. */
export function MoveDialog({ entries, onMove, onClose }: Props) {
  return (
    <Dialog
      title={
        entries.length === 1 ? (
          <Trans>
            Move <bdi>{entries[0]!.name}</bdi>
          </Trans>
        ) : (
          <Plural value={entries.length} one="Move # entry" other="Move # entries" />
        )
      }
      isOpen={entries.length > 0}
      onClose={onClose}
      size="md"
    >
      {entries.length > 0 && <Choice entries={entries} onMove={onMove} onClose={onClose} />}
    </Dialog>
  );
}

function Choice({ entries, onMove, onClose }: Props) {
  const { t } = useLingui();
  const [folder, setFolder] = useState<PickedFolder>({ id: entries[0]!.folder_id, name: "" });
  const isThere = entries.every(({ folder_id }) => folder_id === folder.id);
  return (
    <Stack gap="sm">
      <FolderPicker
        folder={folder}
        isRefused={({ id }) => entries.some((entry) => entry.kind === "folder" && entry.id === id)}
        onChange={setFolder}
      />
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
              onMove(entries, folder.id, folder.id === null ? t`All files` : folder.name);
            }}
          >
            <Trans>Move here</Trans>
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}
