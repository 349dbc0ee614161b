/** Webhooks of the whole program, heard by a receiver on loopback that verifies them as the official library does. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { driveClient } from "../support/drive.ts";
import { type Client, signIn, startSignedIn } from "../support/session.ts";
import { stranger } from "../support/stranger.ts";
import { until } from "../support/until.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

type Heard = {
  id: string;
  type: string;
  data: { id: number; subject: string; after?: Record<string, unknown> };
};
type Row = {
  id: number;
  event: string;
  state: string;
  attempts: number;
  recent_attempts: { error: string | null }[];
};

const PRIVATE = { WAYMARK__WEBHOOKS__ALLOW_PRIVATE: "true" };
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const EVENTS = [
  "link.created",
  "link.deleted",
  "share.created",
  "share.downloaded",
  "share.ended",
  "drop.received",
  "account.disabled",
  "token.created",
  "setting.changed",
];

let receiver: ReturnType<typeof Bun.serve>;
let secret = "";
let heard: Heard[] = [];
let installation: Installation;
let server: RunningWaymark;
let client: Client;
let hook: number;

beforeAll(async () => {
  receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const payload = new Webhook(secret).verify(body, Object.fromEntries(request.headers)) as Omit<
        Heard,
        "id"
      >;
      heard.push({ id: request.headers.get("webhook-id")!, ...payload });
      return new Response(null, { status: 204 });
    },
  });
  ({ installation, server, client } = await startSignedIn(PRIVATE));
});
afterAll(async () => {
  await installation?.remove();
  await receiver?.stop(true);
});

const types = () => heard.map(({ type }) => type).toSorted();
const deliveries = async (query = ""): Promise<Row[]> =>
  (await client.call("GET", `/webhooks/${hook}/deliveries${query}`)).body.data;
async function restart(settings: Record<string, string> = {}): Promise<void> {
  server = await installation.serve(settings);
  client = await signIn(server.url);
}

test("what happens is told, and the secret is shown once", async () => {
  const url = `http://127.0.0.1:${receiver.port}/hook`;
  const made = await client.call("POST", "/webhooks", { url, events: EVENTS });
  expect(made.status).toBe(201);
  ({ secret, id: hook } = made.body.data);
  expect((await client.call("GET", "/webhooks")).body.data).toMatchObject([
    { id: hook, url, secret: "[REDACTED]", enabled: true },
  ]);
  await client.call("POST", "/links", { code: "told", target: "https://example.com/" });
  await client.call("PATCH", "/links/told", { title: "nobody asked" });
  await client.call("DELETE", "/links/told");
  await client.call("POST", "/tokens", { name: "a token", scopes: ["links:read"] });
  await client.call("PUT", "/config/features.instance_name", { value: "Here" });
  await client.call("POST", "/users", { username: "anna", password: "a long password" });
  const { data: users } = (await client.call("GET", "/users?search=anna")).body;
  await client.call("PATCH", `/users/${users[0].id}`, { disabled: true });
  const early = ["account.disabled", "link.created", "link.deleted", "setting.changed", "token.created"];
  await until(() => heard.length >= 5);
  expect(types()).toEqual(early);
  expect(heard.find(({ type }) => type === "link.created")!.data).toMatchObject({ subject: "told" });
});

test("shares tell their downloads and ends, drop boxes what they get", async () => {
  heard = [];
  const drive = driveClient(server.url, client.token);
  const file = (await drive.upload("a.txt", "a")).body.data.id;
  await drive.call("POST", `/files/${file}/share`, { code: "once", max_downloads: 1 });
  const soon = new Date(Date.now() + 1_500).toISOString();
  await drive.call("POST", `/files/${file}/share`, { code: "brief", expires_at: soon });
  const visit = await fetch(`${server.url}/once?download=1`, { headers: { "User-Agent": BROWSER } });
  expect(await visit.text()).toBe("a");
  const folder = await drive.folder("in");
  const { data } = (await drive.call("POST", `/folders/${folder}/drop`, { max_bytes: 1_000, max_files: 4 }))
    .body;
  await stranger().put(`${server.url}/${data.code}`, { "b.txt": "bb" });
  await until(() => heard.length >= 7);
  expect(types()).toEqual([
    "drop.received",
    "share.created",
    "share.created",
    "share.created",
    "share.downloaded",
    "share.ended",
    "share.ended",
  ]);
  const ends = heard
    .filter(({ type }) => type === "share.ended")
    .map(({ data: { subject, after } }) => [subject, after]);
  expect(ends.toSorted()).toEqual([
    ["brief", { expires_at: expect.any(String), reason: "expired" }],
    ["once", { max_downloads: 1, reason: "used_up" }],
  ]);
}, 90_000);

test("the command line tests, replays and sends again, and the log has it", async () => {
  heard = [];
  await installation.run(["webhooks", "test", String(hook)]);
  await until(() => heard.length === 1);
  expect(types()).toEqual(["webhook.test"]);
  await until(async () => (await deliveries("?event=webhook.test"))[0]?.state === "delivered");
  const listed = await installation.run([
    "webhooks",
    "deliveries",
    String(hook),
    "--state",
    "delivered",
    "--json",
  ]);
  const rows = JSON.parse(listed) as (Row & { event_id: number })[];
  const created = rows.find(({ event }) => event === "link.created")!;
  const whole = (await client.call("GET", `/webhooks/${hook}/deliveries/${created.id}`)).body.data;
  expect(whole).toMatchObject({ payload: { type: "link.created", data: { subject: "told" } } });
  await installation.run(["webhooks", "resend", String(hook), String(created.id)]);
  await until(() => heard.length === 2);
  expect(heard[1]!.id).toBe(whole.message_id);
  const all = rows.filter(({ event }) => event !== "webhook.test").length;
  await installation.run(["webhooks", "replay", String(hook), "--from", String(created.event_id)]);
  await until(() => heard.length === 2 + all);
  expect(await installation.run(["webhooks", "list"])).toContain("enabled");
  const rotated = (await installation.run(["webhooks", "rotate", String(hook)])).trim();
  expect(rotated).toMatch(/^whsec_/);
  // Receivers that know either secret accept it.
  for (const known of [secret, rotated]) {
    secret = known;
    const before = heard.length;
    await client.call("POST", `/webhooks/${hook}/test`);
    await until(() => heard.length === before + 1);
  }
});

test("after kill -9 at any step each event is told at least once, and the log says what happened", async () => {
  heard = [];
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
    const told = heard.filter(({ data }) => data.subject === point);
    expect(told.length).toBe(point === "webhook-taken" ? 1 : 2);
    expect(new Set(told.map(({ id }) => id)).size).toBe(1);
  }
}, 120_000);
