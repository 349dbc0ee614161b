/** A receiver of webhooks on loopback that verifies them as the official library does. */
import { Webhook } from "standardwebhooks";

export type Heard = {
  id: string;
  type: string;
  data: { id: number; subject: string; after?: Record<string, unknown> };
};

export type WebhookReceiver = ReturnType<typeof startReceiver>;

/** `secret` is that of the webhook, and `heard` what came since it was emptied. */
export function startReceiver() {
  const receiver = {
    secret: "",
    heard: [] as Heard[],
    url: "",
    stop: () => server.stop(true),
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const verified = new Webhook(receiver.secret).verify(
        await request.text(),
        Object.fromEntries(request.headers),
      );
      receiver.heard.push({
        id: request.headers.get("webhook-id")!,
        ...(verified as Omit<Heard, "id">),
      });
      return new Response(null, { status: 204 });
    },
  });
  receiver.url = `http://127.0.0.1:${server.port}/hook`;
  return receiver;
}

/** Webhooks to loopback are refused without it. */
export const PRIVATE = { WAYMARK__WEBHOOKS__ALLOW_PRIVATE: "true" };
