import { useLingui } from "@lingui/react/macro";
import { useMantineColorScheme } from "@mantine/core";
import {
  IconDeviceDesktop,
  IconDevicesOff,
  IconDownload,
  IconFileImport,
  IconFolderPlus,
  IconKey,
  IconKeyboard,
  IconLanguage,
  IconLinkPlus,
  IconLock,
  IconLogout,
  IconMoon,
  IconShare,
  IconSun,
  IconTags,
  IconTrash,
  IconUpload,
  IconUserPlus,
  IconWorldPlus,
  type TablerIcon,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useSignOut } from "../auth/use-sign-out.ts";
import type { Account } from "../base/api.ts";
import { chooseLanguage, type Language, LANGUAGES } from "../base/i18n.ts";
import { runShortcut } from "../ui/keys/page-keys.ts";
import type { CommandRow } from "./command-row.ts";
import { foundByWords } from "./place-rows.tsx";

type Action = { id: string; label: string; words?: string; icon: TablerIcon; act(): unknown };

/** Actions that the account may start from anywhere, as far as the text finds them. */
export function useActions({ role }: Account): (text: string) => CommandRow[] {
  const { t } = useLingui();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const forLinks: Action[] = [
    {
      id: "new-link",
      label: t`New link`,
      words: t`create add shorten`,
      icon: IconLinkPlus,
      act: () => navigate({ to: "/links", state: { asked: "new-link" } }),
    },
    {
      id: "export",
      label: t`Export all links (CSV)`,
      words: t`download backup`,
      icon: IconDownload,
      act: () => navigate({ to: "/links", search: {}, state: { asked: "export" } }),
    },
    {
      id: "deleted",
      label: t`Deleted links`,
      words: t`restore undo`,
      icon: IconTrash,
      act: () => navigate({ to: "/links/deleted" }),
    },
    {
      id: "tags",
      label: t`Tags`,
      words: t`rename merge`,
      icon: IconTags,
      act: () => navigate({ to: "/links/tags" }),
    },
  ];
  const forAdmins: Action[] = [
    {
      id: "import",
      label: t`Import links`,
      words: t`csv add`,
      icon: IconFileImport,
      act: () => navigate({ to: "/links/import" }),
    },
    {
      id: "new-account",
      label: t`New account`,
      words: t`create add invite`,
      icon: IconUserPlus,
      act: () => navigate({ to: "/users", state: { asked: "new-account" } }),
    },
    {
      id: "new-domain",
      label: t`New domain`,
      words: t`create add host`,
      icon: IconWorldPlus,
      act: () => navigate({ to: "/domains", state: { asked: "new-domain" } }),
    },
  ];
  const forAll: Action[] = [
    {
      id: "new-share",
      label: t`New share`,
      words: t`create add drop box`,
      icon: IconShare,
      act: () => navigate({ to: "/shares", state: { asked: "new-share" } }),
    },
    {
      id: "upload",
      label: t`Upload files`,
      icon: IconUpload,
      act: () => navigate({ to: "/files" }),
    },
    {
      id: "new-folder",
      label: t`New folder`,
      words: t`create add`,
      icon: IconFolderPlus,
      act: () => navigate({ to: "/files", state: { asked: "new-folder" } }),
    },
    {
      id: "new-token",
      label: t`New token`,
      words: t`create add api`,
      icon: IconKey,
      act: () => navigate({ to: "/tokens", state: { asked: "new-token" } }),
    },
    {
      id: "trash",
      label: t`Trash`,
      words: t`files restore deleted`,
      icon: IconTrash,
      act: () => navigate({ to: "/files/trash" }),
    },
    { id: "keys", label: t`Keyboard shortcuts`, icon: IconKeyboard, act: () => runShortcut("help") },
    { id: "light", label: t`Light theme`, icon: IconSun, act: () => setColorScheme("light") },
    { id: "dark", label: t`Dark theme`, icon: IconMoon, act: () => setColorScheme("dark") },
    {
      id: "auto",
      label: t`Use system setting`,
      words: t`theme`,
      icon: IconDeviceDesktop,
      act: () => setColorScheme("auto"),
    },
    ...Object.entries(LANGUAGES).map(([language, name]) => ({
      id: `language ${language}`,
      label: t`Language: ${name}`,
      icon: IconLanguage,
      act: () => chooseLanguage(language as Language),
    })),
    {
      id: "password",
      label: t`Change the password`,
      icon: IconLock,
      act: () =>
        navigate({
          to: ".",
          search: true,
          replace: true,
          resetScroll: false,
          state: { asked: "change-password" },
        }),
    },
    { id: "sign-out", label: t`Sign out`, icon: IconLogout, act: () => signOut.mutate("here") },
    {
      id: "sign-out-everywhere",
      label: t`Sign out everywhere`,
      icon: IconDevicesOff,
      act: () => signOut.mutate("everywhere"),
    },
  ];
  const actions = [
    ...(role === "user" ? [] : forLinks),
    ...(role === "admin" ? forAdmins : []),
    ...forAll,
  ].map(({ id, label, words = "", icon, act }) => ({
    id,
    icon,
    title: label,
    names: [label],
    words,
    act,
    actions: [],
  }));
  return (text) => foundByWords(text, actions);
}
