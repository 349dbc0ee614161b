import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconDownload, IconPencil, IconShare, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSentence } from "../ui/failure.tsx";
import { downloadAddress, type Entry, refreshFiles, restoreEntry, trashEntry } from "./file-queries.ts";

type Props = { entry: Entry; onRename(entry: Entry): void; onShare(entry: Entry): void };

const UNDO_MS = 10_000;

export function EntryMenu({ entry, onRename, onShare }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const sentenceOf = useSentence();
  const onError = (error: Error) => notifications.show({ color: "red", message: sentenceOf(error) });
  const undo = useMutation({
    mutationFn: () => restoreEntry(entry),
    onSuccess: () => refreshFiles(queries),
    onError,
  });
  const trash = useMutation({
    mutationFn: () => trashEntry(entry),
    async onSuccess() {
      const id = notifications.show({
        autoClose: UNDO_MS,
        message: (
          <Group justify="space-between" wrap="nowrap">
            <Trans>{entry.name} is in the trash.</Trans>
            <Button
              size="compact-xs"
              variant="light"
              onClick={() => {
                notifications.hide(id);
                undo.mutate();
              }}
            >
              <Trans>Undo</Trans>
            </Button>
          </Group>
        ),
      });
      await refreshFiles(queries);
    },
    onError,
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
