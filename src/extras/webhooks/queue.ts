/**
 * Events become deliveries. An event waits since its own transaction, so none is lost; if a webhook's queue is full, the
 * event is queued later, like one that is replayed.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { StoredEvent } from "../../platform/events/event.ts";
import type { WebhookDeliveryRepository, WebhookRepository } from "./webhook.repository.ts";
import type { Webhook } from "./webhook.ts";
import { ENDED, type WebhookEventName, webhookEventsOf } from "./webhook-events.ts";

/** The limit for one webhook. */
const MOST_WAITING = 100_000;
/** Events in one transaction. */
const PORTION = 500;
/**
 * Processes mark no events for a webhook before they hear of it: within seconds, or after the database was away. So looks
 * come ever more rarely, after a tenth of the webhook's age.
 */
const NEW_MS = 24 * 3_600_000;
const LOOK_AGAIN_MS = 5_000;
const MOST_PORTIONS = 20;

type Deps = {
  webhooks: WebhookRepository;
  deliveries: WebhookDeliveryRepository;
  write<T>(run: (tx: { readonly db: Db }) => Promise<T>): Promise<T>;
  mostWaiting?: number;
  now(): number;
};

const namesOf = ({ action, before, after }: StoredEvent): WebhookEventName[] =>
  webhookEventsOf({ action, before: parsed(before), after: parsed(after) });

const parsed = (text: string | null): object | null => (text === null ? null : JSON.parse(text));

export function createWebhookQueue({ webhooks, deliveries, write, mostWaiting = MOST_WAITING, now }: Deps) {
  const isFull = (db: Db, id: number) => deliveries.isFull(db, id, mostWaiting);

  /**
   * Rows of events after that one. Ids say what was before a webhook, because clocks differ and may be set back; but the
   * end of a share is recorded later than it was.
   */
  const deliveriesFor = ({ id, events, createdAt }: Webhook, stored: readonly StoredEvent[], after: number) =>
    stored.flatMap((event) => {
      const name = namesOf(event).find((one) => events.includes(one));
      const isBefore = event.id <= after || (after > 0 && event.action === ENDED && event.at < createdAt);
      if (name === undefined || isBefore) return [];
      return [{ webhookId: id, eventId: event.id, event: name }];
    });

  /** Returns whether there may be more. */
  async function queueNew(): Promise<boolean> {
    const events = await deliveries.pendingEvents(PORTION);
    if (events.length === 0) return false;
    await write(async ({ db }) => {
      const enabled = (await webhooks.list(db)).filter(({ disabledBecause }) => disabledBecause === null);
      for (const webhook of enabled) {
        const queued = deliveriesFor(webhook, events, await deliveries.birthOf(webhook, db));
        if (queued.length === 0) continue;
        if (await isFull(db, webhook.id)) await postpone(db, webhook.id, queued);
        else await deliveries.queue(db, queued, now());
      }
      const ids = events.map(({ id }) => id);
      await deliveries.markQueued(db, ids);
    });
    return events.length === PORTION;
  }

  const lookedAt = new Map<number, number>();

  /**
   * Events since a webhook was made, of processes that did not know it. What is queued already stays as it is. Not for
   * one that was changed: it may have been disabled, or had other events.
   */
  async function queueUnmarked(webhook: Webhook): Promise<void> {
    const { id, createdAt, updatedAt } = webhook;
    const age = now() - createdAt;
    if (age < 0 || age > NEW_MS || updatedAt !== createdAt) return void lookedAt.delete(id);
    if (now() - (lookedAt.get(id) ?? 0) < Math.max(LOOK_AGAIN_MS, age / 10)) return;
    const birth = await deliveries.birthOf(webhook);
    let isMore = birth > 0;
    for (let after = birth, portions = 0; isMore && portions < MOST_PORTIONS; portions++) {
      const events = await deliveries.events({ after, to: Number.MAX_SAFE_INTEGER }, PORTION);
      const queued = deliveriesFor(webhook, events, birth);
      if (queued.length > 0)
        await write(async ({ db }) => {
          if (!(await isFull(db, id))) await deliveries.queue(db, queued, now());
        });
      isMore = events.length === PORTION;
      after = events.at(-1)?.id ?? after;
    }
    lookedAt.set(id, now());
  }

  async function postpone(db: Db, id: number, waiting: readonly { eventId: number }[]): Promise<void> {
    const webhook = await webhooks.lock(db, id);
    if (webhook === null) return;
    const [first, last] = [waiting[0]!.eventId, waiting.at(-1)!.eventId];
    const replayAfter = Math.min(first - 1, webhook.replayAfter ?? first);
    await webhooks.update(db, { ...webhook, replayAfter, replayTo: Math.max(last, webhook.replayTo ?? 0) });
  }

  /** A portion of what is replayed. Returns whether there is more. */
  async function queueAgain({ id, replayAfter: after, replayTo: to }: Webhook): Promise<boolean> {
    if (after === null || to === null) return false;
    const events = await deliveries.events({ after, to }, PORTION);
    return write(async ({ db }) => {
      const webhook = await webhooks.lock(db, id);
      if (webhook === null || webhook.replayAfter !== after || webhook.replayTo !== to)
        return webhook !== null;
      if (await isFull(db, id)) return false;
      const queued = deliveriesFor(webhook, events, 0);
      if (queued.length > 0) {
        const ids = queued.map(({ eventId }) => eventId);
        await deliveries.restart(db, id, { events: ids }, now());
        await deliveries.queue(db, queued, now());
      }
      const isLast = events.length < PORTION;
      const rest = isLast ? { replayAfter: null, replayTo: null } : { replayAfter: events.at(-1)!.id };
      await webhooks.update(db, { ...webhook, ...rest });
      return !isLast;
    });
  }

  return { queueNew, queueUnmarked, queueAgain };
}
