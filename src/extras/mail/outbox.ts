/**
 * The outbox: mails are rows, queued in the transaction of what they report, so none is lost and none tells of what did
 * not happen. The delivery (delivery.ts) sends them.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { MailContent, Recipient, StoredMail, MailContents } from "./mail.ts";
import type { MailFilter, OutboxRepository } from "./outbox.repository.ts";

export type MailTransaction = { readonly db: Db; changed(topic: "mails", keys: readonly string[]): void };

export type QueueOptions = {
  /** Not before. Default: now. */
  dueAt?: number;
  /** Given up then. */
  usefulUntil?: number | null;
  /** ≤ 150 characters. While the log has a mail of that key, no other one is queued. */
  onceKey?: string | null;
};

export type MailOutbox = ReturnType<typeof createMailOutbox>;

/** Beyond, mails are dropped and the log reports it. */
const MOST_WAITING = 50_000;
const MOST_NAMES = 10;

type Deps = {
  repository: OutboxRepository;
  write<T>(run: (tx: MailTransaction) => Promise<T>): Promise<T>;
  isEnabled(): boolean;
  clock: Clock;
  logger: Pick<Logger, "warn">;
};

export function createMailOutbox({ repository, write, isEnabled, clock, logger }: Deps) {
  async function queue(
    tx: MailTransaction,
    to: Recipient,
    mail: MailContent,
    { dueAt, usefulUntil = null, onceKey = null }: QueueOptions = {},
  ): Promise<number | null> {
    if (!isEnabled()) return null;
    if (await repository.isFull(tx.db, MOST_WAITING)) {
      logger.warn({ kind: mail.kind }, `a mail was dropped, because ${MOST_WAITING} wait in the outbox`);
      return null;
    }
    const now = clock.now();
    const id = await repository.insert(tx.db, {
      ...mail,
      to,
      now,
      dueAt: dueAt ?? now,
      usefulUntil,
      onceKey,
    });
    if (id !== null) tx.changed("mails", [String(id)]);
    return id;
  }

  return {
    isEnabled,

    sent: (begin: string, most: number) => repository.begun(begin, most),
    hasMore: (db: Db, begin: string, since: number, most: number): Promise<boolean> =>
      repository.hasMore(db, begin, since, most),

    /** Returns the id; null if mails are off, the outbox is full, or there is one of the key. */
    queue,

    /** Joins the mail of that account and subject that is not sent yet, or queues one that waits until `dueAt`. */
    async gather<K extends "drop" | "download">(
      tx: MailTransaction,
      to: Recipient,
      {
        kind,
        subject,
        content,
        dueAt,
      }: { kind: K; subject: string; content: MailContents[K]; dueAt: number },
    ): Promise<void> {
      const onceKey = `${kind} ${to.accountId ?? to.email} ${subject}`;
      // One without events first: of two that gather at once, both add to whichever mail is there.
      const none = { ...content, count: 0, ...("names" in content && { names: [] }) };
      let known = isEnabled() ? await repository.ofKey(tx.db, onceKey) : null;
      if (known === null) {
        await queue(tx, to, { kind, content: none } as MailContent, { dueAt, onceKey });
        known = await repository.ofKey(tx.db, onceKey);
      }
      if (known === null) return;
      const before = JSON.parse(known.content) as MailContents["drop" | "download"];
      const names = "names" in before && "names" in content ? [...before.names, ...content.names] : null;
      await repository.setContent(tx.db, known.id, {
        ...content,
        count: before.count + content.count,
        ...(names && { names: names.slice(0, MOST_NAMES) }),
      });
    },

    /** Sends one at once. Returns it as it was queued. @throws Conflict */
    async test(to: Recipient): Promise<StoredMail> {
      if (!isEnabled()) throw appError("Conflict", "No mail can be sent: set [mail].");
      const mail = await write(async (tx) => {
        const id = await queue(tx, to, { kind: "test", content: {} }, { dueAt: 0 });
        return id === null ? null : repository.find(id, tx.db);
      });
      if (mail === null) throw appError("Conflict", "The outbox is full: find out why mails are not sent.");
      return mail;
    },

    /** @throws NotFound */
    get: async (id: number): Promise<StoredMail> => (await repository.find(id)) ?? unknownMail(),

    /** @throws NotFound, Conflict if it is sent or being sent */
    async retry(id: number): Promise<StoredMail> {
      await write(async (tx) => {
        if (await repository.retry(tx.db, id)) return tx.changed("mails", [String(id)]);
        if ((await repository.find(id, tx.db)) === null) unknownMail();
        throw appError("Conflict", "This mail has been sent, or is being sent.");
      });
      return this.get(id);
    },

    /** Newest first. `next`: null on the last page. */
    async page(filter: MailFilter, before: number | null, limit: number) {
      const found = await repository.page(filter, before, limit + 1);
      const mails = found.slice(0, limit);
      return { mails, next: found.length > limit ? mails.at(-1)!.id : null };
    },
  };
}

function unknownMail(): never {
  throw appError("NotFound", "There is no such mail.");
}
