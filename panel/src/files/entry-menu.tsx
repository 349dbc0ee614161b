import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconDownload, IconPencil, IconShare, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useUndoable } from "../ui/undo.tsx";
import { downloadAddress, type Entry, refreshFiles, restoreEntry, trashEntry } from "./file-queries.ts";

type Props = { entry: Entry; onRename(entry: Entry): void; onShare(entry: Entry): void };

export function EntryMenu({ entry, onRename, onShare }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const trash = useUndoable({
    run: () => trashEntry(entry),
    undo: () => restoreEntry(entry),
    refresh: () => refreshFiles(queries),
    message: <Trans>{entry.name} is in the trash.</Trans>,
  });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t`Actions for ${entry.name}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={downloadAddress(entry)} leftSection={<IconDownload size={16} />}>
          <Trans>Download</Trans>
        </Menu.Item>
        <Menu.Item leftSection={<IconShare size={16} />} onClick={() => onShare(entry)}>
          <Trans>Share</Trans>
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onRename(entry)}>
          <Trans>Rename</Trans>
        </Menu.Item>
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => trash.mutate()}>
          <Trans>Move to the trash</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
