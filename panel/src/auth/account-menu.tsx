import { i18n } from "@lingui/core";
import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import {
  IconCheck,
  IconDeviceDesktop,
  IconDeviceMobile,
  IconDevicesOff,
  IconKeyboard,
  IconLock,
  IconLogout,
  IconMoon,
  IconShieldLock,
  IconSun,
  IconUser,
} from "@tabler/icons-react";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { chooseLanguage, type Language, LANGUAGES } from "../base/i18n.ts";
import { lazyPart } from "../base/lazy.ts";
import { useAsked } from "../ui/asked.ts";
import { runShortcut } from "../ui/keys/page-keys.ts";
import { shownKeys } from "../ui/keys/keys.tsx";
import { LazyDialog } from "../ui/lazy-dialog.tsx";
import { accountQuery } from "./account.ts";
import { useSignOut } from "./use-sign-out.ts";

const AppDialog = lazyPart(async () => (await import("./app-dialog.tsx")).AppDialog);
const PasswordChange = lazyPart(async () => (await import("./password-form.tsx")).PasswordChange);

export function AccountMenu() {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const [changing, setChanging] = useState<"open" | "closed" | null>(null);
  const [app, setApp] = useState<"open" | "closed" | null>(null);
  useAsked("change-password", () => setChanging("open"));
  const schemes = [
    { value: "light", label: t`Light`, icon: IconSun },
    { value: "dark", label: t`Dark`, icon: IconMoon },
    { value: "auto", label: t`Use system setting`, icon: IconDeviceDesktop },
  ] as const;

  return (
    <>
      <Menu position="bottom-end" width={220} withArrow>
        <Menu.Target>
          <ActionIcon
            variant="light"
            color="gray"
            radius="xl"
            size={32}
            aria-label={t`Account menu of ${account.username}`}
          >
            <IconUser size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown mah="calc(100dvh - 5rem)" style={{ overflowY: "auto" }}>
          <Menu.Label style={{ overflowWrap: "anywhere" }}>{account.username}</Menu.Label>
          {schemes.map(({ value, label, icon: Icon }) => (
            <Menu.Item
              key={value}
              leftSection={<Icon size={16} />}
              rightSection={colorScheme === value && <IconCheck size={14} />}
              onClick={() => setColorScheme(value)}
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Label>
            <Trans>Language</Trans>
          </Menu.Label>
          {Object.entries(LANGUAGES).map(([language, name]) => (
            <Menu.Item
              key={language}
              lang={language}
              rightSection={i18n.locale === language && <IconCheck size={14} />}
              onClick={() => void chooseLanguage(language as Language)}
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconDeviceMobile size={16} />} onClick={() => setApp("open")}>
            <Trans>On this device</Trans>
          </Menu.Item>
          <Menu.Item
            leftSection={<IconKeyboard size={16} />}
            {...shownKeys("help")}
            onClick={() => runShortcut("help")}
          >
            <Trans>Keyboard shortcuts</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconShieldLock size={16} />} component={Link} to="/account">
            <Trans>Your account</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconLock size={16} />} onClick={() => setChanging("open")}>
            <Trans>Change the password</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate("here")}>
            <Trans>Sign out</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconDevicesOff size={16} />} onClick={() => signOut.mutate("everywhere")}>
            <Trans>Sign out everywhere</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {app !== null && (
        <LazyDialog isOpen={app === "open"} onClose={() => setApp("closed")}>
          <AppDialog
            isOpen={app === "open"}
            mayLink={account.role !== "user"}
            onClose={() => setApp("closed")}
          />
        </LazyDialog>
      )}
      {changing !== null && (
        <LazyDialog isOpen={changing === "open"} onClose={() => setChanging("closed")}>
          <PasswordChange
            username={account.username}
            isOpen={changing === "open"}
            onClose={() => setChanging("closed")}
          />
        </LazyDialog>
      )}
    </>
  );
}
