/** Mails on top of the rooms that they tell of. */
import type { createAuth } from "../auth/auth.ts";
import type { Config } from "../platform/config/config.service.ts";
import type { Env } from "../platform/settings/env.ts";
import type { createEvents } from "../platform/events/events.service.ts";
import { listeningOrigin } from "../platform/http/origins.ts";
import type { Registry } from "../lib/metrics.ts";
import { codeOf, domainOf } from "../links/link/key.ts";
import type { createLinkService } from "../links/links.service.ts";
import { createMail } from "../extras/mail/mail.service.ts";
import { createMailCounter } from "../extras/mail/mail-metrics.ts";

type MailDeps = Parameters<typeof createMail>[0];
type OwnMailDeps = "settings" | "origin" | "panelPath" | "count";

export const startMail = (
  { mail, server }: Env,
  { config, registry, ...deps }: Omit<MailDeps, OwnMailDeps> & { config: Config; registry: Registry },
) =>
  createMail({
    ...deps,
    settings: mail,
    origin: () => config.get("features.public_url") || listeningOrigin(server),
    panelPath: () =>
      config.get("features.enable_admin_panel") ? config.get("routes.frontend_prefix") : null,
    count: createMailCounter(registry),
  });

type NoticeRooms = {
  mail: ReturnType<typeof createMail>;
  auth: ReturnType<typeof createAuth>;
  links: ReturnType<typeof createLinkService>;
  events: ReturnType<typeof createEvents>;
};

export function startNotices({ mail, auth, links, events }: NoticeRooms) {
  const hostOf = (key: string) => links.domains.hostOf(domainOf(key));
  const notices = mail.notices({
    record: events.add,
    codeOf,
    recipientOf: auth.contacts.recipientOf,
    administrators: auth.contacts.administrators,
    nameOf: (key) => `${hostOf(key) ?? URL.parse(mail.origin())?.host}/${codeOf(key)}`,
    pageOf: (key) =>
      codeOf(key).split("/").map(encodeURIComponent).join("/") +
      (hostOf(key) === null ? "" : `?domain=${hostOf(key)}`),
  });
  events.tell(notices.heard);
  return notices;
}
