import type { Queries } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import type { DisabledBecause, Webhook } from "./webhook.ts";
import type { WebhookEventName } from "./webhook-events.ts";

export type WebhookRepository = ReturnType<typeof createWebhookRepository>;

export type NewWebhook = Omit<Webhook, "id">;

const COLUMNS = [
  "id",
  "url",
  "events",
  "secret",
  "previous_secret as previousSecret",
  "previous_until as previousUntil",
  "disabled_because as disabledBecause",
  "failing_since as failingSince",
  "paused_until as pausedUntil",
  "replay_after as replayAfter",
  "replay_to as replayTo",
  "created_at as createdAt",
  "updated_at as updatedAt",
] as const;

type Row = Omit<Webhook, "events" | "disabledBecause"> & { events: string; disabledBecause: string | null };

const webhookOf = (row: Row): Webhook => ({
  ...row,
  events: row.events.split(" ") as WebhookEventName[],
  disabledBecause: row.disabledBecause as DisabledBecause | null,
});

const rowOf = (webhook: NewWebhook) => ({
  url: webhook.url,
  events: webhook.events.join(" "),
  secret: webhook.secret,
  previous_secret: webhook.previousSecret,
  previous_until: webhook.previousUntil,
  disabled_because: webhook.disabledBecause,
  failing_since: webhook.failingSince,
  paused_until: webhook.pausedUntil,
  replay_after: webhook.replayAfter,
  replay_to: webhook.replayTo,
  created_at: webhook.createdAt,
  updated_at: webhook.updatedAt,
});

export function createWebhookRepository({ read, dialect }: Pick<Queries, "read" | "dialect">) {
  const selected = (db: Db) => db.selectFrom("webhooks").select(COLUMNS);
  return {
    /** By id. There are few. */
    async list(db: Db = read): Promise<Webhook[]> {
      return (await selected(db).orderBy("id").execute()).map(webhookOf);
    },

    async find(id: number): Promise<Webhook | null> {
      const row = await selected(read).where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : webhookOf(row);
    },

    /** Locked until the transaction ends. */
    async lock(tx: Db, id: number): Promise<Webhook | null> {
      const row = await selected(tx).where("id", "=", id).$call(dialect.forUpdate).executeTakeFirst();
      return row === undefined ? null : webhookOf(row);
    },

    insert: (tx: Db, webhook: NewWebhook): Promise<number> =>
      dialect.insertReturningId(tx, "webhooks", rowOf(webhook)),

    async update(tx: Db, { id, ...webhook }: Webhook): Promise<void> {
      await tx.updateTable("webhooks").set(rowOf(webhook)).where("id", "=", id).execute();
    },

    async remove(tx: Db, id: number): Promise<void> {
      await tx.deleteFrom("webhooks").where("id", "=", id).execute();
    },
  };
}
