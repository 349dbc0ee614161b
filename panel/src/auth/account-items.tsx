import { i18n } from "@lingui/core";
import { Trans, useLingui } from "@lingui/react/macro";
import { Menu, useMantineColorScheme } from "@mantine/core";
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
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { chooseLanguage, type Language, LANGUAGES } from "../base/i18n.ts";
import { runShortcut } from "../ui/keys/page-keys.ts";
import { shownKeys } from "../ui/keys/keys.tsx";

type Props = {
  name: string;
  onApp(): void;
  onPassword(): void;
  onSignOut(where: "here" | "everywhere"): void;
};

export function AccountItems({ name: own, onApp, onPassword, onSignOut }: Props) {
  const { t } = useLingui();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const schemes = [
    { value: "light", label: t`Light`, icon: IconSun },
    { value: "dark", label: t`Dark`, icon: IconMoon },
    { value: "auto", label: t`Use system setting`, icon: IconDeviceDesktop },
  ] as const;
  return (
    <>
      <Menu.Label style={{ overflowWrap: "anywhere" }}>
        <bdi>{own}</bdi>
      </Menu.Label>
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
      <Menu.Item leftSection={<IconDeviceMobile size={16} />} onClick={onApp}>
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
      <Menu.Item leftSection={<IconLock size={16} />} onClick={onPassword}>
        <Trans>Change the password</Trans>
      </Menu.Item>
      <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => onSignOut("here")}>
        <Trans>Sign out</Trans>
      </Menu.Item>
      <Menu.Item leftSection={<IconDevicesOff size={16} />} onClick={() => onSignOut("everywhere")}>
        <Trans>Sign out everywhere</Trans>
      </Menu.Item>
    </>
  );
}
