import type { Selectable } from "kysely";
import type { Queries } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import type { DisabledBecause, Webhook } from "./webhook.ts";
import type { WebhookEventName } from "./webhook-events.ts";

export type WebhookRepository = ReturnType<typeof createWebhookRepository>;

export type NewWebhook = Omit<Webhook, "id">;

const webhookOf = (row: Selectable<Schema["webhooks"]>): Webhook => ({
  ...camelCased(row),
  events: row.events.split(" ") as WebhookEventName[],
  disabledBecause: row.disabled_because as DisabledBecause | null,
});

const rowOf = (webhook: NewWebhook) => ({ ...snakeCased(webhook), events: webhook.events.join(" ") });

export function createWebhookRepository({ read, dialect }: Pick<Queries, "read" | "dialect">) {
  const selected = (db: Db) => db.selectFrom("webhooks").selectAll();
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
