import type { Selectable } from "kysely";
import type { Queries, Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { finds, deleteFound } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { camelCased } from "../../lib/case-names.ts";
import type { MailContent, MailState, Recipient, StoredMail, TakenMail, MailKind } from "./mail.ts";

export type OutboxRepository = ReturnType<typeof createOutboxRepository>;

export type NewMail = MailContent & {
  to: Recipient;
  now: number;
  dueAt: number;
  usefulUntil: number | null;
  onceKey: string | null;
};

export type MailFilter = { state?: MailState | undefined; recipient?: string | undefined };

const TIMES = ["created_at", "sent_at", "due_at"] as const;
const SHOWN = ["id", "kind", "recipient", "state", "attempts", "error", ...TIMES] as const;

export function createOutboxRepository({ read, dialect }: Queries) {
  return {
    /** More than so many wait. */
    isFull(db: Db, most: number): Promise<boolean> {
      const waiting = db.selectFrom("mails").select("id").where("state", "=", "waiting");
      return finds(waiting.orderBy("due_at").offset(most));
    },

    /** The id; null if there is one of its key. */
    async insert(tx: Db, mail: NewMail): Promise<number | null> {
      const row = {
        kind: mail.kind,
        account_id: mail.to.accountId,
        recipient: mail.to.email,
        language: mail.to.language,
        content: JSON.stringify(mail.content),
        state: "waiting",
        due_at: mail.dueAt,
        attempts: 0,
        tried_at: null,
        is_server_trouble: 0,
        was_interrupted: 0,
        error: null,
        created_at: mail.now,
        sent_at: null,
        useful_until: mail.usefulUntil,
        once_key: mail.onceKey,
      };
      if (mail.onceKey === null) return dialect.insertReturningId(tx, "mails", row);
      const known = await this.ofKey(tx, mail.onceKey);
      if (known !== null) return null;
      await dialect.insertIgnore(tx, "mails", ["once_key"], [row]);
      return (await this.ofKey(tx, mail.onceKey))?.id ?? null;
    },

    /** The mail of a key, locked until the transaction ends. */
    async ofKey(tx: Db, onceKey: string): Promise<{ id: number; content: string } | null> {
      const query = tx.selectFrom("mails").select(["id", "content"]).where("once_key", "=", onceKey);
      return (await query.$call(dialect.forUpdate).executeTakeFirst()) ?? null;
    },

    async setContent(tx: Db, id: number, content: object): Promise<void> {
      await tx
        .updateTable("mails")
        .set({ content: JSON.stringify(content) })
        .where("id", "=", id)
        .execute();
    },

    /** Whether there are more than so many mails since then whose key begins with `begin`. */
    hasMore(db: Db, begin: string, since: number, most: number): Promise<boolean> {
      const mails = db.selectFrom("mails").select("id").where("created_at", ">", since);
      const ofKey = mails.where("once_key", ">=", begin).where("once_key", "<", `${begin}:`);
      return finds(ofKey.offset(Math.max(0, most)));
    },

    /** The newest mails whose key begins with `begin`. */
    async begun(begin: string, most: number): Promise<StoredMail[]> {
      const mails = read.selectFrom("mails").select(SHOWN).where("once_key", ">=", begin);
      const rows = await mails
        .where("once_key", "<", `${begin}:`)
        .orderBy("id", "desc")
        .limit(most)
        .execute();
      return rows.map(shown);
    },

    async find(id: number, db: Db = read): Promise<StoredMail | null> {
      const row = await db.selectFrom("mails").select(SHOWN).where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : shown(row);
    },

    /** To be sent at once. False unless it waits or has failed. */
    async retry(tx: Db, id: number): Promise<boolean> {
      const result = await tx
        .updateTable("mails")
        .set({ state: "waiting", due_at: 0, attempts: 0, was_interrupted: 0 })
        .where("id", "=", id)
        .where("state", "in", ["waiting", "failed"])
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    /** Newest first, below an id. */
    async page(
      { state, recipient }: MailFilter,
      before: number | null,
      limit: number,
    ): Promise<StoredMail[]> {
      let query = read.selectFrom("mails").select(SHOWN);
      if (state !== undefined) query = query.where("state", "=", state);
      if (recipient !== undefined) query = query.where("recipient", "=", recipient);
      if (before !== null) query = query.where("id", "<", before);
      return (await query.orderBy("id", "desc").limit(limit).execute()).map(shown);
    },
  };
}

type Row = Pick<Selectable<Schema["mails"]>, (typeof SHOWN)[number]>;

const shown = (row: Row): StoredMail => ({
  ...camelCased(row),
  state: row.state as MailState,
  // 0: at once.
  dueAt: row.state === "waiting" ? Math.max(row.due_at, row.created_at) : null,
});

export type DeliveryRepository = ReturnType<typeof createDeliveryRepository>;

/** What became of an attempt. */
export type Outcome =
  | { state: "sent"; at: number }
  | { state: "failed"; error: string }
  | { state: "waiting"; error: string; dueAt: number; isServerTrouble: boolean };

/** Kinds that gather what happens until they are due. */
const DIGESTS: ReadonlySet<string> = new Set(["drop", "download"] satisfies MailKind[]);

const ERROR_LENGTH = 500;
const REMOVED_AT_ONCE = 1_000;

export function createDeliveryRepository({ read, write }: Pick<Queries, "read" | "write">) {
  return {
    /** Takes the next one that is due. `onlyUrgent`: of those that do not wait for the server. */
    async take(now: number, onlyUrgent: boolean): Promise<TakenMail | null> {
      const next = await read
        .selectFrom("mails")
        .select(["id", "kind", "recipient", "language", "content", "attempts", "useful_until as usefulUntil"])
        .where("state", "=", "waiting")
        .where("due_at", "<=", onlyUrgent ? 0 : now)
        .orderBy("due_at")
        .orderBy("id")
        .limit(1)
        .executeTakeFirst();
      if (next === undefined) return null;
      const taken = await write
        .updateTable("mails")
        .set({
          state: "sending",
          tried_at: now,
          attempts: next.attempts + 1,
          // A digest grows no more: what comes later begins another one.
          ...(DIGESTS.has(next.kind) && { once_key: null }),
        })
        .where("id", "=", next.id)
        .where("state", "=", "waiting")
        .where("content", "=", next.content)
        .executeTakeFirst();
      if (Number(taken.numUpdatedRows) === 0) return this.take(now, onlyUrgent);
      return { ...next, attempts: next.attempts + 1 };
    },

    async finish(id: number, outcome: Outcome): Promise<void> {
      const set =
        outcome.state === "sent"
          ? { state: "sent", sent_at: outcome.at, error: null, content: "", is_server_trouble: 0 }
          : {
              state: outcome.state,
              error: outcome.error.slice(0, ERROR_LENGTH),
              is_server_trouble: outcome.state === "waiting" && outcome.isServerTrouble ? 1 : 0,
              ...(outcome.state === "waiting" && { due_at: outcome.dueAt }),
            };
      await write.updateTable("mails").set(set).where("id", "=", id).where("state", "=", "sending").execute();
    },

    /** Those that a process was sending when it ended. Call it while no other process sends. */
    async interrupted(): Promise<{ id: number; times: number }[]> {
      return read
        .selectFrom("mails")
        .select(["id", "was_interrupted as times"])
        .where("state", "=", "sending")
        .limit(REMOVED_AT_ONCE)
        .execute();
    },

    async resume(id: number, { state, error }: { state: "waiting" | "failed"; error: string }) {
      await write
        .updateTable("mails")
        .set((eb) => ({ state, error, due_at: 1, was_interrupted: eb("was_interrupted", "+", 1) }))
        .where("id", "=", id)
        .where("state", "=", "sending")
        .execute();
    },

    /** The latest mail that waits because of the server. */
    async trouble(): Promise<{ error: string; triedAt: number; attempts: number } | null> {
      const row = await read
        .selectFrom("mails")
        .select(["error", "tried_at as triedAt", "attempts"])
        .where("state", "=", "waiting")
        .where("is_server_trouble", "=", 1)
        .orderBy("tried_at", "desc")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : { ...row, error: row.error ?? "", triedAt: row.triedAt ?? 0 };
    },

    /** After a success. */
    async endTrouble(): Promise<void> {
      await write
        .updateTable("mails")
        .set({ is_server_trouble: 0 })
        .where("state", "=", "waiting")
        .where("is_server_trouble", "=", 1)
        .execute();
    },

    /** At most 1,000. Returns how many. */
    removeBefore(at: number): Promise<number> {
      const old = read.selectFrom("mails").select("id").where("created_at", "<", at);
      return deleteFound(write, "mails", old.orderBy("created_at").limit(REMOVED_AT_ONCE));
    },
  };
}

export type NoticeRepository = ReturnType<typeof createNoticeRepository>;

type LinkFacts = { id: number; key: string; title: string | null; ownerId: number | null };
const MOST_MANAGERS = 20;

export function createNoticeRepository({ read }: Pick<Database, "read">) {
  return {
    async link(id: number, db: Db = read): Promise<LinkFacts | null> {
      const row = await db
        .selectFrom("links")
        .select(["id", "code as key", "title", "owner_id as ownerId"])
        .where("id", "=", id)
        .executeTakeFirst();
      return row ?? null;
    },

    /** Returns the thresholds by id, of those of at most 1,000 links that have one. */
    async thresholds(ids: readonly number[]): Promise<Map<number, number>> {
      if (ids.length === 0) return new Map();
      const rows = await read
        .selectFrom("links")
        .select(["id", "options"])
        .where("id", "in", ids)
        .where("options", "like", '%"clickThreshold":%')
        .execute();
      return new Map(rows.map(({ id, options }) => [id, JSON.parse(options!).clickThreshold as number]));
    },

    /** The owner of a folder or file. */
    async accountOf(entryId: number, db: Db = read): Promise<number | null> {
      const query = db.selectFrom("entries").select("account_id as id").where("id", "=", entryId);
      return (await query.executeTakeFirst())?.id ?? null;
    },

    async managers(teamId: number, db: Db = read): Promise<number[]> {
      const rows = await db
        .selectFrom("team_members")
        .select("account_id as id")
        .where("team_id", "=", teamId)
        .where("role", "=", "manager")
        .orderBy("account_id")
        .limit(MOST_MANAGERS)
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Shares and drop boxes that end in that time, by id, after one. */
    async ending({ from, to }: { from: number; to: number }, after: number, limit: number) {
      const rows = await read
        .selectFrom("shares")
        .innerJoin("links", "links.id", "shares.link_id")
        .select([
          "shares.link_id as linkId",
          "shares.account_id as accountId",
          "links.code as key",
          "links.title",
          "links.expires_at as endsAt",
        ])
        .where("shares.link_id", ">", after)
        .where("links.expires_at", ">", from)
        .where("links.expires_at", "<=", to)
        .orderBy("shares.link_id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, endsAt: row.endsAt ?? 0 }));
    },
  };
}
