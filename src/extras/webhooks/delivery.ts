/**
 * The job that sends what waits, on one process at a time. Each webhook has its own requests, so a slow receiver delays
 * no other one. A delivery is marked before its request, so a process that dies leaves attempts of which nobody knows
 * whether they arrived; they count, and the next one follows by the schedule.
 */
import type { Db } from "../../platform/db/dialect.ts";
import { retryUntilAvailable } from "../../platform/db/retry-until-available.ts";
import { SYSTEM } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import type { EventRecord, RecordEvents } from "../../lib/event.ts";
import { fault } from "../../lib/fault.ts";
import type { Logger } from "../../lib/logger.ts";
import { rest } from "../../lib/rest.ts";
import { SealedWithAnotherKey, type SecretBox } from "../../lib/secret-box.ts";
import { type MadeAttempt, type createAttempt, pauseAfter } from "./attempt.ts";
import type { WebhookDeliveryRepository, WebhookRepository } from "./webhook.repository.ts";
import type { createWebhookQueue } from "./queue.ts";
import type { createShareEnds } from "./share-ends.ts";
import { untilStopped } from "../../lib/until-stopped.ts";
import {
  type Delivery,
  type DisabledBecause,
  receiverOf,
  SECRET_PURPOSE,
  webhookState,
  type Webhook,
} from "./webhook.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
/** How long the log keeps a delivery. */
const KEPT_MS = 30 * DAY;
/** A look for new events; only while there are webhooks. */
const LOOK_MS = 500;
const RUN_MS = 5 * MINUTE;
const [EVERY_MS, AGAIN_MS] = [15_000, 1_000];
/** Requests to one receiver. */
const AT_ONCE = 8;
/** Requests have so long when the process stops; then they count as interrupted. */
const STOP_MS = 3_000;
const DISABLED_AFTER_MS = 3 * DAY;
const INTERRUPTED = "Waymark ended during this attempt. Nobody knows whether it arrived.";
const EVENT_GONE = "The event is not kept any more; see events.retention_days.";
export const UNREADABLE_SECRET =
  "The secret can't be read, because this node has another secret key than the one that sealed it. Put the right key back; 'waymark doctor' says where.";

export type WebhookTransaction = {
  readonly db: Db;
  changed(topic: "webhooks", ids: readonly string[]): void;
};

type Deps = {
  webhooks: WebhookRepository;
  deliveries: WebhookDeliveryRepository;
  queue: ReturnType<typeof createWebhookQueue>;
  shareEnds: Pick<ReturnType<typeof createShareEnds>, "look">;
  attempt: ReturnType<typeof createAttempt>;
  box: SecretBox;
  write<T>(run: (tx: WebhookTransaction) => Promise<T>): Promise<T>;
  record: RecordEvents<Db>;
  count(outcome: "delivered" | "delayed" | "failed"): void;
  clock: Clock;
  logger: Pick<Logger, "warn">;
};

