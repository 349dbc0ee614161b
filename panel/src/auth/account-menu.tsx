import { i18n } from "@lingui/core";
import { Trans, useLingui } from "@lingui/react/macro";
import { Avatar, Menu, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconDeviceDesktop, IconLogout, IconMoon, IconSun } from "@tabler/icons-react";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { answerOf, api } from "../app/api.ts";
import { chooseLanguage, type Language, LANGUAGES } from "../app/i18n.ts";
import { accountQuery } from "./account.ts";

export function AccountMenu() {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signOut = useMutation({
    mutationFn: () => answerOf(api.POST("/admin/v1/auth/logout")),
    async onSuccess() {
      await navigate({ to: "/sign-in", search: {} });
      queries.clear();
    },
  });
  const schemes = [
    { value: "light", label: t`Light`, icon: IconSun },
    { value: "dark", label: t`Dark`, icon: IconMoon },
    { value: "auto", label: t`Like the system`, icon: IconDeviceDesktop },
  ] as const;

  return (
    <Menu position="bottom-end" width={220} withArrow>
      <Menu.Target>
        <UnstyledButton aria-label={t`Account menu of ${account.username}`}>
          <Avatar size={32} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{account.username}</Menu.Label>
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
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
          <Trans>Sign out</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
