/**
 * Several nodes on one database under load: changes propagate, a node is killed, Redis and the database fail and
 * return. At the end no known link has failed or been stale, and no click is lost.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type DialectName,
  HALF,
  SERVER_VARIABLES,
  serverUrl,
} from "../src/platform/db/fresh.test-support.ts";
import { type Cluster, health, HEALTH_TOKEN, type Node, startCluster, visit } from "./support/cluster.ts";
import { compareCounts, countsIn } from "./support/click-tally.ts";
import { ALLOWED_MS, createTruth, type Load, startLoad, targetOf } from "./support/cluster-load.ts";
import { type Client, PASSWORD, signIn } from "./support/session.ts";

const REDIS_URL = process.env["WAYMARK_TEST_REDIS_URL"] ?? "";
const FIXED = Array.from({ length: 30 }, (_, at) => `fixed-${at}`);
const MOVING = Array.from({ length: 6 }, (_, at) => `moving-${at}`);
const UNCOUNTED = "uncounted";

/** Far longer than anything here takes on a busy machine. */
const PATIENCE_MS = 60_000;

/** Throws with `what` if it does not become true. */
const until = async (what: string, condition: () => Promise<boolean>) => {
  const late = AbortSignal.timeout(PATIENCE_MS);
  const gaveUp = new Promise<never>((_, reject) => {
    late.addEventListener("abort", () =>
      reject(new Error(`It did not happen within ${PATIENCE_MS / 1000} s: ${what}`)),
    );
  });
  while (!(await Promise.race([condition().catch(() => false), gaveUp]))) await Bun.sleep(20);
};

/** Expects the status, after tries while a busy machine takes the database for one that is away. */
async function done(status: number, call: () => ReturnType<Client["call"]>): Promise<void> {
  let answer: unknown;
  await until(`a call answers ${status}`, async () => {
    const given = await call();
    answer = given;
    return given.status !== 503;
  });
  expect(answer).toMatchObject({ status });
}

