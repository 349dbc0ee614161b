import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group, Menu } from "@mantine/core";
import {
  IconFileUpload,
  IconFolderPlus,
  IconFolderUp,
  IconShare,
  IconTrash,
  IconUpload,
} from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ChangeEvent, type RefObject, useRef } from "react";
import { ButtonLink } from "../ui/button-link.tsx";
import { useShortcuts } from "../ui/keys/page-keys.ts";
import { hinted } from "../ui/keys/shortcuts.ts";
import { shownKeys } from "../ui/keys/keys.tsx";
import { inTree } from "../ui/tree-names.ts";

type Props = {
  team: string | undefined;
  /** Otherwise there is only the trash to see. */
  mayChange: boolean;
  onNewFolder(): void;
  onFiles(files: readonly File[]): void;
};

/** Actions that add to the folder, and a link to the trash. */
export function NewEntry({ team, mayChange, onNewFolder, onFiles }: Props) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  useShortcuts(mayChange ? { new: onNewFolder, upload: () => files.current?.click() } : {});
  const field = (ref: RefObject<HTMLInputElement | null>, isFolder: boolean) => (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      {...(isFolder && { webkitdirectory: "" })}
      onChange={(event: ChangeEvent<HTMLInputElement>) => {
        onFiles([...(event.currentTarget.files ?? [])]);
        // Choosing the same file again is a change too.
        event.currentTarget.value = "";
      }}
    />
  );
  return (
    <Group gap="xs" wrap="nowrap">
      <ButtonLink
        to="/files/trash"
        search={inTree(team)}
        visibleFrom="md"
        variant="default"
        leftSection={<IconTrash size={16} aria-hidden />}
      >
        <Trans>Trash</Trans>
      </ButtonLink>
      <ActionIcon
        hiddenFrom="md"
        variant="default"
        size={36}
        aria-label={t`Trash`}
        title={t`Trash`}
        renderRoot={(look) => <Link {...look} to="/files/trash" search={inTree(team)} />}
      >
        <IconTrash size={18} />
      </ActionIcon>
      {mayChange && (
        <>
          <Button
            visibleFrom="sm"
            variant="default"
            leftSection={<IconFolderPlus size={16} aria-hidden />}
            {...hinted(t`New folder`, "new")}
            onClick={onNewFolder}
          >
            <Trans>New folder</Trans>
          </Button>
          <ActionIcon
            hiddenFrom="sm"
            variant="default"
            size={36}
            aria-label={t`New folder`}
            onClick={onNewFolder}
          >
            <IconFolderPlus size={18} />
          </ActionIcon>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button leftSection={<IconUpload size={16} aria-hidden />}>
                <Trans>Upload</Trans>
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                leftSection={<IconFileUpload size={16} aria-hidden />}
                {...shownKeys("upload")}
                onClick={() => files.current?.click()}
              >
                <Trans>Files</Trans>
              </Menu.Item>
              <Menu.Item
                leftSection={<IconFolderUp size={16} aria-hidden />}
                onClick={() => folder.current?.click()}
              >
                <Trans>A folder</Trans>
              </Menu.Item>
              <Menu.Item
                leftSection={<IconShare size={16} aria-hidden />}
                onClick={() => void navigate({ to: "/shares/new", search: inTree(team) })}
              >
                <Trans>Upload and share</Trans>
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
          {field(files, false)}
          {field(folder, true)}
        </>
      )}
    </Group>
  );
}
