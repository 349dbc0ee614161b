/** Webhooks of the whole program, heard by a receiver on loopback that verifies them as the official library does. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { driveClient } from "../support/drive.ts";
import { type Client, startSignedIn } from "../support/session.ts";
import { stranger } from "../support/stranger.ts";
import { until } from "../support/until.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";
import { PRIVATE, startReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

type Row = {
  id: number;
  event: string;
  state: string;
  attempts: number;
};

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

let receiver: WebhookReceiver;
let installation: Installation;
let server: RunningWaymark;
let client: Client;
let hook: number;

beforeAll(async () => {
  receiver = startReceiver();
  ({ installation, server, client } = await startSignedIn(PRIVATE));
});
afterAll(async () => {
  await installation?.remove();
  await receiver?.stop();
});

const types = () => receiver.heard.map(({ type }) => type).toSorted();
const deliveries = async (query = ""): Promise<Row[]> =>
  (await client.call("GET", `/webhooks/${hook}/deliveries${query}`)).body.data;

test("what happens is told, and the secret is shown once", async () => {
  const { url } = receiver;
  const made = await client.call("POST", "/webhooks", { url, events: EVENTS });
  expect(made.status).toBe(201);
  hook = made.body.data.id;
  receiver.secret = made.body.data.secret;
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
  await until(() => receiver.heard.length >= 5);
  expect(types()).toEqual(early);
  expect(receiver.heard.find(({ type }) => type === "link.created")!.data).toMatchObject({ subject: "told" });
});

test("shares tell their downloads and ends, drop boxes what they get", async () => {
  receiver.heard = [];
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
  await until(() => receiver.heard.length >= 7);
  expect(types()).toEqual([
    "drop.received",
    "share.created",
    "share.created",
    "share.created",
    "share.downloaded",
    "share.ended",
    "share.ended",
  ]);
  const ends = receiver.heard
    .filter(({ type }) => type === "share.ended")
    .map(({ data: { subject, after } }) => [subject, after]);
  expect(ends.toSorted()).toEqual([
    ["brief", { expires_at: expect.any(String), reason: "expired" }],
    ["once", { max_downloads: 1, reason: "used_up" }],
  ]);
}, 90_000);

test("the command line tests, replays and sends again, and the log has it", async () => {
  receiver.heard = [];
  await installation.run(["webhooks", "test", String(hook)]);
  await until(() => receiver.heard.length === 1);
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
  await until(() => receiver.heard.length === 2);
  expect(receiver.heard[1]!.id).toBe(whole.message_id);
  const all = rows.filter(({ event }) => event !== "webhook.test").length;
  await installation.run(["webhooks", "replay", String(hook), "--from", String(created.event_id)]);
  await until(() => receiver.heard.length === 2 + all);
  expect(await installation.run(["webhooks", "list"])).toContain("enabled");
  const rotated = (await installation.run(["webhooks", "rotate", String(hook)])).trim();
  expect(rotated).toMatch(/^whsec_/);
  // Receivers that know either secret accept it.
  for (const known of [receiver.secret, rotated]) {
    receiver.secret = known;
    const before = receiver.heard.length;
    await client.call("POST", `/webhooks/${hook}/test`);
    await until(() => receiver.heard.length === before + 1);
  }
});
