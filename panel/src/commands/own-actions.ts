import { useLingui } from "@lingui/react/macro";
import { useMantineColorScheme } from "@mantine/core";
import {
  IconDeviceDesktop,
  IconDevicesOff,
  IconKeyboard,
  IconLanguage,
  IconLock,
  IconLogout,
  IconMoon,
  IconShieldLock,
  IconSun,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useSignOut } from "../auth/use-sign-out.ts";
import { chooseLanguage, type Language, LANGUAGES } from "../base/i18n.ts";
import { runShortcut } from "../ui/keys/page-keys.ts";
import type { Action } from "./command-row.ts";

/** What the account menu has, and the keys. */
export function useOwnActions(): Action[] {
  const { t } = useLingui();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  return [
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
      id: "account",
      label: t`Your account`,
      words: t`sessions two-factor 2FA authenticator passkeys mails`,
      icon: IconShieldLock,
      act: () => navigate({ to: "/account" }),
    },
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
          state: { requested: "change-password" },
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
}
