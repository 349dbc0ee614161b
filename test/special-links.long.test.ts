/** Links that do more than redirect, with the real program: on workers, on two nodes, and through kill -9. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { serverUrl } from "../src/platform/db/fresh.test-support.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { type Client, signIn, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const TARGET = "https://example.com/there";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** On its own connection, so that the kernel picks a worker each time. 0 for a broken connection. */
async function visit(url: string, path: string, init: RequestInit = {}) {
  const headers = { "User-Agent": BROWSER, Connection: "close", ...(init.headers as object) };
  try {
    const answer = await fetch(`${url}${path}`, { redirect: "manual", keepalive: false, ...init, headers });
    const body = await answer.text();
    return { status: answer.status, to: answer.headers.get("location"), body };
  } catch {
    return { status: 0, to: null, body: "" };
  }
}
const statuses = (answers: readonly { status: number }[]) =>
  [307, 404].map((status) => answers.filter((answer) => answer.status === status).length);

describe("one program with two workers", () => {
  let installation: Installation;
  let server: RunningWaymark;
  let client: Client;
  beforeAll(async () => {
    ({ installation, server, client } = await startSignedIn({ WAYMARK__SERVER__WORKERS: "2" }));
  });
  afterAll(() => installation.remove());
  const clicks = async (code: string) =>
    (await client.call("GET", `/links/${code}`)).body.data.click_count as number;

  test("exactly max_clicks people pass, and each is counted", async () => {
    await client.call("POST", "/links", { code: "few", target: TARGET, max_clicks: 9 });
    const [robot, head] = await Promise.all([
      visit(server.url, "/few", { headers: { "User-Agent": "Slackbot 1.0" } }),
      visit(server.url, "/few", { method: "HEAD" }),
    ]);
    expect([robot!.status, robot!.to, head!.status]).toEqual([200, null, 200]);
    const answers = await Promise.all(Array.from({ length: 30 }, () => visit(server.url, "/few")));
    expect(statuses(answers)).toEqual([9, 21]);
    // Nine people, and the two pages.
    await until(async () => (await clicks("few")) === 11);
  });

  test("changes of what a link does apply at once", async () => {
    const put = (body: object) => client.call("PUT", "/links/more", { target: TARGET, ...body });
    await client.call("POST", "/links", { code: "more", target: TARGET });
    expect((await visit(server.url, "/more?a=1")).to).toBe(TARGET);
    await put({ redirect_status: 301, forward_query: true });
    expect(await visit(server.url, "/more?a=1")).toMatchObject({ status: 301, to: `${TARGET}?a=1` });
    await put({ starts_at: "1h" });
    expect((await visit(server.url, "/more")).status).toBe(404);
    await put({ fallback_url: "https://example.com/soon" });
    expect(await visit(server.url, "/more")).toMatchObject({ status: 307, to: "https://example.com/soon" });
    await put({ starts_at: null, expires_at: "2001-01-01T00:00:00Z" });
    expect((await visit(server.url, "/more")).to).toBe("https://example.com/soon");
    await put({ expires_at: "", fallback_url: "", redirect_status: null, forward_query: false });
    expect(await visit(server.url, "/more?a=1")).toMatchObject({ status: 307, to: TARGET });
  });

  test("commands set and show the fields", async () => {
    const add = [
      "links",
      "add",
      TARGET,
      "--code",
      "cli",
      "--title",
      "A title",
      "--note",
      "n",
      "--starts",
      "1h",
    ];
    await installation.run([...add, "--max-clicks", "5", "--status", "302", "--forward-query"]);
    const shown = JSON.parse(await installation.run(["links", "get", "cli", "--json"]));
    expect(shown).toMatchObject({ title: "A title", note: "n", max_clicks: 5, created_by: "cli" });
    expect(shown).toMatchObject({ redirect_status: 302, forward_query: true });
    expect(await installation.run(["links", "get", "cli"])).toMatch(/^TITLE +A title$/m);
    const changes = [
      "--starts",
      "",
      "--max-clicks",
      "",
      "--no-forward-query",
      "--fallback",
      "https://example.com/f",
    ];
    await installation.run(["links", "update", "cli", TARGET, ...changes]);
    const list = JSON.parse(await installation.run(["links", "list", "--search", "a title", "--json"]));
    expect(list.links).toMatchObject([
      { starts_at: null, max_clicks: null, forward_query: false, fallback_url: "https://example.com/f" },
    ]);
    const refused = await installation.cli(["links", "add", TARGET, "--max-clicks", "0"]);
    expect(refused.exitCode).not.toBe(0);
  });

  test("a renamed link keeps its clicks, and its old code while it is an alias, also after a restart", async () => {
    await client.call("POST", "/links", { code: "old/code", target: TARGET });
    expect((await visit(server.url, "/old/code")).to).toBe(TARGET);
    expect((await visit(server.url, "/new")).status).toBe(404);
    const patched = await client.call("PATCH", "/links/old%2Fcode", {
      code: "new",
      keep_old: true,
      title: "T",
    });
    expect([patched.status, patched.body.data.code, patched.body.data.title]).toEqual([200, "new", "T"]);
    const paths = ["/new", "/old/code", "/new", "/old/code"];
    const follow = () => Promise.all(paths.map(async (path) => (await visit(server.url, path)).to));
    expect(await follow()).toEqual(Array(4).fill(TARGET));
    await until(async () => (await clicks("new")) === 5);
    const available = async (code: string) =>
      (await client.call("GET", `/links/available?code=${encodeURIComponent(code)}`)).body.data;
    expect([await available("old/code"), await available("free")]).toEqual([
      { available: false, reason: "alias" },
      { available: true },
    ]);
    expect((await client.call("GET", "/links/available")).body.error).toBe("LinkNotFound");
    await server.stop();
    server = await installation.serve();
    client = await signIn(server.url);
    expect(await follow()).toEqual(Array(4).fill(TARGET));
    expect(await installation.run(["links", "rename", "new", "newer"])).toMatch(/^CODE +newer$/m);
    await until(async () => (await visit(server.url, "/new")).status === 404);
    await until(async () => (await visit(server.url, "/newer")).status === 307);
    expect((await visit(server.url, "/old/code")).to).toBe(TARGET);
    await installation.run(["links", "update", "newer", "--title", ""]);
    const shown = JSON.parse(await installation.run(["links", "get", "newer", "--json"]));
    expect([shown.title, shown.target]).toEqual([null, TARGET]);
    await installation.run(["links", "remove", "newer"]);
    await until(async () => (await visit(server.url, "/old/code")).status === 404);
  });

  test("a use survives kill -9 and is never given twice", async () => {
    await client.call("POST", "/links", { code: "killed", target: TARGET, max_clicks: 40 });
    const first = Array.from({ length: 30 }, () => visit(server.url, "/killed"));
    await Promise.any(first.map(async (answer) => (await answer).status === 307 || Promise.reject(answer)));
    await server.kill();
    const before = statuses(await Promise.all(first))[0]!;
    server = await installation.serve();
    const after = await Promise.all(Array.from({ length: 60 }, () => visit(server.url, "/killed")));
    expect(before).toBeGreaterThan(0);
    expect(before + statuses(after)[0]!).toBeLessThanOrEqual(40);
    // At least what the first thirty did not take.
    expect(statuses(after)[0]!).toBeGreaterThanOrEqual(10);
    expect(statuses([await visit(server.url, "/killed")])).toEqual([0, 1]);
  });
});

describe.skipIf(serverUrl("postgres") === undefined)("two nodes on PostgreSQL", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({
      dialect: "postgres",
      redisUrl: "",
      nodes: 2,
      workers: 1,
      links: ["a,http://a.b"],
    });
  }, 120_000);
  afterAll(() => cluster.remove());

  test("of two visitors at once for the last use, one passes", async () => {
    const [one, two] = cluster.nodes.map((node) => node.url());
    const client = cluster.nodes[0]!.client();
    for (let round = 0; round < 10; round++) {
      const code = `last-${round}`;
      await client.call("POST", "/links", { code, target: TARGET, max_clicks: 1 });
      await until(async () => (await visit(two!, `/${code}`, { method: "HEAD" })).status === 200);
      const answers = await Promise.all([one, two, one, two].map((url) => visit(url!, `/${code}`)));
      expect(statuses(answers)).toEqual([1, 3]);
    }
  });
});
