import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import {
  responseOf,
  api,
  type CreatedWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookUpdate,
} from "../base/api.ts";

const PAGE_SIZE = 50;
/** While deliveries are on their way. */
const LOOK_MS = 2_000;

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/v1/webhooks", { signal }))).data,
});

const at = ({ id }: Pick<Webhook, "id">) => ({ params: { path: { id } } });

const isOnItsWay = ({ state, due_at: due }: WebhookDelivery): boolean =>
  state === "sending" || (state === "waiting" && due !== null && Date.parse(due) <= Date.now());

export const deliveriesQuery = (webhook: Webhook, state: WebhookDelivery["state"] | "") =>
  infiniteQueryOptions({
    queryKey: ["webhooks", webhook.id, "deliveries", state],
    queryFn: async ({ signal, pageParam: cursor }) => {
      const params = { path: { id: webhook.id }, query: { cursor, limit: PAGE_SIZE, state } };
      return responseOf(api.GET("/admin/v1/webhooks/{id}/deliveries", { params, signal }));
    },
    initialPageParam: "",
    staleTime: 0,
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: ({ state: known }) =>
      known.data?.pages.some(({ data }) => data.some(isOnItsWay)) ? LOOK_MS : false,
  });

/** With the body of its request. */
export const deliveryQuery = ({ id }: Webhook, delivery: number) =>
  queryOptions({
    queryKey: ["webhooks", id, "delivery", delivery],
    queryFn: async ({ signal }) => {
      const params = { path: { id, delivery } };
      return (await responseOf(api.GET("/admin/v1/webhooks/{id}/deliveries/{delivery}", { params, signal })))
        .data;
    },
  });

type Fields = Pick<Webhook, "url" | "events">;

export const addWebhook = async (body: Fields): Promise<CreatedWebhook> =>
  (await responseOf(api.POST("/admin/v1/webhooks", { body }))).data;

export const changeWebhook = async (webhook: Webhook, body: WebhookUpdate): Promise<Webhook> =>
  (await responseOf(api.PATCH("/admin/v1/webhooks/{id}", { ...at(webhook), body }))).data;

export const rotateSecret = async (webhook: Webhook): Promise<CreatedWebhook> =>
  (await responseOf(api.POST("/admin/v1/webhooks/{id}/rotate", at(webhook)))).data;

export const removeWebhook = (webhook: Webhook): Promise<unknown> =>
  responseOf(api.DELETE("/admin/v1/webhooks/{id}", at(webhook)));

export const sendTestEvent = (webhook: Webhook): Promise<unknown> =>
  responseOf(api.POST("/admin/v1/webhooks/{id}/test", at(webhook)));

export const resendDelivery = (webhook: Webhook, delivery: number): Promise<unknown> =>
  responseOf(
    api.POST("/admin/v1/webhooks/{id}/deliveries/{delivery}/resend", {
      params: { path: { id: webhook.id, delivery } },
    }),
  );

export const replayEvents = (webhook: Webhook, from: number): Promise<unknown> =>
  responseOf(api.POST("/admin/v1/webhooks/{id}/replay", { ...at(webhook), body: { from } }));
