/**
 * An outage: two nodes of two workers lose their database, which hangs or is down. Every link created or changed
 * before, by any means, redirects on every worker; every other call is answered meanwhile.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type DialectName,
  HALF,
  SERVER_VARIABLES,
  serverUrl,
} from "../src/platform/db/fresh.test-support.ts";
import { type Cluster, health, HEALTH_TOKEN, type Node, startCluster } from "./support/cluster.ts";
import { PASSWORD } from "./support/session.ts";
import { until } from "./support/until.ts";
import { visitAll } from "./support/visits.ts";

/** The promised two seconds, and one for a loaded machine. */
const KNOWN_MS = 3_000;
/** The kernel spreads them over the workers: a worker gets none once in a million runs. */
const CONNECTIONS = 20;

const targetOf = (code: string, version: number): string => `http://localhost/${code}/${version}`;
const codesOf = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}-${at}`);
const csvOf = (codes: readonly string[], version: number): string =>
  `code,target\n${codes.map((code) => `${code},${targetOf(code, version)}`).join("\n")}\n`;

const BATCH = 400;
const OLD = codesOf("old", 100);
const BATCHED = codesOf("batched", BATCH);
const IMPORTED = codesOf("imported", 1_500);
const BY_COMMAND = codesOf("by-command", 400);

function tell(name: DialectName): void {
  let cluster: Cluster;
  let nodes: readonly Node[];
  /** The newest confirmed target of each link. */
  const truth = new Map<string, string>();
  const confirm = (codes: readonly string[], version: number) => {
    for (const code of codes) truth.set(code, targetOf(code, version));
  };

  beforeAll(async () => {
    cluster = await startCluster({
      dialect: name,
      redisUrl: "",
      nodes: 2,
      workers: 2,
      links: OLD.map((code) => `${code},${targetOf(code, 1)}`),
    });
    ({ nodes } = cluster);
    confirm(OLD, 1);
  });
  afterAll(() => cluster?.remove());

  const succeeds = async (node: Node, method: string, path: string, body?: unknown) => {
    const answer = await node.client().call(method, path, body);
    expect([path, answer.status, answer.body.data?.failed ?? []]).toEqual([
      path,
      method === "POST" && path === "/links" ? 201 : 200,
      [],
    ]);
  };

  /** Creates and changes links by every means, on both nodes. */
  async function change(version: number): Promise<void> {
    const [first, second] = [nodes[0]!, nodes[1]!];
    const linkOf = (code: string) => ({ code, target: targetOf(code, version), force: true });
    for (const [at, node] of nodes.entries()) {
      await succeeds(node, "POST", "/links", linkOf(`single-${at}`));
      await succeeds(node, "PUT", `/links/${OLD[at]}`, { target: targetOf(OLD[at]!, version) });
    }
    confirm(["single-0", "single-1", OLD[0]!, OLD[1]!], version);

    await succeeds(first, "POST", "/links/batch", { links: BATCHED.map(linkOf) });
    const updates = BATCHED.slice(BATCH / 2).map((code) => ({
      code,
      payload: { target: targetOf(code, version + 1) },
    }));
    await succeeds(second, "PUT", "/links/batch", { updates });
    confirm(BATCHED.slice(0, BATCH / 2), version);
    confirm(BATCHED.slice(BATCH / 2), version + 1);

    const form = new FormData();
    form.set("file", new File([csvOf(IMPORTED, version)], "links.csv"));
    form.set("mode", "overwrite");
    const imported = await second.client().fetch("/links/import", { method: "POST", body: form });
    expect(await imported.json()).toMatchObject({ data: { success_count: IMPORTED.length } });
    confirm(IMPORTED, version);

    await cluster.cli(["links", "import", "--mode", "overwrite", "-"], csvOf(BY_COMMAND, version));
    confirm(BY_COMMAND, version);
  }

  /** Links that some worker does not redirect correctly. */
  async function wrong(): Promise<string[]> {
    const codes = [...truth.keys()];
    const found = new Set<string>();
    for (const node of nodes) {
      const seen = await Promise.all(Array.from({ length: CONNECTIONS }, () => visitAll(node.url(), codes)));
      for (const answers of seen)
        for (const [code, target] of truth)
          if (answers.get(code) !== target) found.add(`${node.name}: ${code}: ${answers.get(code)}`);
    }
    return [...found];
  }

  const healed = async () => {
    for (const { database } of nodes) database.heal();
    for (const node of nodes)
      await until(async () =>
        (await Promise.all(Array.from({ length: 12 }, () => health(node)))).every(
          ({ status }) => status === "healthy",
        ),
      );
  };

  test("while the database hangs, known links redirect and every call is answered", async () => {
    await change(2);
    await Bun.sleep(KNOWN_MS);
    const calls = (await Promise.all(nodes.map(everyCall))).flat();
    expect(calls.length).toBeGreaterThan(100);
    for (const { database } of nodes) database.mode = "hang";
    const [lost, answers] = await Promise.all([wrong(), Promise.all(calls.map(answered))]);
    expect(lost).toEqual([]);
    const refused = new Set(answers.filter(({ status }) => status === 503).map(({ call }) => call));
    expect(NEED_THE_DATABASE.filter((call) => !refused.has(call))).toEqual([]);
    await healed();
  });

  test("while it is down, known links redirect, including those changed since the last outage", async () => {
    await change(4);
    await Bun.sleep(KNOWN_MS);
    for (const { database } of nodes) database.sever();
    expect(await wrong()).toEqual([]);
    await healed();
  });
}

const NEED_THE_DATABASE = [
  ...["POST /auth/login", "GET /links", "POST /links", "POST /links/batch", "POST /links/import"].map(
    (call) => call.replace(" ", " /admin/v1"),
  ),
  "POST /files/upload",
  "GET /files/{id}/download",
  "POST /files/tus",
  "GET /health",
  "GET /health/ready",
];

type Call = { name: string; send(): Promise<Response> };

async function answered({ name, send }: Call): Promise<{ call: string; status: number }> {
  const answer = await send();
  await answer.body?.cancel();
  return { call: name, status: answer.status };
}

type Operations = Record<string, Record<string, { requestBody?: { content: object } }>>;

/** Calls each operation that the node's API documents. */
async function everyCall(node: Node): Promise<Call[]> {
  const { token, fetch: authorised } = node.client();
  const { paths } = (await (await authorised("/openapi.json")).json()) as { paths: Operations };
  const headers = { Authorization: `Bearer ${token}`, Connection: "close" };
  return Object.entries(paths).flatMap(([pattern, operations]) =>
    Object.entries(operations).map(([name, { requestBody }]) => {
      const method = name.toUpperCase();
      const path = pattern
        .replaceAll("{code}", OLD[2]!)
        .replaceAll("{key}", "features.default_url")
        .replaceAll(/\{\w+\}/g, pattern.includes("/tus/") ? crypto.randomUUID() : "1");
      const [type] = Object.keys(requestBody?.content ?? {});
      const body =
        type === "multipart/form-data" ? formOf() : type === undefined ? undefined : JSON.stringify(BODY);
      return {
        name: `${method} ${pattern}`,
        send: () =>
          fetch(node.url() + path, {
            method,
            keepalive: false,
            headers: {
              ...headers,
              ...(typeof body === "string" && { "Content-Type": "application/json" }),
              ...(pattern.includes("/tus") && TUS),
              ...(pattern.startsWith("/health") && { Authorization: `Bearer ${HEALTH_TOKEN}` }),
            },
            ...(body !== undefined && { body }),
          }),
      };
    }),
  );
}

/** Has the fields that writing calls require. */
const BODY = {
  code: "made-in-the-outage",
  target: "http://localhost/",
  password: PASSWORD,
  links: [{ code: "batch-of-the-outage", target: "http://localhost/" }],
  updates: [{ code: OLD[3], payload: { target: "http://localhost/" } }],
  codes: [OLD[4]],
  name: "a name",
  username: "nobody",
  role: "user",
  value: "http://localhost/home",
};
const TUS = {
  "Tus-Resumable": "1.0.0",
  "Upload-Length": "5",
  "Upload-Offset": "0",
  "Upload-Metadata": `filename ${btoa("a name")}`,
};

function formOf(): FormData {
  const form = new FormData();
  form.set("file", new File([csvOf(["uploaded"], 1)], "links.csv"));
  return form;
}

for (const name of ["postgres", "mysql", "mariadb"] as const) {
  if (!HALF.includes(name)) continue;
  const isMissing = serverUrl(name) === undefined;
  describe.skipIf(isMissing || process.platform !== "linux")(
    `an outage of ${name}${isMissing ? ` (${SERVER_VARIABLES[name]} is not set)` : ""}`,
    () => tell(name),
  );
}