/** Changes links continuously through the given nodes and records what was confirmed. */
function startWriter(nodes: () => readonly Node[], pauseMs: number) {
  const truth = createTruth();
  const unexpected: string[] = [];
  let refused = 0;
  let ended = false;
  const run = async () => {
    for (let version = 2; !ended; version++) {
      await Bun.sleep(pauseMs);
      const code = MOVING[version % MOVING.length]!;
      const [node] = nodes().toSorted(() => Math.random() - 0.5);
      if (node === undefined) continue;
      const answer = await node
        .client()
        .call("PUT", `/links/${code}`, { target: targetOf(code, version) })
        .catch(String);
      if (typeof answer === "string") {
        if (node.isUp()) unexpected.push(`${node.name}: ${answer}`);
      } else if (answer.status === 200) truth.confirm(code, version);
      else if (answer.status === 503 && answer.body.code === 1030) refused++;
      else unexpected.push(`${node.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  };
  const running = run();
  return {
    truth,
    unexpected,
    refused: () => refused,
    end: () => {
      ended = true;
      return running;
    },
  };
}

type Shape = {
  nodes: number;
  workers: number;
  redis: boolean;
  /** How the database fails: connections break and are refused, or no answer arrives. */
  outage: "refuse" | "hang";
};

function tell(name: DialectName, shape: Shape): void {
  let cluster: Cluster;
  let nodes: readonly Node[];
  let writer: ReturnType<typeof startWriter>;
  let load: Load;
  /** Nodes that the writer may use. */
  let writable: readonly Node[];
  /** A link is known once it was read after its last change. When this resolves, every node has the last change. */
  const rest = async () => {
    writable = [];
    await Bun.sleep(2_500);
  };
  /** Each worker detects it by itself. */
  const healthy = async (node: Node, part: "status" | "storage" = "status") =>
    (await Promise.all(Array.from({ length: 12 }, () => health(node)))).every((it) => it[part] === "healthy");

  beforeAll(async () => {
    cluster = await startCluster({
      dialect: name,
      redisUrl: shape.redis ? REDIS_URL : "",
      nodes: shape.nodes,
      workers: shape.workers,
      links: [...FIXED, ...MOVING, UNCOUNTED].map((code) => `${code},${targetOf(code, 1)}`),
      config: { "click.max_clicks_before_flush": "500", "click.flush_interval": "1" },
    });
    ({ nodes } = cluster);
    writable = nodes;
    writer = startWriter(() => writable, 60);
    load = startLoad({ nodes, codes: [...FIXED, ...MOVING], clients: shape.nodes * 3, truth: writer.truth });
  });
  afterAll(async () => {
    await Promise.allSettled([load?.end(), writer?.end()]);
    await cluster?.remove();
  });

  const everyVisit = async (on: readonly Node[], code: string, isRight: (status: number) => boolean) =>
    (await Promise.all(on.flatMap((node) => Array.from({ length: 6 }, () => visit(node, code))))).every(
      ({ status }) => isRight(status),
    );

  test("changes on one node reach all in time: links, settings, accounts, sessions", async () => {
    const [first, last] = [nodes[0]!.client(), nodes.at(-1)!.client()];
    expect(await everyVisit(nodes, "new", (status) => status === 404)).toBe(true);
    await done(201, () => first.call("POST", "/links", { code: "new", target: "http://localhost/" }));
    await done(200, () =>
      first.call("PUT", "/config/features.default_url", { value: "http://localhost/home" }),
    );
    const account = { username: "ada", password: "a long password", role: "admin" };
    await done(201, () => first.call("POST", "/users", account));
    const ada = await signIn(nodes.at(-1)!.url(), "a long password", "ada");
    const asAda = (node: Node) =>
      fetch(`${node.url()}/admin/v1/stats`, { headers: { Authorization: `Bearer ${ada.token}` } });
    expect((await asAda(nodes[0]!)).status).toBe(200);
    await Bun.sleep(ALLOWED_MS);
    expect(await everyVisit(nodes, "new", (status) => status === 307)).toBe(true);
    expect(await everyVisit(nodes, "", (status) => status === 307)).toBe(true);

    await done(200, () => last.call("DELETE", "/links/new"));
    await done(200, () => ada.call("POST", "/auth/logout"));
    await until("new is gone", () => everyVisit(nodes, "new", (status) => status === 404));
    await until("ada is signed out", async () => (await asAda(nodes[0]!)).status === 401);
  });

  if (shape.nodes > 2) {
    test("when a node is killed, others serve its clients, and it can return", async () => {
      const victim = nodes.at(-1)!;
      load.at("one is killed");
      writable = nodes.slice(0, -1);
      load.expectBreaks(victim, true);
      await victim.kill();
      await Bun.sleep(500);
      await victim.start();
      load.expectBreaks(victim, false);
      writable = nodes;
      expect((await visit(victim, UNCOUNTED)).status).toBe(307);
    });
  }

  if (shape.redis) {
    test("without Redis nodes are degraded but correct, and recover by themselves", async () => {
      load.at("Redis is away");
      for (const node of nodes) node.redis.sever();
      for (const node of nodes)
        await until("no Redis", async () => (await health(node)).cache === "degraded");
      expect(await health(nodes[0]!)).toMatchObject({ http: 200, status: "degraded", storage: "healthy" });
      const link = { code: "unheard", target: "http://localhost/" };
      await done(201, () => nodes[0]!.client().call("POST", "/links", link));
      await Bun.sleep(ALLOWED_MS);
      expect(await everyVisit(nodes, "unheard", (status) => status === 307)).toBe(true);
      load.at("Redis is back");
      for (const node of nodes) node.redis.heal();
      for (const node of nodes) await until(`${node.name} is healthy`, () => healthy(node));
    });
  }

  test("without the database known links redirect and other calls are refused quickly; nodes recover by themselves", async () => {
    const fresh = await signIn(nodes[0]!.url());
    const refusedBefore = writer.refused();
    await rest();
    load.at("the database is away");
    for (const { database } of nodes) {
      if (shape.outage === "hang") database.mode = "hang";
      else database.sever();
    }
    writable = nodes;
    for (const node of nodes) await expectDatabaseAway(node, fresh);
    await until("a write is refused", async () => writer.refused() > refusedBefore);
    load.at("the database is back");
    for (const node of nodes) node.database.heal();
    for (const node of nodes) await until(`${node.name} is healthy`, () => healthy(node));
    const made = await nodes[0]!
      .client()
      .call("POST", "/links", { code: "healed", target: "http://localhost/" });
    expect(made.status).toBe(201);
    await until("healed is known", () => everyVisit(nodes, "healed", (status) => status === 307));
    await until("unknown is not found", () => everyVisit(nodes, "unknown", (status) => status === 404));
  });

  test("a node that was cut off catches up", async () => {
    const lost = nodes[1]!;
    await rest();
    load.at("one is cut off");
    load.excuse(lost, true);
    lost.redis.sever();
    lost.database.sever();
    writable = nodes.filter((node) => node !== lost);
    const others = writable[0]!.client();
    await until("it sees that it is cut off", async () => (await health(lost)).storage === "unhealthy");
    await done(200, () => others.call("PUT", `/links/${UNCOUNTED}`, { target: targetOf(UNCOUNTED, 2) }));
    await done(201, () => others.call("POST", "/links", { code: "meanwhile", target: "http://localhost/" }));
    expect(await visit(lost, UNCOUNTED)).toMatchObject({ target: targetOf(UNCOUNTED, 1) });
    load.at("it is back");
    lost.database.heal();
    await until("the database is back", () => healthy(lost, "storage"));
    lost.redis.heal();
    await until("it is healthy", () => healthy(lost));
    await Bun.sleep(ALLOWED_MS);
    load.excuse(lost, false);
    writable = nodes;
    expect(await visit(lost, UNCOUNTED)).toMatchObject({ target: targetOf(UNCOUNTED, 2) });
    expect(await everyVisit([lost], "meanwhile", (status) => status === 307)).toBe(true);
  });

  test("in the end no known link has failed or been stale, and every click is counted", async () => {
    await Bun.sleep(500);
    await Promise.all([load.end(), writer.end()]);
    expect(load.unexpected).toEqual([]);
    expect(load.stale).toEqual([]);
    expect(writer.unexpected).toEqual([]);
    expect(Math.min(...[...FIXED, ...MOVING].map((code) => load.answered.get(code) ?? 0))).toBeGreaterThan(0);
    for (const node of nodes) {
      expect(await node.stop()).toBe(0);
      expect(node.log()).not.toContain('"level":"fatal"');
    }
    expect(compareCounts(load, countsIn(await cluster.cli(["links", "export"])))).toEqual([]);
  });
}

/** The answers of a node while its database is away; `fresh` is a session that the node has not seen. */
async function expectDatabaseAway(node: Node, fresh: Client): Promise<void> {
  const visits = () => Promise.all(Array.from({ length: 50 }, (_, at) => visit(node, `unknown-${at}`)));
  // Each worker detects the outage by itself; until then its code filter answers that the link does not exist.
  await until("unknown codes fail", async () => (await visits()).every(({ status }) => status === 500));
  expect((await visit(node, UNCOUNTED)).status).toBe(307);

  const away = { status: 503, body: { code: 1030, error: "ServiceUnavailable" } };
  expect(await node.client().call("GET", "/links")).toMatchObject(away);
  const asFresh = { Authorization: `Bearer ${fresh.token}`, Connection: "close" };
  const unseen = await fetch(`${node.url()}/admin/v1/links`, { headers: asFresh });
  expect([unseen.status, ((await unseen.json()) as { code: number }).code]).toEqual([503, 1030]);
  const login = await fetch(`${node.url()}/admin/v1/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ password: PASSWORD }),
  });
  expect([login.status, ((await login.json()) as { code: number }).code]).toEqual([503, 1030]);

  expect(await health(node)).toMatchObject({ http: 503, code: 1030, status: "unhealthy" });
  const monitor = { headers: { Authorization: `Bearer ${HEALTH_TOKEN}` } };
  expect((await fetch(`${node.url()}/health/ready`, monitor)).status).toBe(503);
  expect((await fetch(`${node.url()}/health/live`, monitor)).status).toBe(204);
}

/** Names what is missing; the runner reports it in one line. */
const missing = (name: "postgres" | "mysql" | "mariadb"): string =>
  serverUrl(name) === undefined
    ? ` (${SERVER_VARIABLES[name]} is not set)`
    : REDIS_URL === ""
      ? " (WAYMARK_TEST_REDIS_URL is not set)"
      : "";

for (const [name, shape] of [
  ["postgres", { nodes: 3, workers: 2, redis: true, outage: "refuse" }],
  ["mysql", { nodes: 2, workers: 1, redis: true, outage: "hang" }],
  ["mariadb", { nodes: 2, workers: 1, redis: false, outage: "refuse" }],
] as const) {
  if (!HALF.includes(name)) continue;
  const reason = missing(name);
  describe.skipIf(reason !== "" || process.platform !== "linux")(
    `${shape.nodes} nodes on ${name}${reason}`,
    () => tell(name, shape),
  );
}
