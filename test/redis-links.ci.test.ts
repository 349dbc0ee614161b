/** Aliases, enforced passwords and codes without case on two nodes that share links in Redis. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { serverUrl } from "../src/platform/db/fresh.test-support.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import type { Client } from "./support/session.ts";
import { until } from "./support/until.ts";

const REDIS_URL = process.env["WAYMARK_TEST_REDIS_URL"] ?? "";
const TARGET = "https://example.com/";

describe.skipIf(REDIS_URL === "" || serverUrl("postgres") === undefined)("two nodes with Redis", () => {
  let cluster: Cluster;
  let client: Client;
  beforeAll(async () => {
    cluster = await startCluster({
      dialect: "postgres",
      redisUrl: REDIS_URL,
      nodes: 2,
      workers: 1,
      links: [`kept,${TARGET}kept`],
    });
    client = cluster.nodes[0]!.client();
  }, 120_000);
  afterAll(() => cluster?.remove());

  /** Status and target on each node. */
  const visit = (code: string) =>
    Promise.all(
      cluster.nodes.map(async (node) => {
        const answer = await fetch(`${node.url()}/${code}`, { redirect: "manual" });
        await answer.body?.cancel();
        return [answer.status, answer.headers.get("Location")];
      }),
    );
  /** Each node follows within its bound; the node of the change at once. */
  const leads = async (code: string, status: number, location: string | null) => {
    const wanted = [status, location];
    expect([code, (await visit(code))[0]]).toEqual([code, wanted]);
    await until(async () => Bun.deepEquals((await visit(code))[1], wanted));
  };

  test("an alias follows every change of its link, on both nodes", async () => {
    await client.call("POST", "/links", { code: "old", target: `${TARGET}1` });
    await leads("old", 307, `${TARGET}1`);
    await leads("new", 404, null);
    await client.call("PATCH", "/links/old", { code: "new", keep_old: true });
    for (const code of ["old", "new"]) await leads(code, 307, `${TARGET}1`);
    await client.call("PUT", "/links/new", { target: `${TARGET}2` });
    for (const code of ["old", "new"]) await leads(code, 307, `${TARGET}2`);
    await client.call("PATCH", "/links/new", { redirect_status: 301 });
    for (const code of ["old", "new"]) await leads(code, 301, `${TARGET}2`);
    await client.call("PATCH", "/links/new", { code: "old" });
    await leads("new", 404, null);
    await leads("old", 301, `${TARGET}2`);
    await client.call("PATCH", "/links/old", { code: "last", keep_old: true });
    await leads("old", 301, `${TARGET}2`);
    await client.call("DELETE", "/links/last");
    for (const code of ["old", "last"]) await leads(code, 404, null);
    const [{ id }] = (await client.call("GET", "/links/deleted")).body.data;
    await client.call("POST", `/links/deleted/${id}/restore`, {});
    for (const code of ["old", "last"]) await leads(code, 301, `${TARGET}2`);
  });

  test("the setting for passwords holds for links that Redis keeps, and ends with the setting", async () => {
    await client.call("POST", "/links", { code: "secret", target: `${TARGET}s`, password: "open sesame" });
    await client.call("PATCH", "/links/secret", { code: "hidden", keep_old: true });
    const enforce = (value: string) =>
      client.call("PUT", "/config/features.enforce_link_passwords", { value });
    for (const round of [1, 2]) {
      expect(round).toBeGreaterThan(0);
      for (const code of ["secret", "hidden"]) await leads(code, 307, `${TARGET}s`);
      await enforce("true");
      for (const code of ["secret", "hidden"]) await leads(code, 401, null);
      await leads("kept", 307, `${TARGET}kept`);
      await enforce("false");
    }
    for (const code of ["secret", "hidden"]) await leads(code, 307, `${TARGET}s`);
  });

  test("codes lead on as they were written while the nodes begin to ignore case, then in any case", async () => {
    const codes = Array.from({ length: 30 }, (_, at) => `Mixed-${at}`);
    for (const code of codes) await client.call("POST", "/links", { code, target: `${TARGET}${code}` });
    // Both nodes know that no link has these codes.
    for (const code of codes)
      expect((await visit(code.toLowerCase())).map(([status]) => status)).toEqual([404, 404]);
    const failed: unknown[] = [];
    let isChanging = true;
    const visits = (async () => {
      for (let at = 0; isChanging; at++) {
        const code = codes[at % codes.length]!;
        for (const [status, to] of await visit(code))
          if (status !== 307 || to !== `${TARGET}${code}`) failed.push([code, status, to]);
      }
    })();
    const ignoreCase = (value: string) => client.call("PUT", "/config/links.ignore_case", { value });
    expect((await ignoreCase("true")).status).toBe(200);
    // The response waited for it on its node.
    expect((await visit(codes.at(-1)!.toUpperCase()))[0]).toEqual([307, `${TARGET}${codes.at(-1)!}`]);
    for (const code of codes) {
      for (const written of [code.toLowerCase(), code.toUpperCase()]) {
        const expected = [307, `${TARGET}${code}`];
        await until(async () => Bun.deepEquals(await visit(written), [expected, expected]));
      }
    }
    isChanging = false;
    await visits;
    expect(failed).toEqual([]);
    const { body } = await client.call("GET", "/links?search=mixed-&page_size=100");
    expect(body.data.map(({ code }: { code: string }) => code).toSorted()).toEqual(
      codes.map((code) => code.toLowerCase()).toSorted(),
    );
    expect((await client.call("POST", "/links", { code: "NEW", target: TARGET })).body.data.code).toBe("new");
    expect((await client.call("POST", "/links", { code: "nEw", target: TARGET })).status).toBe(409);
    await leads("NeW", 307, TARGET);
    await client.call("PUT", "/links/NEW", { target: `${TARGET}changed` });
    for (const code of ["NEW", "new"]) await leads(code, 307, `${TARGET}changed`);
    await ignoreCase("false");
    await leads("NEW", 404, null);
    await client.call("POST", "/links", { code: "NEW", target: TARGET });
    const refused = await ignoreCase("true");
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining("NEW and new")]);
    await client.call("DELETE", "/links/NEW");
    await client.call("DELETE", "/links/new");
  });

  test("a node that starts later reads them from Redis unchanged", async () => {
    await client.call("PUT", "/config/features.enforce_link_passwords", { value: "true" });
    await leads("secret", 401, null);
    await cluster.nodes[1]!.stop();
    await client.call("PUT", "/config/features.enforce_link_passwords", { value: "false" });
    await cluster.nodes[1]!.start();
    await leads("secret", 307, `${TARGET}s`);
    await leads("hidden", 307, `${TARGET}s`);
  });
});
