import { useLingui } from "@lingui/react/macro";
import { useMantineColorScheme } from "@mantine/core";
import {
  IconFolderPlus,
  IconKey,
  IconLinkPlus,
  IconMoon,
  IconSun,
  IconUpload,
  type TablerIcon,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { Account } from "../app/api.ts";

export type Action = { id: string; label: string; words: string; icon: TablerIcon; act(): unknown };

/** What the account may begin from anywhere. */
export function useActions({ role }: Account): Action[] {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const links: Action[] = [
    {
      id: "new-link",
      label: t`New link`,
      words: "create add shorten",
      icon: IconLinkPlus,
      act: () => navigate({ to: "/links", state: { asked: "new-link" } }),
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
    { id: "light", label: t`Light theme`, words: "", icon: IconSun, act: () => setColorScheme("light") },
    { id: "dark", label: t`Dark theme`, words: "", icon: IconMoon, act: () => setColorScheme("dark") },
  ];
}