export function createWebhookJob(deps: Deps) {
  const { webhooks, deliveries, queue, shareEnds, write, clock, logger } = deps;
  const send = createSender(deps);
  let endedAt = 0;

  async function resume(known: readonly Webhook[]): Promise<void> {
    const ids = known.map(({ id }) => id);
    await deliveries.pullBack(ids, clock.now());
    for (const delivery of await deliveries.interrupted(ids)) {
      const { triedAt: at, attempts } = delivery;
      const pause = pauseAfter(delivery);
      const last = { at, ms: 0, status: null, error: INTERRUPTED };
      // The last one is repeated: each event is sent at least once.
      const again = pause === null ? { ...delivery, attempts: attempts - 1 } : delivery;
      await write(({ db }) =>
        deliveries.finish(db, again, last, { state: "waiting", dueAt: at + (pause ?? 0) }),
      );
    }
  }

  async function queueAll(enabled: readonly Webhook[], signal: AbortSignal): Promise<void> {
    const ends = enabled.filter(({ events }) => events.includes("share.ended"));
    if (ends.length > 0) await shareEnds.look(Math.min(...ends.map(({ createdAt }) => createdAt)), signal);
    for (let isMore = await queue.queueNew(); isMore && !signal.aborted; ) isMore = await queue.queueNew();
    for (const webhook of enabled) {
      await queue.queueUnmarked(webhook);
      if (webhook.replayAfter !== null) await queue.queueAgain(webhook);
    }
  }

  async function run(signal: AbortSignal, stopping = signal): Promise<void> {
    const until = clock.now() + RUN_MS;
    await resume(await webhooks.list());
    const busy = new Map<number, Promise<void>>();
    try {
      await sendUntil({ until, signal, stopping }, busy);
    } finally {
      // The next run resumes what is under way, so none may be.
      await untilStopped(Promise.all(busy.values()), STOP_MS, stopping);
    }
    while (!signal.aborted && (await deliveries.removeBefore(clock.now() - KEPT_MS)) > 0)
      await rest(25, signal);
    endedAt = clock.now();
  }

  async function sendUntil(bounds: Run, busy: Map<number, Promise<void>>): Promise<void> {
    const { until, signal } = bounds;
    // A clock that is set back ends the run, too.
    const isTime = (now: number) => now < until && until - now <= RUN_MS;
    for (let now = clock.now(); !signal.aborted && isTime(now); now = clock.now()) {
      const enabled = (await webhooks.list()).filter(({ disabledBecause }) => disabledBecause === null);
      await queueAll(enabled, signal);
      const idle = enabled.filter(({ id, pausedUntil }) => !busy.has(id) && (pausedUntil ?? 0) <= now);
      const ids = idle.map(({ id }) => id);
      for (const id of await deliveries.withDue(ids, now)) {
        const sending = send(id, bounds)
          .catch((err: unknown) => logger.warn({ webhook: id, err }, "deliveries of a webhook failed"))
          .finally(() => busy.delete(id));
        busy.set(id, sending);
      }
      if (enabled.length === 0 && busy.size === 0) break;
      await rest(LOOK_MS, signal);
    }
  }

  return {
    name: "webhooks",
    /** This process goes on at once, unless there is nothing to send. */
    everyMs: () => (clock.now() - endedAt < 2 * AGAIN_MS ? AGAIN_MS : EVERY_MS),
    run,
  };
}

type Run = {
  /** The time of the clock at which it ends. */
  until: number;
  signal: AbortSignal;
  stopping: AbortSignal;
};

type Sent = { delivery: Delivery; attempt: MadeAttempt; isFinal: boolean };

/** The secrets that sign now; null if another key has sealed them. */
export function openSecrets(
  { box, clock }: Pick<Deps, "box" | "clock">,
  { secret, previousSecret, previousUntil }: Webhook,
): string[] | null {
  const sealed = [
    secret,
    ...(previousSecret !== null && (previousUntil ?? 0) > clock.now() ? [previousSecret] : []),
  ];
  try {
    return sealed.map((one) => box.open(one, SECRET_PURPOSE));
  } catch (error) {
    if (error instanceof SealedWithAnotherKey) return null;
    throw error;
  }
}

