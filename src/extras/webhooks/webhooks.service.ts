/** Requests to programs of others about what happened: see delivery.ts. */
import type { Queries } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { EventRecord, RecordEvents } from "../../lib/event.ts";
import type { Logger } from "../../lib/logger.ts";
import { createOutbound, type Outbound } from "../../lib/outbound.ts";
import type { SecretBox } from "../../lib/secret-box.ts";
import { createAttempt, payloadOf } from "./attempt.ts";
import {
  createWebhookDeliveryRepository,
  type DeliveryFilter,
  createWebhookRepository,
  createShareEndsRepository,
} from "./webhook.repository.ts";
import { createWebhookJob, openSecrets, UNREADABLE_SECRET, type WebhookTransaction } from "./delivery.ts";
import { createWebhookQueue } from "./queue.ts";
import { createShareEnds } from "./share-ends.ts";
import { type Delivery, TEST_EVENT, type Webhook } from "./webhook.ts";
import { createWebhookWriter, unknownWebhook } from "./writer.ts";
import { type WebhookEventName, webhookEventsOf } from "./webhook-events.ts";

export type Webhooks = ReturnType<typeof createWebhooks>;

type Deps = {
  database: Queries;
  changes: {
    write<T>(run: (tx: WebhookTransaction) => Promise<T>): Promise<T>;
    subscribe(topic: "webhooks", listener: () => Promise<void>): () => void;
  };
  record: RecordEvents<Db>;
  box: SecretBox;
  allowPrivate: boolean;
  /** UUID. */
  instance: string;
  codeOf(linkKey: string): string;
  count(outcome: "delivered" | "delayed" | "failed"): void;
  outbound?: Outbound;
  clock: Clock;
  logger: Logger;
};

export function createWebhooks(deps: Deps) {
  const { database, changes, instance, allowPrivate, clock } = deps;
  const repository = createWebhookRepository(database);
  const deliveries = createWebhookDeliveryRepository(database);
  const subscriptions = createSubscriptions(repository, changes);
  const shareEnds = createShareEnds({
    ...deps,
    repository: createShareEndsRepository(database),
    write: changes.write,
    isSubscribed: subscriptions.has,
  });
  const outbound =
    deps.outbound ?? createOutbound({ ports: null, ...(allowPrivate && { isAllowed: () => true }) });
  const shared = { ...deps, webhooks: repository, deliveries, write: changes.write, now: clock.now };

  async function get(id: number): Promise<Webhook> {
    return (await repository.find(id)) ?? unknownWebhook();
  }

  async function delivery(id: number, deliveryId: number): Promise<Delivery> {
    await get(id);
    return (await deliveries.find(id, deliveryId)) ?? unknownDelivery();
  }

  return {
    ...createWebhookWriter({ ...deps, repository }),
    instance,
    load: subscriptions.load,
    close: subscriptions.close,
    /** Whether a webhook subscribes to the event. */
    isAwaited(event: EventRecord): boolean {
      return !subscriptions.isEmpty() && webhookEventsOf(event).some(subscriptions.has);
    },
    downloaded: shareEnds.downloaded,
    list: () => repository.list(),
    /** @throws NotFound */
    get,

    /** Queues a test, which has one attempt. @throws NotFound, Conflict for a disabled webhook or an unreadable secret */
    async test(id: number): Promise<Delivery> {
      const webhook = await get(id);
      refuseDisabled(webhook);
      if (openSecrets(deps, webhook) === null) throw appError("Conflict", UNREADABLE_SECRET);
      return changes.write(async (tx) => {
        tx.changed("webhooks", [String(id)]);
        const made = await deliveries.queueTest(tx.db, id, TEST_EVENT, clock.now());
        return (await deliveries.find(id, made, tx.db))!;
      });
    },

    /** Queues the subscribed events since that one again. @throws NotFound, Conflict for a disabled webhook */
    async replay(id: number, from: number): Promise<Webhook> {
      return changes.write(async (tx) => {
        const before = (await repository.lock(tx.db, id)) ?? unknownWebhook();
        refuseDisabled(before);
        const newest = await deliveries.newestEvent(tx.db);
        if (from > newest) throw appError("BadRequest", `from: the newest event is ${newest}.`);
        const replayAfter = Math.min(from - 1, before.replayAfter ?? from);
        const after = { ...before, replayAfter, replayTo: newest };
        await repository.update(tx.db, after);
        tx.changed("webhooks", [String(id)]);
        return after;
      });
    },

    /** Newest first. `next`: null on the last page. @throws NotFound */
    async page(id: number, filter: DeliveryFilter, before: number | null, limit: number) {
      await get(id);
      const found = await deliveries.page(id, filter, before, limit + 1);
      const page = found.slice(0, limit);
      return { page, next: found.length > limit ? page.at(-1)!.id : null };
    },

    /** With its body; null if the event is not kept any more. @throws NotFound */
    async delivery(id: number, deliveryId: number) {
      const found = await delivery(id, deliveryId);
      const { eventId } = found;
      const event = eventId === null ? null : (await deliveries.eventsOf([eventId])).get(eventId);
      return { delivery: found, payload: event === undefined ? null : payloadOf(found, event) };
    },

    /**
     * Sends it at once, whatever became of it. @throws NotFound, Conflict for a disabled webhook, or while it is sent
     */
    async resend(id: number, deliveryId: number): Promise<Delivery> {
      refuseDisabled(await get(id));
      await changes.write(async (tx) => {
        tx.changed("webhooks", [String(id)]);
        if (await deliveries.restart(tx.db, id, { id: deliveryId }, clock.now())) return;
        if ((await deliveries.find(id, deliveryId, tx.db)) === null) unknownDelivery();
        throw appError("Conflict", "This delivery is being sent.");
      });
      return delivery(id, deliveryId);
    },

    job: createWebhookJob({
      ...shared,
      shareEnds,
      queue: createWebhookQueue(shared),
      attempt: createAttempt({ outbound, instance, now: clock.now }),
    }),
  };
}

/** The events to which enabled webhooks subscribe, current within a second. */
function createSubscriptions(
  repository: ReturnType<typeof createWebhookRepository>,
  changes: Pick<Deps["changes"], "subscribe">,
) {
  let names: ReadonlySet<WebhookEventName> = new Set();
  async function load(): Promise<void> {
    const webhooks = await repository.list();
    const enabled = webhooks.filter(({ disabledBecause }) => disabledBecause === null);
    names = new Set(enabled.flatMap(({ events }) => events));
  }
  const close = changes.subscribe("webhooks", load);
  return { load, close, isEmpty: () => names.size === 0, has: (name: WebhookEventName) => names.has(name) };
}

function refuseDisabled({ disabledBecause }: Webhook): void {
  if (disabledBecause !== null) throw appError("Conflict", "The webhook is disabled; enable it first.");
}

function unknownDelivery(): never {
  throw appError("NotFound", "There is no such delivery.");
}
