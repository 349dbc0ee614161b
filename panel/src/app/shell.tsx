import { Trans, useLingui } from "@lingui/react/macro";
import { AppShell, Box, Burger, Group, NavLink, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo } from "react";
import { accountQuery } from "../auth/account.ts";
import { AccountMenu } from "../auth/account-menu.tsx";
import { keepSessionFresh } from "../auth/fresh-session.ts";
import { SessionDialog } from "../auth/session-dialog.tsx";
import { CommandButton } from "../commands/command-button.tsx";
import { usePastedTargets } from "../commands/shorten.tsx";
import { useDockWanted } from "../files/uploads/dock-wanted.ts";
import { openDrafts } from "../ui/draft.ts";
import { NoPermissionPage } from "../ui/failure.tsx";
import { useUndoKeys } from "../ui/undo-notice.tsx";
import { lazyPart } from "./lazy.ts";
import { useMayOpen, usePages } from "./pages.ts";
import { INSTANCE_NAME } from "./place.ts";

const UploadDock = lazyPart(async () => (await import("../files/uploads/upload-dock.tsx")).UploadDock);

export function Shell() {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  const [isOpen, { toggle, close }] = useDisclosure();
  const pages = usePages(account);
  const groups = [
    { name: "work" },
    { name: "programs", label: t`Programs` },
    { name: "server", label: t`Server` },
  ];
  const isRefused = !useMayOpen(account);
  const wantsDock = useDockWanted();
  useEffect(keepSessionFresh, []);
  usePastedTargets(account.role !== "user");
  useUndoKeys();
  useMemo(() => openDrafts(account.id), [account.id]);
  return (
    <AppShell
      layout="alt"
      header={{ height: 52 }}
      navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
    >
      <a className="skip" href="#content">
        <Trans>Skip to the content</Trans>
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isOpen ? t`Close the menu` : t`Open the menu`}
          />
          <CommandButton pages={pages} account={account} />
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t`Pages`}>
        <Group h={36} px="sm" mb="xs" justify="space-between">
          <Text fw={700}>{INSTANCE_NAME}</Text>
          <Burger opened onClick={close} hiddenFrom="sm" size="sm" aria-label={t`Close the menu`} />
        </Group>
        <AppShell.Section grow style={{ overflowY: "auto" }}>
          {groups.map(({ name, label }) => {
            const shown = pages.filter(({ group }) => group === name);
            return (
              shown.length > 0 && (
                <Box key={name} mb="sm">
                  {label !== undefined && (
                    <Text size="xs" c="dimmed" px="sm" py={4}>
                      {label}
                    </Text>
                  )}
                  {shown.map(({ to, label: title, icon: Icon }) => (
                    <NavLink
                      key={to}
                      component={Link}
                      to={to}
                      activeOptions={{ exact: to === "/", includeSearch: false }}
                      label={title}
                      leftSection={<Icon size={18} stroke={1.75} />}
                      activeProps={{ "data-active": true }}
                      onClick={close}
                    />
                  ))}
                </Box>
              )
            );
          })}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content">{isRefused ? <NoPermissionPage /> : <Outlet />}</AppShell.Main>
      {wantsDock && (
        <Suspense fallback={null}>
          <UploadDock account={String(account.id)} />
        </Suspense>
      )}
      <SessionDialog />
    </AppShell>
  );
}
