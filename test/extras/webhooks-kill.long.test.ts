/** Webhooks of a server that is killed at each step of an attempt. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Client, signIn, startSignedIn } from "../support/session.ts";
import { until } from "../support/until.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";
import { PRIVATE, startReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

type Row = { event: string; state: string; attempts: number; recent_attempts: { error: string | null }[] };

let receiver: WebhookReceiver;
let installation: Installation;
let server: RunningWaymark;
let client: Client;
let hook: number;

beforeAll(async () => {
  receiver = startReceiver();
  ({ installation, server, client } = await startSignedIn(PRIVATE));
  const body = { url: receiver.url, events: ["link.created"] };
  const { data } = (await client.call("POST", "/webhooks", body)).body;
  hook = data.id;
  receiver.secret = data.secret;
});
afterAll(async () => {
  await installation?.remove();
  await receiver?.stop();
});

const deliveries = async (): Promise<Row[]> =>
  (await client.call("GET", `/webhooks/${hook}/deliveries`)).body.data;
async function restart(settings: Record<string, string>): Promise<void> {
  server = await installation.serve(settings);
  client = await signIn(server.url);
}

test("after kill -9 at any step each event is told at least once, and the log says what happened", async () => {
  for (const point of ["webhook-taken", "webhook-sent", "webhook-answered"]) {
    await server.stop();
    await restart({ ...PRIVATE, WAYMARK_FAULT: point });
    await client.call("POST", "/links", { code: point, target: "https://example.com/" }).catch(() => {});
    await server.process.exited;
    expect(server.process.signalCode).toBe("SIGKILL");
    await restart(PRIVATE);
    await until(async () => (await deliveries())[0]?.state === "delivered");
    const [last] = await deliveries();
    expect(last).toMatchObject({ event: "link.created", attempts: 2 });
    expect(last!.recent_attempts[0]!.error).toStartWith("Waymark ended during this attempt.");
    const told = receiver.heard.filter(({ data }) => data.subject === point);
    expect(told.length).toBe(point === "webhook-taken" ? 1 : 2);
    expect(new Set(told.map(({ id }) => id)).size).toBe(1);
  }
}, 120_000);
