/** A webhook and its deliveries: entities, inputs and views. */
import type { RowFields } from "../../platform/db/schema.ts";
import { z } from "zod";
import { createView } from "../../lib/case-names.ts";
import { cursorQuery } from "../../lib/cursor.ts";
import { HTTP_URL_FORM } from "../../lib/http-url.ts";
import { namedObject } from "../../lib/named-object.ts";
import { queryText } from "../../lib/query-text.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { WEBHOOK_EVENT_NAMES, type WebhookEventName } from "./webhook-events.ts";
import { createHmac, randomBytes } from "node:crypto";

/**
 * Why it gets nothing: an administrator disabled it, the receiver responded with 410, or all attempts of days failed.
 */
/** Base64 of 24 to 64 bytes. */
const SECRET_FORM = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
const REASONS = ["requested", "gone", "failing"] as const;
export type DisabledBecause = (typeof REASONS)[number];

export const DELIVERY_STATES = ["waiting", "sending", "delivered", "failed"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The event of a test delivery. */
export const TEST_EVENT = "webhook.test";

export type Webhook = RowFields<
  "webhooks",
  { events: readonly WebhookEventName[]; disabledBecause: DisabledBecause | null }
>;

/** `response`: the beginning of its body as text; absent of attempts before it was kept, null without one. */
export type WebhookAttempt = {
  at: number;
  ms: number;
  status: number | null;
  error: string | null;
  response?: string | null;
};

export type Delivery = Omit<
  RowFields<"webhook_deliveries", { state: DeliveryState; tries: readonly WebhookAttempt[] }>,
  "triedAt"
>;

/** The purpose of sealed secrets. */
export const SECRET_PURPOSE = "webhook";

const MASK = "[REDACTED]";
const MOST_URL = 2_000;

export const createWebhookSchema = namedObject("NewWebhook", {
  url: z
    .string()
    .max(MOST_URL)
    .describe("http or https URL that takes the requests")
    .meta({ ...HTTP_URL_FORM, maxLength: MOST_URL }),
  events: z
    .array(z.enum(WEBHOOK_EVENT_NAMES))
    .min(1, "must have at least one event")
    .max(WEBHOOK_EVENT_NAMES.length)
    .describe("the events that are sent to it"),
  secret: z
    .string()
    .regex(SECRET_FORM, "must be whsec_ and the Base64 of 24 to 64 bytes")
    .optional()
    .describe("whsec_ and the Base64 of 24 to 64 bytes; a random one when absent"),
});
export type CreateWebhook = z.output<typeof createWebhookSchema>;

export const updateWebhookSchema = createWebhookSchema.partial().extend({
  enabled: z.boolean().optional().describe("a disabled webhook gets no new deliveries"),
});
updateWebhookSchema.register(z.globalRegistry, { id: "WebhookUpdate" });
export type UpdateWebhook = z.output<typeof updateWebhookSchema>;

export const replaySchema = namedObject("WebhookReplay", {
  from: z.int().min(1).describe("id of the first event that is sent again, as data.id of its payload"),
});

export const webhookView = namedObject("Webhook", {
  id: z.int(),
  url: z.string(),
  events: z.array(z.enum(WEBHOOK_EVENT_NAMES)),
  secret: z.string().describe("masked"),
  enabled: z.boolean(),
  disabled_reason: z
    .enum(REASONS)
    .nullable()
    .describe(
      "requested: by a request. gone: it answered 410. failing: every attempt of three days has failed.",
    ),
  failing_since: z.iso.datetime().nullable().describe("no attempt has succeeded since then"),
  paused_until: z.iso.datetime().nullable().describe("Retry-After of its response; nothing is sent before"),
  previous_secret_until: z.iso.datetime().nullable().describe("until then the previous secret signs too"),
  replaying_from: z.int().nullable().describe("next event that is queued again"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const createdWebhookView = webhookView.extend({
  secret: z.string().describe("whsec_ and Base64; shown only here"),
});
createdWebhookView.register(z.globalRegistry, { id: "CreatedWebhook" });

/** The host of the URL, for events: paths often have secrets. */
export const receiverOf = (url: string): string => URL.parse(url)?.host ?? "";

/** A webhook as events show it. */
export const webhookState = ({ id, url, events, disabledBecause }: Webhook) => ({
  id,
  url: `${URL.parse(url)?.origin ?? ""}/…`,
  events,
  enabled: disabledBecause === null,
  ...(disabledBecause !== null && { reason: disabledBecause }),
});

const time = (at: number | null): string | null => (at === null ? null : formatRfc3339(at));
const viewFields = createView(webhookView);

export const viewWebhook = (webhook: Webhook, now: number) =>
  viewFields({
    ...webhook,
    events: [...webhook.events],
    secret: MASK,
    enabled: webhook.disabledBecause === null,
    disabledReason: webhook.disabledBecause,
    failingSince: time(webhook.failingSince),
    pausedUntil: time(later(webhook.pausedUntil, now)),
    previousSecretUntil: time(later(webhook.previousUntil, now)),
    replayingFrom: webhook.replayAfter === null ? null : webhook.replayAfter + 1,
  });

const later = (at: number | null, now: number): number | null => (at !== null && at > now ? at : null);

const attemptView = namedObject("WebhookAttempt", {
  at: z.iso.datetime(),
  duration_ms: z.int(),
  status: z.int().nullable().describe("of the response; null without one"),
  error: z.string().nullable().describe("why it failed"),
  response: z.string().nullable().describe("the beginning of the response's body, as text; null without one"),
});

export const deliveryView = namedObject("WebhookDelivery", {
  id: z.int(),
  event: z.string().describe("such as link.created, or webhook.test"),
  event_id: z.int().nullable().describe("null: a test"),
  message_id: z.string().describe("header webhook-id; the same in every attempt, resend and replay"),
  state: z.enum(DELIVERY_STATES),
  attempts: z.int().describe("since it was queued, or sent again by request"),
  recent_attempts: z.array(attemptView).describe("at most 20, oldest first"),
  created_at: z.iso.datetime(),
  due_at: z.iso.datetime().nullable().describe("next attempt, of one that waits"),
  delivered_at: z.iso.datetime().nullable(),
});

export const sentDeliveryView = deliveryView.extend({
  payload: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("the body; null if its event is not kept any more"),
});
sentDeliveryView.register(z.globalRegistry, { id: "SentWebhookDelivery" });

const viewAttempt = createView(attemptView);
const viewOfDelivery = createView(deliveryView);

export const viewDelivery = (delivery: Delivery, instance: string) =>
  viewOfDelivery({
    ...delivery,
    messageId: messageIdOf(delivery, instance),
    recentAttempts: delivery.tries.map(({ ms, response = null, ...attempt }) =>
      viewAttempt({ ...attempt, response, durationMs: ms }),
    ),
    dueAt: delivery.state === "waiting" ? delivery.dueAt : null,
  });

/** @param instance UUID: receivers may hear several instances */
export const messageIdOf = ({ id, eventId }: Pick<Delivery, "id" | "eventId">, instance: string): string =>
  `${eventId === null ? "test" : "evt"}_${instance.slice(0, 8)}_${eventId ?? id}`;

export const deliveryQuery = z.object({
  ...cursorQuery,
  state: z.enum(["", ...DELIVERY_STATES], `must be one of ${DELIVERY_STATES.join(", ")}`).optional(),
  event: queryText(32).optional().describe("such as link.created"),
});

const PREFIX = "whsec_";
const NEW_BYTES = 32;

const BYTES = { least: 24, most: 64 };

export const newSecret = (): string => PREFIX + randomBytes(NEW_BYTES).toString("base64");

export function isSecret(text: string): boolean {
  const { length } = keyOf(text);
  return SECRET_FORM.test(text) && length >= BYTES.least && length <= BYTES.most;
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), "base64");

type Message = { id: string; body: string };

/** @param now epoch milliseconds @param secrets one signature each */
export function signedHeaders({ id, body }: Message, secrets: readonly string[], now: number) {
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = secrets.map((secret) => {
    const mac = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${mac.digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