/** Sends what is due, in portions, until nothing is. */
function createSender(deps: Deps) {
  const { webhooks, deliveries, attempt, write, record, count, clock } = deps;

  async function sendAll(webhook: Webhook, taken: readonly Delivery[]): Promise<Sent[]> {
    const secrets = openSecrets(deps, webhook);
    const events = await deliveries.eventsOf(taken.flatMap(({ eventId }) => eventId ?? []));
    return Promise.all(
      taken.map(async (delivery) => {
        const event = delivery.eventId === null ? null : events.get(delivery.eventId);
        const isFinal = pauseAfter(delivery) === null;
        if (event === undefined) return { delivery, attempt: unsent(EVENT_GONE), isFinal: true };
        if (secrets === null) return { delivery, attempt: unsent(UNREADABLE_SECRET), isFinal };
        const made = await attempt({ webhook, delivery, event }, secrets);
        fault("webhook-sent");
        return { delivery, attempt: made, isFinal: isFinal || made.isGone };
      }),
    );
  }

  const unsent = (error: string): MadeAttempt => ({
    at: clock.now(),
    ms: 0,
    status: null,
    error,
    isGone: false,
    retryAfterMs: 0,
  });

  async function finish(db: Db, { delivery, attempt: made, isFinal }: Sent): Promise<void> {
    const { isGone: _, retryAfterMs, ...last } = made;
    const now = clock.now();
    if (last.error === null) return deliveries.finish(db, delivery, last, { state: "delivered", at: now });
    if (isFinal) return deliveries.finish(db, delivery, last, { state: "failed", dueAt: now });
    const dueAt = now + Math.max(pauseAfter(delivery) ?? 0, retryAfterMs);
    return deliveries.finish(db, delivery, last, { state: "waiting", dueAt });
  }

  /** The webhook after the attempts, which may disable or pause it. */
  function afterAttempts(webhook: Webhook, sent: readonly Sent[]): Webhook {
    const now = clock.now();
    const waitMs = Math.max(...sent.map(({ attempt: { retryAfterMs } }) => retryAfterMs));
    const isWell = sent.some(({ attempt: { error } }) => error === null);
    const failingSince = isWell ? null : (webhook.failingSince ?? sent[0]!.attempt.at);
    const isFailing =
      failingSince !== null &&
      now - failingSince >= DISABLED_AFTER_MS &&
      sent.some(({ isFinal, delivery }) => isFinal && delivery.eventId !== null);
    const isGone = sent.some(({ attempt: made }) => made.isGone);
    const because: DisabledBecause | null = isGone ? "gone" : isFailing ? "failing" : null;
    return {
      ...webhook,
      failingSince,
      pausedUntil: waitMs > 0 ? now + waitMs : webhook.pausedUntil,
      disabledBecause: webhook.disabledBecause ?? because,
    };
  }

  async function sendPortion(webhook: Webhook, stopping: AbortSignal): Promise<boolean> {
    const { id } = webhook;
    const taken = await write(({ db }) => deliveries.take(db, id, clock.now(), AT_ONCE));
    if (taken.length === 0) return false;
    fault("webhook-taken");
    const sent = await sendAll(webhook, taken);
    fault("webhook-answered");
    const note = async (tx: WebhookTransaction) => {
      const before = await webhooks.lock(tx.db, id);
      for (const one of sent) await finish(tx.db, one);
      if (before === null) return;
      const after = afterAttempts(before, sent);
      if (Bun.deepEquals(before, after)) return;
      await webhooks.update(tx.db, after);
      if (before.disabledBecause === after.disabledBecause) return;
      tx.changed("webhooks", [String(id)]);
      await record(tx.db, [disabledEvent(after, clock.now())]);
    };
    // Else the receiver would get them again after an outage.
    await retryUntilAvailable(() => write(note), stopping);
    for (const { attempt: made, isFinal } of sent)
      count(made.error === null ? "delivered" : isFinal ? "failed" : "delayed");
    return true;
  }

  return async (id: number, { signal, until, stopping }: Run): Promise<void> => {
    while (!signal.aborted && clock.now() < until) {
      const webhook = await webhooks.find(id);
      if (webhook === null || webhook.disabledBecause !== null) return;
      if ((webhook.pausedUntil ?? 0) > clock.now() || !(await sendPortion(webhook, stopping))) return;
    }
  };
}

const disabledEvent = (webhook: Webhook, at: number): EventRecord => ({
  at,
  actor: SYSTEM,
  action: "webhook.disable",
  subject: receiverOf(webhook.url),
  subjectId: null,
  after: webhookState(webhook),
});
