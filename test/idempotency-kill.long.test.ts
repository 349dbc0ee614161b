/**
 * Two processes on one database get requests with the same Idempotency-Key, and one of them is killed meanwhile. Each
 * key makes one link: repetitions have its answer, or say that the answer is lost, or carry the request out.
 */
import "./support/long.ts";
import { describe, expect, test } from "bun:test";
import { DIALECT_NAMES, type DialectName, serverUrl } from "../src/platform/db/fresh.test-support.ts";
import { inParallel } from "../src/lib/in-parallel.ts";
import { startCluster } from "./support/cluster.ts";
import { killAll } from "./support/processes.ts";
import { type Client, clientOf, startSignedIn } from "./support/session.ts";

const KEYS_AT_ONCE = 30;
/** Requests that get no answer, because their process is killed meanwhile. */
const LEAST_CUT = 120;
const MOST_ROUNDS = 40;
/** Most requests of a round take less. */
const LONGEST_LIFE_MS = 250;
/** A claim without work ends after a minute. */
const PATIENCE_MS = 240_000;
/** A node has four connections. A thousand repetitions at once let it judge that its database is away. */
const REPEATED_AT_ONCE = 8;
const TARGET = "https://example.com/";

type Site = { clients(): Client[]; killOne(): Promise<void>; remove(): Promise<void> };

/** Workers of one server, all of which are killed. */
async function workers(): Promise<Site> {
  let { installation, server, client } = await startSignedIn({ WAYMARK__SERVER__WORKERS: "2" });
  return {
    clients: () => [1, 2].map(() => clientOf(server.url, client.token)),
    async killOne() {
      await killAll(server);
      server = await installation.serve();
    },
    remove: () => installation.remove(),
  };
}

async function nodes(dialect: DialectName): Promise<Site> {
  const cluster = await startCluster({ dialect, redisUrl: "", nodes: 2, workers: 1, links: [`a,${TARGET}`] });
  return {
    clients: () => cluster.nodes.map((node) => node.client()),
    async killOne() {
      await cluster.nodes[0]!.kill();
      await cluster.nodes[0]!.start();
    },
    remove: () => cluster.remove(),
  };
}

/** Null without an answer. */
async function create(client: Client, key: string) {
  try {
    const answer = await client.fetch("/links", {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": key },
      body: JSON.stringify({ target: TARGET, title: key }),
    });
    const { data, message } = (await answer.json()) as { data?: { id: number }; message: string };
    return { status: answer.status, id: data?.id, message, isLater: answer.headers.has("Retry-After") };
  } catch {
    return null;
  }
}

/** The id of the answer; null if the answer is lost. */
async function settled(client: Client, key: string): Promise<number | null> {
  const late = Date.now() + PATIENCE_MS;
  let answer: Awaited<ReturnType<typeof create>> = null;
  while (Date.now() < late) {
    answer = await create(client, key);
    if (answer?.status === 201) return answer.id!;
    if (answer?.status === 409 && !answer.isLater) return null;
    await Bun.sleep(1_000);
  }
  throw new Error(`The request ${key} was not settled: ${JSON.stringify(answer)}`);
}

/** On a machine without time to spare the node may judge meanwhile that its database is away. */
async function found(client: Client, key: string): Promise<{ id: number }[]> {
  const { status, body } = await client.call("GET", `/links?search=${key}`);
  if (status === 200) return body.data;
  expect(status).toBe(503);
  await Bun.sleep(1_000);
  return found(client, key);
}

describe.each(DIALECT_NAMES)("%s", (dialect) => {
  const isThere = dialect === "sqlite" || serverUrl(dialect) !== undefined;
  test.skipIf(!isThere)("each key makes one link, whoever is killed", async () => {
    const site = await (dialect === "sqlite" ? workers() : nodes(dialect));
    try {
      const answered = new Map<string, Set<number>>();
      let cut = 0;
      for (let round = 0; cut < LEAST_CUT && round < MOST_ROUNDS; round++) {
        // A process that has just started answers its first requests late.
        for (const client of site.clients()) await create(client, crypto.randomUUID());
        const keys = Array.from({ length: KEYS_AT_ONCE }, () => crypto.randomUUID());
        const requests = keys.flatMap((key) =>
          site.clients().map(async (client) => ({ key, answer: await create(client, key) })),
        );
        await Bun.sleep(Math.random() * LONGEST_LIFE_MS);
        await site.killOne();
        for (const { key, answer } of await Promise.all(requests)) {
          const ids = answered.get(key) ?? new Set();
          answered.set(key, ids);
          if (answer === null) cut++;
          else if (answer.status === 201) ids.add(answer.id!);
        }
      }
      expect(cut).toBeGreaterThanOrEqual(LEAST_CUT);
      const [client] = site.clients();
      const early = [...answered.values()].filter((ids) => ids.size > 0).length;
      let lost = 0;
      await inParallel(answered, REPEATED_AT_ONCE, async ([key, ids]) => {
        const id = await settled(client!, key);
        if (id === null) lost++;
        else ids.add(id);
        const data = await found(client!, key);
        expect([key, ids.size <= 1, data.length]).toEqual([key, true, 1]);
        for (const one of ids) expect(one).toBe(data[0]!.id);
      });
      console.log(
        `${dialect}: ${answered.size} keys, ${early} answered at once, ${cut} requests cut, ${lost} answers lost`,
      );
    } finally {
      await site.remove();
    }
  });
});
