import { useLingui } from "@lingui/react/macro";
import { useMantineColorScheme } from "@mantine/core";
import {
  IconFileImport,
  IconFolderPlus,
  IconKey,
  IconLinkPlus,
  IconMoon,
  IconSun,
  IconTags,
  IconTrash,
  IconUpload,
  type TablerIcon,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { Account } from "../base/api.ts";

export type Action = { id: string; label: string; words: string; icon: TablerIcon; act(): unknown };

/** Actions that the account may start from anywhere. */
export function useActions({ role }: Account): Action[] {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const importing: Action = {
    id: "import",
    label: t`Import links`,
    words: "csv add",
    icon: IconFileImport,
    act: () => navigate({ to: "/links/import" }),
  };
  const links: Action[] = [
    {
      id: "new-link",
      label: t`New link`,
      words: "create add shorten",
      icon: IconLinkPlus,
      act: () => navigate({ to: "/links", state: { asked: "new-link" } }),
    },
    ...(role === "admin" ? [importing] : []),
    {
      id: "deleted",
      label: t`Deleted links`,
      words: "restore undo",
      icon: IconTrash,
      act: () => navigate({ to: "/links/deleted" }),
    },
    {
      id: "tags",
      label: t`Tags`,
      words: "rename merge",
      icon: IconTags,
      act: () => navigate({ to: "/links/tags" }),
    },
  ];
  return [
    ...(role === "user" ? [] : links),
    {
      id: "upload",
      label: t`Upload files`,
      words: "add",
      icon: IconUpload,
      act: () => navigate({ to: "/files" }),
    },
    {
      id: "new-folder",
      label: t`New folder`,
      words: "create add",
      icon: IconFolderPlus,
      act: () => navigate({ to: "/files", state: { asked: "new-folder" } }),
    },
    {
      id: "new-token",
      label: t`New token`,
      words: "create add api",
      icon: IconKey,
      act: () => navigate({ to: "/tokens", state: { asked: "new-token" } }),
    },
    {
      id: "trash",
      label: t`Trash`,
      words: "files restore deleted",
      icon: IconTrash,
      act: () => navigate({ to: "/files/trash" }),
    },
    { id: "light", label: t`Light theme`, words: "", icon: IconSun, act: () => setColorScheme("light") },
    { id: "dark", label: t`Dark theme`, words: "", icon: IconMoon, act: () => setColorScheme("dark") },
  ];
}
