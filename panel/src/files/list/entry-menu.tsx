import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import {
  IconCopy,
  IconDatabase,
  IconDots,
  IconDownload,
  IconEye,
  IconFolderShare,
  IconPencil,
  IconShare,
  IconTrash,
  IconUsersGroup,
} from "@tabler/icons-react";
import { useState } from "react";
import { shownKeys } from "../../ui/keys/keys.tsx";
import { useRowMenuPlace } from "../../ui/menus/row-menu-place.ts";
import { downloadAddress, type Entry, isFixed, isOnServer } from "../file-queries.ts";

export type EntryCommands = {
  open(entry: Entry): void;
  /** Absent for those who only view. */
  change?: {
    rename(entry: Entry): void;
    /** As one share. */
    share(entries: readonly Entry[]): void;
    move(entries: readonly Entry[]): void;
    copy(entries: readonly Entry[]): void;
    trash(entries: readonly Entry[]): void;
    /** Chooses the storage of a folder. Absent if the account may not. */
    store?(folder: Entry): void;
    /** To another owner. Absent if the account may not, or there is none. */
    give?(entry: Entry): void;
  };
};

type Props = { entry: Entry; commands: EntryCommands; tabIndex: number };

export function EntryMenu({ entry, commands, tabIndex }: Props) {
  const { t } = useLingui();
  const { change } = commands;
  // The field of the name takes the focus as the menu closes, and a focus that goes back would close it.
  const [isRenaming, setIsRenaming] = useState(false);
  const { place, onClick } = useRowMenuPlace();
  function rename(): void {
    setIsRenaming(true);
    change?.rename(entry);
  }
  return (
    <Menu {...place} withinPortal returnFocus={!isRenaming} onOpen={() => setIsRenaming(false)}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          tabIndex={tabIndex}
          aria-label={t`Actions for ${entry.name}`}
          onClick={onClick}
        >
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      {/* Its clicks and keys are not those of the row. */}
      <Menu.Dropdown
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => event.stopPropagation()}
        onContextMenu={(event) => event.preventDefault()}
      >
        {entry.kind === "file" && (
          <Menu.Item
            leftSection={<IconEye size={16} />}
            {...shownKeys("open")}
            onClick={() => commands.open(entry)}
          >
            <Trans>Preview and details</Trans>
          </Menu.Item>
        )}
        <Menu.Item component="a" href={downloadAddress(entry)} leftSection={<IconDownload size={16} />}>
          {entry.kind === "file" ? <Trans>Download</Trans> : <Trans>Download as ZIP</Trans>}
        </Menu.Item>
        {change !== undefined && (
          <>
            <Menu.Item
              leftSection={<IconShare size={16} />}
              {...shownKeys("share")}
              onClick={() => change.share([entry])}
            >
              <Trans>Share</Trans>
            </Menu.Item>
            {!isFixed(entry) && <Changes entry={entry} change={change} onRename={rename} />}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

type ChangesProps = { entry: Entry; change: NonNullable<EntryCommands["change"]>; onRename(): void };

const Changes = ({ entry, change, onRename }: ChangesProps) => (
  <>
    <Menu.Item leftSection={<IconPencil size={16} />} {...shownKeys("rename")} onClick={onRename}>
      <Trans>Rename</Trans>
    </Menu.Item>
    <Menu.Item leftSection={<IconFolderShare size={16} />} onClick={() => change.move([entry])}>
      <Trans>Move to…</Trans>
    </Menu.Item>
    {!entry.is_linked && (
      <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => change.copy([entry])}>
        <Trans>Copy to…</Trans>
      </Menu.Item>
    )}
    {entry.kind === "folder" && !entry.is_linked && change.store !== undefined && (
      <Menu.Item leftSection={<IconDatabase size={16} />} onClick={() => change.store?.(entry)}>
        <Trans>Storage…</Trans>
      </Menu.Item>
    )}
    {!isOnServer(entry) && change.give !== undefined && (
      <Menu.Item leftSection={<IconUsersGroup size={16} />} onClick={() => change.give?.(entry)}>
        <Trans>Change owner…</Trans>
      </Menu.Item>
    )}
    <Menu.Item
      c="var(--mantine-color-error)"
      leftSection={<IconTrash size={16} />}
      {...shownKeys("delete")}
      onClick={() => change.trash([entry])}
    >
      <Trans>Move to the trash</Trans>
    </Menu.Item>
  </>
);
