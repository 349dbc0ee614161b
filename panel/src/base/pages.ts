/** The pages of the panel, and who may see them. */
import { useLingui } from "@lingui/react/macro";
import {
  IconApi,
  IconChartLine,
  IconDatabase,
  IconFolder,
  IconHeartbeat,
  IconHistory,
  IconHome,
  IconKey,
  IconLink,
  IconMail,
  IconSettings,
  IconShare,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
  IconWorld,
} from "@tabler/icons-react";
import { useMatches } from "@tanstack/react-router";
import type { Account } from "./api.ts";
import { hasRoom } from "./place.ts";

type Role = Account["role"];
const ADMIN: readonly Role[] = ["admin"];
const EDITORS: readonly Role[] = ["admin", "editor"];
const ALL: readonly Role[] = ["admin", "editor", "user"];

/** In the order of the menu. `key`: opens the page after G. */
export function usePages({ role }: Account) {
  return useEveryPage().filter(({ roles, room }) => roles.includes(role) && (!room || hasRoom(room)));
}

/** False for a page that the account may not see. */
export function useMayOpen({ role }: Account): boolean {
  // The path of the shown page; the address may already be the next one.
  const path = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? "/" });
  const isBelow = (place: string) => path === place || path.startsWith(`${place}/`);
  const page = useEveryPage().find(({ to }) => isBelow(to));
  return (isBelow("/link") ? EDITORS : (page?.roles ?? ALL)).includes(role);
}

function useEveryPage() {
  const { t } = useLingui();
  return [
    { to: "/", key: "o", label: t`Overview`, icon: IconHome, roles: EDITORS, group: "work" },
    { to: "/analytics", key: "a", label: t`Analytics`, icon: IconChartLine, roles: EDITORS, group: "work" },
    { to: "/links", key: "l", label: t`Links`, icon: IconLink, roles: EDITORS, group: "work" },
    { to: "/files", key: "f", label: t`Files`, icon: IconFolder, roles: ALL, group: "work" },
    { to: "/shares", key: "s", label: t`Shares`, icon: IconShare, roles: ALL, group: "work" },
    { to: "/teams", key: "m", label: t`Teams`, icon: IconUsersGroup, roles: ALL, group: "work" },
    { to: "/tokens", key: "t", label: t`API tokens`, icon: IconKey, roles: ALL, group: "programs" },
    { to: "/api", key: "p", label: t`API`, icon: IconApi, roles: ALL, group: "programs" },
    { to: "/users", key: "u", label: t`Accounts`, icon: IconUsers, roles: ADMIN, group: "server" },
    { to: "/domains", key: "d", label: t`Domains`, icon: IconWorld, roles: EDITORS, group: "server" },
    { to: "/policies", key: "r", label: t`Storage`, icon: IconDatabase, roles: ADMIN, group: "server" },
    { to: "/health", key: "h", label: t`Health`, icon: IconHeartbeat, roles: ADMIN, group: "server" },
    {
      to: "/mail",
      key: "i",
      label: t`Mail`,
      icon: IconMail,
      roles: ADMIN,
      group: "server",
      room: "mail" as const,
    },
    {
      to: "/webhooks",
      key: "w",
      label: t`Webhooks`,
      icon: IconWebhook,
      roles: ADMIN,
      group: "server",
      room: "webhooks" as const,
    },
    { to: "/events", key: "e", label: t`Events`, icon: IconHistory, roles: ADMIN, group: "server" },
    { to: "/settings", key: ",", label: t`Settings`, icon: IconSettings, roles: ADMIN, group: "server" },
  ];
}
