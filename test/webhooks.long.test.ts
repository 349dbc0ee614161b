/**
 * Ten thousand queued events, a receiver that hangs beside one that answers, kills of two nodes, and the official
 * verifier for Python, where PYTHON_WEBHOOKS is a Python that has standardwebhooks.
 */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Client, signIn, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const EVENTS = 10_000;
const PRIVATE = { WAYMARK__WEBHOOKS__ALLOW_PRIVATE: "true" };
const PYTHON = process.env["PYTHON_WEBHOOKS"];
const PATIENCE = 24_000;

let receiver: ReturnType<typeof Bun.serve>;
let hanging: Bun.TCPSocketListener<undefined>;
let installation: Installation;
let server: RunningWaymark;
let client: Client;
let last: { headers: Record<string, string>; body: string };
const heard = new Map<string, number>();

beforeAll(async () => {
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
  ({ installation, server, client } = await startSignedIn(PRIVATE));
});
afterAll(async () => {
  await installation?.remove();
  hanging?.stop(true);
  await receiver?.stop(true);
});

async function add(port: number | undefined): Promise<{ id: number; secret: string }> {
  const body = { url: `http://127.0.0.1:${port}/hook`, events: ["link.created"] };
  return (await client.call("POST", "/webhooks", body)).body.data;
}

test("ten thousand events reach a receiver beside one that hangs, over two kills of the node that sends", async () => {
  const dead = await add(hanging.port);
  const { id } = await add(receiver.port);
  await client.call("POST", "/links", { code: "go", target: "https://example.com/" });
  await until(() => heard.size === 1);
  await server.stop();
  const database = new Database(`${installation.dataDir}/waymark.db`);
  database.run(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${EVENTS})
     insert into events (at, actor, via, action, subject, after, untold)
     select ${Date.now()}, 'cli', 'cli', 'link.create', 'many' || i, '{}', 1 from n`,
  );
  database.close();
  // Two nodes with one database; the node that sends is killed twice, and the other one goes on.
  let other = await installation.serve();
  server = await installation.serve();
  for (const share of [0.2, 0.5]) {
    await until(() => heard.size > EVENTS * share, PATIENCE);
    await Promise.all([server.kill(), other.kill()]);
    [other, server] = [await installation.serve(), await installation.serve()];
    expect((await fetch(`${server.url}/go`, { redirect: "manual" })).status).toBe(307);
  }
  await until(() => heard.size === EVENTS + 1, PATIENCE);
  client = await signIn(server.url);
  const stored = new Database(`${installation.dataDir}/waymark.db`, { readonly: true });
  const states = stored
    .query(
      "select state, count(*) as n, max(attempts) as most from webhook_deliveries where webhook_id = ? group by state",
    )
    .all(id);
  // What a kill interrupted waits for its next attempt.
  expect(states).toContainEqual({ state: "delivered", n: EVENTS + 1, most: expect.any(Number) });
  stored.close();
  const failingSince = async () => (await client.call("GET", `/webhooks/${dead.id}`)).body.data.failing_since;
  await until(async () => (await failingSince()) !== null, PATIENCE);
}, 600_000);

test.skipIf(PYTHON === undefined)("the official verifier for Python accepts the requests", async () => {
  const { id, secret } = await add(receiver.port);
  await client.call("POST", `/webhooks/${id}/test`);
  await until(() => last.headers["webhook-id"]!.startsWith("test_"), PATIENCE);
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
});
