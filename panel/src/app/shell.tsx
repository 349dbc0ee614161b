import { Trans, useLingui } from "@lingui/react/macro";
import { Box, Burger, Group, MantineThemeProvider, Text, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { type MouseEvent, Suspense, useEffect, useMemo } from "react";
import { accountQuery } from "../auth/account.ts";
import { AccountMenu } from "../auth/account-menu.tsx";
import { FactorDialog } from "../auth/security/factor-dialog.tsx";
import { keepSessionFresh } from "../auth/fresh-session.ts";
import { SessionDialog } from "../auth/session-dialog.tsx";
import { CommandButton } from "../commands/command-button.tsx";
import { usePastedTargets } from "../commands/pasted-targets.ts";
import { useDockNeeded } from "../files/uploads/dock-wanted.ts";
import { useBackCloses } from "../ui/back-closes.ts";
import { openDrafts } from "../ui/forms/draft.ts";
import { NoPermissionPage } from "../ui/failure.tsx";
import { content } from "../ui/focus-back.ts";
import { WaitingBar } from "../ui/waiting-bar.tsx";
import { lazyPart, rest } from "../base/lazy.ts";
import { Keys } from "../ui/keys/keys.tsx";
import { useFocusOfPages } from "../ui/keys/page-focus.ts";
import { useMayOpen, usePages } from "../base/pages.ts";
import { INSTANCE_NAME, MARK_URL } from "../base/place.ts";
import { LIST_THEME } from "./list-theme.ts";
import classes from "./shell.module.css";
import { Shortcuts } from "./shortcuts.tsx";

/** At the bottom of a phone, for thumbs. The menu has all pages. */
const MOST_PLACES = 5;

/** The pages of one thing, and the lists that it is in. */
const LISTS = [
  ["/link/", "/links"],
  ["/share/", "/shares"],
] as const;

const UploadDock = lazyPart(async () => (await import("../files/uploads/upload-dock.tsx")).UploadDock);

/** After the page is painted. */
function whenIdle(run: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(run);
  else setTimeout(run);
}

/** Addresses are relative to the start page, so this link would lead there. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  content()?.focus();
}

export function Shell() {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  const [isOpen, { toggle, close }] = useDisclosure();
  const pages = usePages(account);
  const groups = [
    { name: "work" },
    { name: "programs", label: t`Developers` },
    { name: "server", label: t`Server` },
  ];
  const isRefused = !useMayOpen(account);
  const listOf = useRouterState({
    select: ({ location: { pathname } }) => LISTS.find(([page]) => pathname.startsWith(page))?.[1],
  });
  const wantsDock = useDockNeeded();
  useEffect(keepSessionFresh, []);
  useEffect(() => whenIdle(rest), []);
  usePastedTargets(account.role !== "user");
  useFocusOfPages();
  useBackCloses(isOpen, close);
  useMemo(() => openDrafts(account.id), [account.id]);
  /** The page of one link or share belongs to the list. */
  const placeOf = <To extends string>(to: To) => ({
    to,
    activeOptions: { exact: to === "/", includeSearch: false },
    activeProps: { "data-active": true },
    ...(to === listOf && ({ "data-active": true, "aria-current": "true" } as const)),
  });
  return (
    <MantineThemeProvider theme={LIST_THEME}>
      <div className={classes["frame"]}>
        <a className="skip" href="#content" onClick={skip}>
          <Trans>Skip to the content</Trans>
        </a>
        <header className={classes["top"]}>
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isOpen ? t`Close the menu` : t`Open the menu`}
          />
          <CommandButton pages={pages} account={account} />
          <AccountMenu />
        </header>
        <nav className={classes["side"]} data-open={isOpen || undefined} aria-label={t`Pages`}>
          <Group mih={36} px="sm" mb="xs" wrap="nowrap">
            <img src={MARK_URL} alt="" className={classes["mark"]} />
            <Text
              fw={700}
              lh={1.2}
              lineClamp={4}
              size={INSTANCE_NAME.length > 18 ? "sm" : "md"}
              title={INSTANCE_NAME}
              flex={1}
              className={classes["name"] ?? ""}
            >
              {INSTANCE_NAME}
            </Text>
            <Burger opened onClick={close} hiddenFrom="sm" size="sm" aria-label={t`Close the menu`} />
          </Group>
          <div className={classes["pages"]}>
            {groups.map(({ name, label }) => {
              const shown = pages.filter(({ group }) => group === name);
              return (
                shown.length > 0 && (
                  <Box key={name} mb="sm">
                    {label !== undefined && (
                      <Text id={`pages-${name}`} size="xs" c="dimmed" px="sm" py={4}>
                        {label}
                      </Text>
                    )}
                    <ul aria-labelledby={label && `pages-${name}`}>
                      {shown.map(({ to, key, label: title, icon: Icon }) => (
                        <li key={to}>
                          <Link {...placeOf(to)} onClick={close}>
                            <Icon size={18} stroke={1.75} aria-hidden />
                            <span>{title}</span>
                            <Keys of={["g", key]} isQuiet />
                          </Link>
                        </li>
                      ))}
                    </ul>
                  </Box>
                )
              );
            })}
          </div>
        </nav>
        <main id="content" tabIndex={-1} className={classes["content"]}>
          {isRefused ? <NoPermissionPage /> : <Outlet />}
        </main>
        {/* What is spoken stays in them: one who reads on meets it after the page, not before. */}
        <VisuallyHidden id="page-name" role="status" />
        <VisuallyHidden id="copied" role="status" />
        {wantsDock && (
          <Suspense fallback={null}>
            <UploadDock account={String(account.id)} />
          </Suspense>
        )}
        <nav className={classes["bottom"]} aria-label={t`Main menu`}>
          {pages
            .filter(({ group }) => group === "work")
            .slice(0, MOST_PLACES)
            .map(({ to, label, icon: Icon }) => (
              <Link key={to} {...placeOf(to)}>
                <Icon size={22} stroke={1.75} aria-hidden />
                <span>{label}</span>
              </Link>
            ))}
        </nav>
        <Shortcuts pages={pages} account={account} />
        <SessionDialog />
        <FactorDialog />
        <PageOnItsWay />
      </div>
    </MantineThemeProvider>
  );
}

/** The page before stays until the next one is there. */
function PageOnItsWay() {
  const isOnItsWay = useRouterState({ select: ({ isLoading }) => isLoading });
  return isOnItsWay && <WaitingBar />;
}
