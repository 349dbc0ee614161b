import type { Selectable } from "kysely";
import type { Queries } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { finds } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { camelCased } from "../../lib/case-names.ts";
import type { MailContent, MailState, Recipient, StoredMail } from "./mail.ts";

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
