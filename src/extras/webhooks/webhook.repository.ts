import type { Selectable } from "kysely";
import type { Queries } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import type { DisabledBecause, Webhook, Delivery, DeliveryState, WebhookAttempt } from "./webhook.ts";
import { type WebhookEventName, ENDED } from "./webhook-events.ts";
import { deleteFound, finds } from "../../platform/db/queries.ts";
import type { StoredEvent } from "../../platform/events/event.ts";

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
    /** Returns all webhooks by id; there are few. */
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

export type WebhookDeliveryRepository = ReturnType<typeof createWebhookDeliveryRepository>;

export type DeliveryFilter = { state?: DeliveryState | undefined; event?: string | undefined };
type Queued = { webhookId: number; eventId: number; event: string };

const MOST_TRIES = 20;
const REMOVED_AT_ONCE = 1_000;

const EVENT = ["id", "at", "actor", "via", "tool", "action", "subject", "before", "after"] as const;

type Row = Selectable<Schema["webhook_deliveries"]>;

function deliveryOf(row: Row): Delivery {
  const { tried_at: _, ...shown } = row;
  const tries = JSON.parse(row.tries) as WebhookAttempt[];
  return { ...camelCased(shown), state: row.state as DeliveryState, tries };
}

const ofWebhook = (db: Db, webhookId: number) =>
  db.selectFrom("webhook_deliveries").selectAll().where("webhook_id", "=", webhookId);

export function createWebhookDeliveryRepository({ read, write, dialect }: Queries) {
  return {
    ...eventQueries({ read }),
    ...logQueries({ read, write }),

    /** Skips those of an event that is there. */
    async queue(tx: Db, queued: readonly Queued[], now: number): Promise<void> {
      const rows = queued.map(({ webhookId, eventId, event }) => ({
        ...newRow(webhookId, event, now),
        event_id: eventId,
      }));
      await dialect.insertIgnore(tx, "webhook_deliveries", ["webhook_id", "event_id"], rows);
    },

    queueTest: (tx: Db, webhookId: number, event: string, now: number): Promise<number> =>
      dialect.insertReturningId(tx, "webhook_deliveries", {
        ...newRow(webhookId, event, now),
        event_id: null,
      }),

    /** More than so many wait. */
    isFull(db: Db, webhookId: number, most: number): Promise<boolean> {
      const waiting = db.selectFrom("webhook_deliveries").select("id").where("state", "=", "waiting");
      return finds(waiting.where("webhook_id", "=", webhookId).orderBy("due_at").offset(most));
    },

    /** Those that are due, in the order in which they are, marked as being sent. */
    async take(tx: Db, webhookId: number, now: number, most: number): Promise<Delivery[]> {
      const rows = await ofWebhook(tx, webhookId)
        .where("state", "=", "waiting")
        .where("due_at", "<=", now)
        .orderBy("due_at")
        .orderBy("id")
        .limit(most)
        .$call(dialect.forUpdate)
        .execute();
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0)
        await tx
          .updateTable("webhook_deliveries")
          .set((eb) => ({ state: "sending", tried_at: now, attempts: eb("attempts", "+", 1) }))
          .where("id", "in", ids)
          .execute();
      return rows.map((row) => deliveryOf({ ...row, state: "sending", attempts: row.attempts + 1 }));
    },

    /** Which of the webhooks have deliveries that are due. */
    async withDue(webhookIds: readonly number[], now: number): Promise<number[]> {
      if (webhookIds.length === 0) return [];
      const rows = await read
        .selectFrom("webhook_deliveries")
        .select("webhook_id as id")
        .distinct()
        .where("webhook_id", "in", webhookIds)
        .where("state", "=", "waiting")
        .where("due_at", "<=", now)
        .execute();
      return rows.map(({ id }) => id);
    },

    /** No effect if it is not being sent. */
    async finish(
      tx: Db,
      { id, attempts, tries }: Delivery,
      last: WebhookAttempt,
      next: { state: "waiting" | "failed"; dueAt: number } | { state: "delivered"; at: number },
    ): Promise<void> {
      await tx
        .updateTable("webhook_deliveries")
        .set({
          state: next.state,
          attempts,
          tries: JSON.stringify([...tries, last].slice(-MOST_TRIES)),
          ...("at" in next ? { delivered_at: next.at } : { due_at: next.dueAt }),
        })
        .where("id", "=", id)
        .where("state", "=", "sending")
        .execute();
    },

    /** New ones are due at once, also when the clock was set back since. */
    async pullBack(webhookIds: readonly number[], now: number): Promise<void> {
      if (webhookIds.length === 0) return;
      await write
        .updateTable("webhook_deliveries")
        .set({ due_at: now })
        .where("webhook_id", "in", webhookIds)
        .where("state", "=", "waiting")
        .where("due_at", ">", now)
        .where("attempts", "=", 0)
        .execute();
    },

    /** At most 1,000 that a process was sending when it ended. Call it while no other process sends. */
    async interrupted(webhookIds: readonly number[]): Promise<(Delivery & { triedAt: number })[]> {
      if (webhookIds.length === 0) return [];
      const rows = await read
        .selectFrom("webhook_deliveries")
        .selectAll()
        .where("webhook_id", "in", webhookIds)
        .where("state", "=", "sending")
        .limit(REMOVED_AT_ONCE)
        .execute();
      return rows.map((row) => ({ ...deliveryOf(row), triedAt: row.tried_at ?? row.due_at }));
    },
  };
}

