/**
 * Mails about what happened, to the accounts whom it concerns: owners, managers of the team that owns a link,
 * administrators. Each account chooses which it gets and how often. Events that exist already are observed there, in
 * the transaction of the act; without a mail server nothing is queried.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { SYSTEM } from "../../lib/actor.ts";
import type { EventRecord, RecordEvents } from "../../lib/event.ts";
import { ownerOfTeam } from "../../lib/owner.ts";
import { pagesAfter } from "../../lib/pages.ts";
import { rest } from "../../lib/rest.ts";
import type { MailContent, Recipient, MailContents } from "./mail.ts";
import type { NoticeRepository } from "./outbox.repository.ts";
import type { MailOutbox, MailTransaction } from "./outbox.ts";

/** Kinds of mails that an account can turn off. */
export type NoticeKind =
  | "drop"
  | "download"
  | "share_ending"
  | "link_threshold"
  | "target_dead"
  | "backup"
  | "webhook"
  | "certificate";

export type NoticeRecipient = { to: Recipient; every: "on" | "minute" | "hour" | "day" };

type Deps = {
  outbox: MailOutbox;
  repository: NoticeRepository;
  write<T>(run: (tx: MailTransaction) => Promise<T>): Promise<T>;
  /** Calls `onEvents`. */
  record: RecordEvents<Db>;
  /**
   * Finds the recipient: none without a verified address, for a disabled account, or if it has turned off that kind.
   */
  recipientOf(db: Db, accountId: number, kind: NoticeKind): Promise<NoticeRecipient | null>;
  administrators(db?: Db): Promise<number[]>;
  /** Whether mails with links into the panel can be sent. */
  isOffered(): boolean;
  panelUrl(path: string): string;
  /** Host and code of a link, for people. */
  nameOf(linkKey: string): string;
  codeOf(linkKey: string): string;
  /** Code and host in the address of the panel's page of a link. */
  pageOf(linkKey: string): string;
  clock: Clock;
};

type Notify<Owner = number> = (
  tx: MailTransaction,
  owner: Owner,
  mail: MailContent & { kind: NoticeKind },
  onceKey: string,
) => Promise<void>;

export type Notices = ReturnType<typeof createNotices>;

const NOTIFYING = ["drop.received", "link.target_dead", "link.threshold", "webhook.disable"];
const DAY_MS = 86_400_000;
const SPANS = { minute: 60_000, hour: 3_600_000, day: DAY_MS };
const ENDING_EVERY_MS = 3_600_000;
const SHARES_AT_ONCE = 500;
const REST_MS = 25;
const FIRST_MILESTONE = 100;
/** Named in one mail. */
const MOST_HOSTS = 20;

/** The largest of 100, 1,000, 10,000 … that lies between; null without. */
export function milestoneIn(before: number, after: number): number | null {
  let milestone = FIRST_MILESTONE;
  while (milestone * 10 <= after) milestone *= 10;
  return before < milestone && milestone <= after ? milestone : null;
}

export function createNotices(deps: Deps) {
  const { outbox, repository, write, recipientOf, isOffered, panelUrl, nameOf, clock } = deps;

  const notify: Notify = async (tx, accountId, mail, onceKey) => {
    const recipient = await recipientOf(tx.db, accountId, mail.kind);
    if (recipient === null) return;
    const { to, every } = recipient;
    if (every === "on") {
      await outbox.queue(tx, to, mail, { onceKey: `${mail.kind} ${accountId} ${onceKey}` });
      return;
    }
    const { kind, content } = mail as MailContent & { kind: "drop" | "download" };
    const dueAt = clock.now() + SPANS[every];
    await outbox.gather(tx, to, { kind, subject: onceKey, content: content as MailContents["drop"], dueAt });
  };

  const notifyOwners: Notify<number | null> = async (tx, ownerId, mail, onceKey) => {
    if (ownerId === null) return;
    const accounts = ownerId >= 0 ? [ownerId] : await repository.managers(ownerOfTeam(ownerId), tx.db);
    for (const id of accounts) await notify(tx, id, mail, onceKey);
  };

  async function received(tx: MailTransaction, { subject, subjectId, after }: EventRecord): Promise<void> {
    const { folder_id: folder, name, title } = after as { folder_id: number; name: string; title?: string };
    const accountId = await repository.accountOf(folder, tx.db);
    if (accountId === null) return;
    const url = panelUrl(`/files?folder=${folder}`);
    const content = { title: title ?? subject, count: 1, names: [name], url };
    await notifyOwners(tx, accountId, { kind: "drop", content }, String(subjectId));
  }

  async function notifyOfDeadTarget(
    tx: MailTransaction,
    { at, subjectId, after }: EventRecord,
  ): Promise<void> {
    const { target, problem = "" } = after as { target: string; problem?: string };
    const link = await repository.link(subjectId ?? 0, tx.db);
    if (link === null) return;
    const url = panelUrl(`/link/${deps.pageOf(link.key)}`);
    const content = { link: nameOf(link.key), target, reason: problem, url };
    await notifyOwners(tx, link.ownerId, { kind: "target_dead", content }, `${link.id} ${at}`);
  }

  const { reached, passed } = createNumbers(deps, notifyOwners);

  return {
    /** Call it in the transaction of events. Others than these cost nothing. */
    async onEvents(db: Db, events: readonly EventRecord[]): Promise<void> {
      const notifying = events.filter(({ action }) => NOTIFYING.includes(action));
      if (notifying.length === 0 || !isOffered()) return;
      // The delivery finds them within seconds.
      const tx = { db, changed: () => {} };
      for (const event of notifying) {
        if (event.action === "drop.received") await received(tx, event);
        else if (event.action === "link.target_dead") await notifyOfDeadTarget(tx, event);
        else if (event.action === "webhook.disable") await notifyOfDisabledWebhook(deps, notify, tx, event);
        else await reached(tx, event.subjectId!, (event.after as { clicks: number }).clicks);
      }
    },

    /** A download of a share has ended well. */
    async downloaded(share: {
      linkId: number;
      accountId: number;
      code: string;
      title: string | null;
      maxDownloads: number | null;
      isUsedUp: boolean;
    }): Promise<void> {
      if (!isOffered()) return;
      const { linkId, accountId, maxDownloads } = share;
      const title = share.title ?? nameOf(share.code);
      const url = panelUrl("/shares");
      await write(async (tx) => {
        await notifyOwners(
          tx,
          accountId,
          { kind: "download", content: { title, count: 1, url } },
          String(linkId),
        );
        if (!share.isUsedUp) return;
        const mail = { kind: "share_ending", content: { title, endsAt: null, url } } as const;
        await notifyOwners(tx, accountId, mail, `${linkId} used ${maxDownloads}`);
      });
    },

    /**
     * The counts of at most 1,000 links have grown. A link reports the number that it names, or each milestone; one
     * that had no clicks may be an imported one, which reports no milestone.
     */
    async counted(links: readonly { linkId: number; before: number; after: number }[]): Promise<void> {
      const thresholds = await repository.thresholds(links.map(({ linkId }) => linkId));
      for (const { linkId, before, after } of links) {
        const threshold = thresholds.get(linkId);
        if (threshold !== undefined) {
          if (before < threshold && threshold <= after) await write((tx) => passed(tx, linkId, threshold));
          continue;
        }
        const milestone = before === 0 || !isOffered() ? null : milestoneIn(before, after);
        if (milestone !== null) await write((tx) => reached(tx, linkId, milestone));
      }
    },

    ...createAlarms(deps, notify),
    endingJob: createEndingJob(deps, notifyOwners),
  };
}

