/**
 * Ten thousand queued events, a receiver that hangs beside one that answers, and two nodes that are killed at each step
 * of an attempt; and the official verifier for Python, where PYTHON_WEBHOOKS is a Python that has standardwebhooks.
 */
import "../support/long.ts";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { serverUrl } from "../../src/platform/db/fresh.test-support.ts";
import { type Node, startCluster, visit } from "../support/cluster.ts";
import { type Client, startSignedIn } from "../support/session.ts";
import { until } from "../support/until.ts";

const EVENTS = 10_000;
const PRIVATE = { WAYMARK__WEBHOOKS__ALLOW_PRIVATE: "true" };
const PYTHON = process.env["PYTHON_WEBHOOKS"];
/** Another node takes a job over when the lease of a dead one ends, after two minutes. */
const PATIENCE = 24_000;
const PAUSES_MS = [5_000, 300_000];
const TARGET = "https://example.com/";

let receiver: ReturnType<typeof Bun.serve>;
let hanging: Bun.TCPSocketListener<undefined>;
let last: { headers: Record<string, string>; body: string };
const heard = new Map<string, number>();

beforeAll(() => {
  receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      last = { headers: Object.fromEntries(request.headers), body: await request.text() };
      const id = last.headers["webhook-id"]!;
      heard.set(id, (heard.get(id) ?? 0) + 1);
      return new Response(null, { status: 204 });
    },
  });
  hanging = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
});
afterAll(async () => {
  hanging.stop(true);
  await receiver.stop(true);
});

async function add(client: Client, port: number | undefined): Promise<{ id: number; secret: string }> {
  const body = { url: `http://127.0.0.1:${port}/hook`, events: ["link.created"] };
  return (await client.call("POST", "/webhooks", body)).body.data;
}

/** The first node sends and dies at that step; the other one redirects meanwhile and goes on. */
async function killAt(step: string, [dying, other]: readonly Node[]): Promise<void> {
  const before = heard.size;
  await dying!.start({ WAYMARK_FAULT: step });
  await until(() => heard.size > before, PATIENCE);
  await other!.start();
  await dying!.ended();
  expect((await visit(other!, "go")).status).toBe(307);
  const sent = heard.size;
  await until(() => heard.size > sent, PATIENCE);
  await other!.stop();
}

const postgres = serverUrl("postgres");
test.skipIf(postgres === undefined)(
  "two nodes that are killed at each step send ten thousand events, each by its schedule",
  async () => {
    const cluster = await startCluster({
      dialect: "postgres",
      redisUrl: "",
      nodes: 2,
      workers: 1,
      links: [`go,${TARGET}`],
      // Secrets are sealed by a key that nodes share.
      settings: { ...PRIVATE, WAYMARK__STORAGE__SECRET_KEY: "5c".repeat(32) },
    });
    const database = new SQL(cluster.databaseUrl);
    try {
      const dead = await add(cluster.nodes[0]!.client(), hanging.port);
      const { id } = await add(cluster.nodes[0]!.client(), receiver.port);
      for (const node of cluster.nodes) await node.stop();
      await database`
        insert into events (at, actor, via, action, subject, after, untold)
        select ${Date.now()}, 'cli', 'cli', 'link.create', 'many' || i, '{}', 1 from generate_series(1, ${EVENTS}) i`;
      await killAt("webhook-taken:20", cluster.nodes);
      await killAt("webhook-sent:100", cluster.nodes.toReversed());
      await killAt("webhook-answered:20", cluster.nodes);
      for (const node of cluster.nodes) await node.start();
      await until(() => heard.size === EVENTS, PATIENCE);
      const states = () =>
        database`select state, count(*)::int as n from webhook_deliveries where webhook_id = ${id} group by state`;
      await until(async () => (await states()).length === 1, PATIENCE);
      expect([...(await states())]).toEqual([{ state: "delivered", n: EVENTS }]);
      const tried: { id: string; attempts: string; tries: string }[] = await database`
        select webhook_id || ' ' || id as id, attempts, tries from webhook_deliveries where attempts > 0`;
      let repeated = 0;
      const wrong: unknown[] = [];
      for (const { id: which, attempts, tries } of tried) {
        const made: { at: number }[] = JSON.parse(tries);
        for (const [at, { at: time }] of made.slice(1).entries()) {
          repeated++;
          if (time - made[at]!.at < PAUSES_MS[at]!) wrong.push([which, tries]);
        }
        if (which.startsWith(`${id} `) && Number(attempts) !== made.length)
          wrong.push([which, attempts, tries]);
      }
      expect(wrong).toEqual([]);
      const requests = heard.values().reduce((sum, times) => sum + times, 0);
      console.log(`${requests} requests for ${EVENTS} events, ${repeated} repeated attempts in the log`);
      const failing = `/webhooks/${dead.id}`;
      const client = cluster.nodes[0]!.client();
      await until(async () => (await client.call("GET", failing)).body.data.failing_since !== null, PATIENCE);
    } finally {
      await database.end();
      await cluster.remove();
    }
  },
  1_800_000,
);

test.skipIf(PYTHON === undefined)("the official verifier for Python accepts the requests", async () => {
  const { installation, client } = await startSignedIn(PRIVATE);
  const { id, secret } = await add(client, receiver.port);
  await client.call("POST", `/webhooks/${id}/test`);
  await until(() => last?.headers["webhook-id"]?.startsWith("test_") === true, PATIENCE);
  const script = `
import json, sys
from standardwebhooks import Webhook
given = json.load(sys.stdin)
print(Webhook(given["secret"]).verify(given["body"], given["headers"])["type"])`;
  const verify = (body: string) =>
    Bun.spawnSync([PYTHON!, "-c", script], {
      stdin: Buffer.from(JSON.stringify({ secret, body, headers: last.headers })),
    });
  expect(verify(last.body).stdout.toString().trim()).toBe("webhook.test");
  expect(verify(`${last.body} `).exitCode).not.toBe(0);
  await installation.remove();
});
