import { z } from "zod";
import {
  actorOf,
  CursorPage,
  type Endpoint,
  endpoint,
  type HttpContext,
} from "../../platform/http/endpoint.ts";
import { cursorText, limitOf, placeOf } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import {
  createdWebhookView,
  createWebhookSchema,
  deliveryQuery,
  deliveryView,
  replaySchema,
  sentDeliveryView,
  updateWebhookSchema,
  viewDelivery,
  viewWebhook,
  type Webhook,
  webhookView,
} from "./webhook.ts";
import type { Webhooks } from "./webhooks.service.ts";

/** Relative to {admin}/v1. */
export function webhookEndpoints({ webhooks, now }: { webhooks: Webhooks; now(): number }): Endpoint[] {
  const shared = { access: "admin", scope: "admin", tag: "webhooks", response: webhookView } as const;
  const view = (webhook: Webhook) => viewWebhook(webhook, now());
  const withSecret = ({ webhook, secret }: { webhook: Webhook; secret: string }) => ({
    ...view(webhook),
    secret,
  });
  return [
    endpoint("GET /webhooks", {
      ...shared,
      summary: "List the webhooks",
      response: z.array(webhookView),
      handle: async () => (await webhooks.list()).map(view),
    }),
    endpoint("POST /webhooks", {
      ...shared,
      summary: "Add a webhook; only this response contains its secret",
      body: createWebhookSchema,
      response: createdWebhookView,
      failures: [409],
      status: 201,
      handle: async ({ body, account }) => withSecret(await webhooks.create(body, actorOf(account))),
    }),
    endpoint("GET /webhooks/:id", {
      ...shared,
      summary: "One webhook",
      handle: async ({ c }) => view(await webhooks.get(idOf(c))),
    }),
    endpoint("PATCH /webhooks/:id", {
      ...shared,
      summary: "Change the given fields; for a day the previous secret signs beside a new one",
      body: updateWebhookSchema,
      handle: async ({ c, body, account }) => view(await webhooks.update(idOf(c), body, actorOf(account))),
    }),
    endpoint("DELETE /webhooks/:id", {
      ...shared,
      summary: "Delete a webhook and what waits for it",
      done: "The webhook was deleted.",
      handle: ({ c, account }) => webhooks.remove(idOf(c), actorOf(account)),
    }),
    endpoint("POST /webhooks/:id/rotate", {
      ...shared,
      summary: "Make a new secret, which only this response contains; for a day the previous one signs too",
      response: createdWebhookView,
      handle: async ({ c, account }) => withSecret(await webhooks.rotate(idOf(c), actorOf(account))),
    }),
    ...deliveryEndpoints(webhooks, view),
  ];
}

function deliveryEndpoints(webhooks: Webhooks, view: (webhook: Webhook) => unknown): Endpoint[] {
  const shared = { access: "admin", scope: "admin", tag: "webhooks", response: deliveryView } as const;
  const params = { delivery: z.int().min(1) };
  const show = (delivery: Parameters<typeof viewDelivery>[0]) => viewDelivery(delivery, webhooks.instance);
  return [
    endpoint("POST /webhooks/:id/test", {
      ...shared,
      summary: "Send an event webhook.test, once",
      failures: [409],
      status: 201,
      handle: async ({ c }) => show(await webhooks.test(idOf(c))),
    }),
    endpoint("POST /webhooks/:id/replay", {
      ...shared,
      summary: "Send all events of the webhook again, from one on",
      body: replaySchema,
      response: webhookView,
      failures: [409],
      handle: async ({ c, body }) => view(await webhooks.replay(idOf(c), body.from)),
    }),
    endpoint("GET /webhooks/:id/deliveries", {
      ...shared,
      summary: "What was sent in the last 30 days, what waits and what failed, newest first",
      query: deliveryQuery,
      response: z.array(deliveryView),
      paged: "cursor",
      async handle({ c, query: { cursor, limit, state, event } }) {
        const filter = { state: state || undefined, event: event || undefined };
        const place = placeOf(z.int(), cursor);
        const { page, next } = await webhooks.page(idOf(c), filter, place, limitOf(limit));
        return new CursorPage(page.map(show), next === null ? null : cursorText(next));
      },
    }),
    endpoint("GET /webhooks/:id/deliveries/:delivery", {
      ...shared,
      summary: "One delivery, with its body",
      params,
      response: sentDeliveryView,
      async handle({ c }) {
        const { delivery, payload } = await webhooks.delivery(idOf(c), deliveryIdOf(c));
        return { ...show(delivery), payload };
      },
    }),
    endpoint("POST /webhooks/:id/deliveries/:delivery/resend", {
      ...shared,
      summary: "Send a delivery again at once, whatever became of it",
      params,
      failures: [409],
      handle: async ({ c }) => show(await webhooks.resend(idOf(c), deliveryIdOf(c))),
    }),
  ];
}

const idOf = (c: HttpContext): number => idParameter(c, "NotFound", "There is no such webhook.");

function deliveryIdOf(c: HttpContext): number {
  const text = c.req.param("delivery") ?? "";
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw appError("NotFound", "There is no such delivery.");
}