/** What administrators get when something fails. */
const createAlarms = ({ administrators, isOffered, panelUrl, write, clock }: Deps, notify: Notify) => ({
  async backupFailed(reason: string): Promise<void> {
    if (!isOffered()) return;
    const at = clock.now();
    for (const id of await administrators())
      await write((tx) => notify(tx, id, { kind: "backup", content: { reason, at } }, String(at)));
  },

  /** Once a day for the same hosts. */
  async certificatesFailed(hosts: readonly string[], reason: string): Promise<void> {
    if (!isOffered()) return;
    const more = hosts.length > MOST_HOSTS ? " …" : "";
    const names = hosts.slice(0, MOST_HOSTS).join(", ") + more;
    const content = { host: hosts[0]!, names, reason, url: panelUrl("/health") };
    const onceKey = `${hosts.join(" ").slice(0, 80)} ${Math.floor(clock.now() / DAY_MS)}`;
    for (const id of await administrators())
      await write((tx) => notify(tx, id, { kind: "certificate", content }, onceKey));
  },
});

/** Notifies administrators of a disabled webhook. */
async function notifyOfDisabledWebhook(
  { administrators, panelUrl }: Deps,
  notify: Notify,
  tx: MailTransaction,
  { at, subject, after }: EventRecord,
): Promise<void> {
  const isGone = (after as { reason?: string }).reason === "gone";
  const content = { receiver: subject, isGone, url: panelUrl("/webhooks") };
  for (const id of await administrators(tx.db))
    await notify(tx, id, { kind: "webhook", content }, `${subject} ${at}`.slice(-100));
}

/** Numbers of clicks that links reach. */
function createNumbers(
  { repository, record, panelUrl, nameOf, codeOf, pageOf, clock }: Deps,
  notifyOwners: Notify<number | null>,
) {
  async function reached(tx: MailTransaction, linkId: number, clicks: number): Promise<void> {
    const link = await repository.link(linkId, tx.db);
    if (link === null) return;
    const content = { link: nameOf(link.key), clicks, url: panelUrl(`/link/${pageOf(link.key)}`) };
    await notifyOwners(tx, link.ownerId, { kind: "link_threshold", content }, `${linkId} ${clicks}`);
  }

  /** The link has as many clicks as it names. */
  async function passed(tx: MailTransaction, linkId: number, clicks: number): Promise<void> {
    const link = await repository.link(linkId, tx.db);
    if (link === null) return;
    const subject = { subject: codeOf(link.key), subjectId: linkId };
    const event = { at: clock.now(), actor: SYSTEM, action: "link.threshold", ...subject, after: { clicks } };
    await record(tx.db, [event]);
  }

  return { reached, passed };
}

/** Notifies of shares that end within a day, each once. */
const createEndingJob = (
  { repository, write, isOffered, panelUrl, nameOf, clock }: Deps,
  notify: Notify,
) => ({
  name: "mail-shares-end",
  everyMs: () => ENDING_EVERY_MS,
  async run(signal: AbortSignal): Promise<void> {
    if (!isOffered()) return;
    const from = clock.now();
    const find = (after: number, limit: number) =>
      repository.ending({ from, to: from + DAY_MS }, after, limit);
    for await (const shares of pagesAfter(0, SHARES_AT_ONCE, find, ({ linkId }) => linkId)) {
      for (const { linkId, accountId, key, title, endsAt } of shares) {
        if (signal.aborted) return;
        const content = { title: title ?? nameOf(key), endsAt, url: panelUrl("/shares") };
        await write((tx) => notify(tx, accountId, { kind: "share_ending", content }, `${linkId} ${endsAt}`));
      }
      await rest(REST_MS, signal);
    }
  },
});