const newRow = (webhookId: number, event: string, now: number) => ({
  webhook_id: webhookId,
  event,
  state: "waiting",
  due_at: now,
  attempts: 0,
  tried_at: null,
  tries: "[]",
  created_at: now,
  delivered_at: null,
});

function eventQueries({ read }: Pick<Queries, "read">) {
  return {
    /** Events that wait for webhooks, oldest first. */
    pendingEvents: (limit: number): Promise<StoredEvent[]> =>
      read.selectFrom("events").select(EVENT).where("untold", "=", 1).orderBy("id").limit(limit).execute(),

    async markQueued(tx: Db, ids: readonly number[]): Promise<void> {
      if (ids.length > 0)
        await tx.updateTable("events").set({ untold: null }).where("id", "in", ids).execute();
    },

    /** Events after an id up to another, by id. */
    events: ({ after, to }: { after: number; to: number }, limit: number): Promise<StoredEvent[]> =>
      read
        .selectFrom("events")
        .select(EVENT)
        .where("id", ">", after)
        .where("id", "<=", to)
        .orderBy("id")
        .limit(limit)
        .execute(),

    /** The event of a webhook's creation; 0 if it is gone. */
    async birthOf({ id, createdAt }: { id: number; createdAt: number }, db: Db = read): Promise<number> {
      const rows = await db
        .selectFrom("events")
        .select(["id", "after"])
        .where("action", "=", "webhook.create")
        .where("at", "=", createdAt)
        .execute();
      return rows.find(({ after }) => JSON.parse(after ?? "{}").id === id)?.id ?? 0;
    },

    async eventsOf(ids: readonly number[]): Promise<Map<number, StoredEvent>> {
      if (ids.length === 0) return new Map();
      const rows = await read.selectFrom("events").select(EVENT).where("id", "in", ids).execute();
      return new Map(rows.map((row) => [row.id, row]));
    },

    async newestEvent(db: Db): Promise<number> {
      const row = await db
        .selectFrom("events")
        .select("id")
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      return row?.id ?? 0;
    },
  };
}

function logQueries({ read, write }: Pick<Queries, "read" | "write">) {
  return {
    /** Deliveries of at most 1,000 events, or one, are due at once, by a new schedule; none that is being sent. */
    async restart(
      tx: Db,
      webhookId: number,
      which: { events: readonly number[] } | { id: number },
      now: number,
    ): Promise<boolean> {
      let query = tx
        .updateTable("webhook_deliveries")
        .set({ state: "waiting", due_at: now, attempts: 0, delivered_at: null })
        .where("webhook_id", "=", webhookId)
        .where("state", "!=", "sending");
      if ("id" in which) query = query.where("id", "=", which.id);
      else query = query.where("event_id", "in", which.events);
      return (await query.executeTakeFirst()).numUpdatedRows > 0n;
    },

    async find(webhookId: number, id: number, db: Db = read): Promise<Delivery | null> {
      const row = await ofWebhook(db, webhookId).where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : deliveryOf(row);
    },

    /** Newest first, below an id. */
    async page(
      webhookId: number,
      { state, event }: DeliveryFilter,
      before: number | null,
      limit: number,
    ): Promise<Delivery[]> {
      let query = ofWebhook(read, webhookId);
      if (state !== undefined) query = query.where("state", "=", state);
      if (event !== undefined) query = query.where("event", "=", event);
      if (before !== null) query = query.where("id", "<", before);
      return (await query.orderBy("id", "desc").limit(limit).execute()).map(deliveryOf);
    },

    /** At most 1,000. Returns how many. */
    removeBefore(at: number): Promise<number> {
      const old = read.selectFrom("webhook_deliveries").select("id").where("created_at", "<", at);
      const found = old.orderBy("created_at").limit(REMOVED_AT_ONCE);
      return deleteFound(write, "webhook_deliveries", found);
    },
  };
}

export type ShareEndsRepository = ReturnType<typeof createShareEndsRepository>;

type EndedShare = { linkId: number; key: string; title: string | null; endedAt: number };

export function createShareEndsRepository({ read }: Pick<Queries, "read">) {
  return {
    /** Shares and drop boxes that expired in that time, after a link, by time and link. */
    async expired(
      { after, to }: { after: { endedAt: number; linkId: number }; to: number },
      limit: number,
    ): Promise<EndedShare[]> {
      const rows = await read
        .selectFrom("links")
        .innerJoin("shares", "shares.link_id", "links.id")
        .select(["links.id as linkId", "links.code as key", "links.title", "links.expires_at as endedAt"])
        .where("links.expires_at", ">=", after.endedAt)
        .where("links.expires_at", "<=", to)
        .where((eb) => eb.or([eb("links.expires_at", ">", after.endedAt), eb("links.id", ">", after.linkId)]))
        .orderBy("links.expires_at")
        .orderBy("links.id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, endedAt: row.endedAt ?? 0 }));
    },

    /** The end was recorded with that state. */
    isNotified: (db: Db, linkId: number, after: object): Promise<boolean> =>
      finds(
        db
          .selectFrom("events")
          .select("id")
          .where("subject_id", "=", linkId)
          .where("action", "=", ENDED)
          .where("after", "=", JSON.stringify(after)),
      ),
  };
}
