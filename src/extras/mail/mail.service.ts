import type { Queries } from "../../platform/db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import {
  createDeliveryRepository,
  createOutboxRepository,
  createNoticeRepository,
} from "./outbox.repository.ts";
import { createDelivery } from "./delivery.ts";
import { createLetters, type MailIdentity } from "./letter.ts";
import { createNotices, type Notices } from "./notices.ts";
import { createMailOutbox, type MailTransaction } from "./outbox.ts";
import { createSmtp, type Smtp, type SmtpSettings } from "./smtp.ts";

export type Mail = ReturnType<typeof createMail>;

type NoticeSources = Pick<
  Parameters<typeof createNotices>[0],
  "record" | "recipientOf" | "administrators" | "codeOf" | "nameOf" | "pageOf"
>;

type Deps = {
  database: Queries;
  changes: { write<T>(run: (tx: MailTransaction) => Promise<T>): Promise<T> };
  /** What is in force now. An empty host: no mails. */
  settings(): SmtpSettings;
  /** Addresses in mails begin with it. */
  origin(): string;
  /** Path of the panel; null while it is off. */
  panelPath(): string | null;
  identity: MailIdentity;
  /** Of dates in mails. */
  zone(): string;
  instance: string;
  count(status: "sent" | "delayed" | "failed"): void;
  clock: Clock;
  logger: Logger;
};

export function createMail(deps: Deps) {
  const { database, changes, settings, origin, identity, clock, logger } = deps;
  const repository = createDeliveryRepository(database);
  const isEnabled = () => settings().host !== "";
  /** Until the settings change. */
  let client: { of: string; smtp: Smtp } | null = null;
  function smtp(): Smtp {
    const of = JSON.stringify(settings());
    if (client?.of !== of) client = { of, smtp: createSmtp(settings()) };
    return client.smtp;
  }
  const outbox = createMailOutbox({
    repository: createOutboxRepository(database),
    write: changes.write,
    isEnabled,
    clock,
    logger,
  });

  /** What keeps mails from being sent; null if nothing is known. */
  async function trouble(): Promise<string | null> {
    if (!isEnabled()) return null;
    const known = await repository.trouble();
    return known && `Mails can't be sent: ${known.error}`;
  }

  const forAccounts = {
    isOffered: () => isEnabled() && deps.panelPath() !== null,
    panelUrl: (path: string) => `${origin()}${deps.panelPath() ?? ""}${path}`,
    queue: outbox.queue,
  };

  return {
    outbox,
    /** Mails with links into the panel. */
    forAccounts,
    /** To people without an account. */
    forShares: {
      isOffered: isEnabled,
      shareUrl: (code: string) => `${origin()}/${code}`,
      queue: outbox.queue,
      hasMore: outbox.hasMore,
      sent: outbox.sent,
    },
    trouble,
    origin,
    /** Mails about what happened. */
    notices: (more: NoticeSources): Notices =>
      createNotices({
        ...more,
        ...forAccounts,
        outbox,
        repository: createNoticeRepository(database),
        write: changes.write,
        clock,
      }),
    /** Connects and signs in; null if that works. */
    check: () => smtp().check(),
    /** The job that sends mails while a server is set. */
    job: createDelivery({ ...deps, repository, isEnabled, smtp, write: createLetters(identity, deps.zone) }),
    async server() {
      const from = isEnabled() ? settings().from : "";
      return { enabled: isEnabled(), from, message: (await trouble()) ?? "" };
    },
  };
}
