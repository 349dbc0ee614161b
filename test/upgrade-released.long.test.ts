/**
 * An upgrade from each released version to this one, on all databases, while visitors come and links are made. Releases
 * are the tags of the checkout; WAYMARK_TEST_UPGRADE_FROM names other commits. upgrade.long.test.ts has kills and failing
 * steps, on a version that is made up.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createFresh,
  DIALECT_NAMES,
  type DialectName,
  type Fresh,
  serverUrl,
} from "../src/platform/db/fresh.test-support.ts";
import { run } from "../scripts/release.d/tools.ts";
import { type Client, clientOf, PASSWORD, signIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import { install, type Installation, type RunningWaymark } from "./support/waymark.ts";

const ROOT = join(import.meta.dir, "..");
const VISITORS = 4;
const given = process.env["WAYMARK_TEST_UPGRADE_FROM"];
const releases =
  given?.split(",") ??
  (await run(["git", "tag", "--list", "v*"], ROOT)).split("\n").filter((tag) => tag !== "");

/** Visits and writes without a pause between them. Each must succeed. */
function startLoad(server: RunningWaymark, client: Client) {
  const counts = { redirects: 0, links: 0 };
  const failures: unknown[] = [];
  let isOver = false;
  const repeat = async (work: () => Promise<void>) => {
    while (!isOver) await work().catch((error: unknown) => failures.push(error));
  };
  const visit = async () => {
    const { status } = await fetch(`${server.url}/first`, { redirect: "manual" });
    expect(status).toBe(307);
    counts.redirects += 1;
  };
  const write = async () => {
    const link = { code: `w${counts.links}`, target: "https://example.com/" };
    expect((await client.call("POST", "/links", link)).status).toBe(201);
    counts.links += 1;
    await Bun.sleep(5);
  };
  const running = [...Array.from({ length: VISITORS }, () => repeat(visit)), repeat(write)];
  return {
    counts,
    failures,
    async goesOn() {
      const { redirects, links } = counts;
      await until(
        () => failures.length > 0 || (counts.redirects > redirects + 50 && counts.links > links + 5),
      );
      expect(failures).toEqual([]);
    },
    async stop() {
      isOver = true;
      await Promise.all(running);
      expect(failures).toEqual([]);
      return counts;
    },
  };
}

function tell(release: string, name: DialectName): void {
  const folder = mkdtempSync(join(tmpdir(), "waymark-released-"));
  const tree = join(folder, "tree");
  let fresh: Fresh;
  let old: Installation;
  let now: Installation;
  let server: RunningWaymark;
  let client: Client;
  let load: ReturnType<typeof startLoad>;

  beforeAll(async () => {
    await run(["git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, tree], ROOT);
    await run(["git", "checkout", "--quiet", "--detach", release], tree);
    symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
    fresh = await createFresh(name);
    const settings = name === "sqlite" ? {} : { WAYMARK__DATABASE__URL: fresh.url };
    old = install(settings, join(tree, "bin/waymark"));
    now = install({ ...settings, WAYMARK__DATA__DIR: old.dataDir });
    await old.run(["reset-password", "--stdin"], PASSWORD);
    server = await old.serve();
    client = await signIn(server.url);
    await client.call("POST", "/links", { code: "first", target: "https://example.com/" });
    load = startLoad(server, client);
    await load.goesOn();
  });
  afterAll(async () => {
    await load?.stop().catch(() => {});
    await now?.remove();
    await old?.remove();
    await fresh?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the schema is upgraded by one of two that start at once, and the old server goes on", async () => {
    const both = await Promise.all([1, 2].map(() => now.run(["migrate", "up", "--json"])));
    const applied: string[] = both.flatMap((text) => JSON.parse(text).applied);
    expect(new Set(applied).size).toBe(applied.length);
    await load.goesOn();
    const doctor = JSON.parse((await now.cli(["doctor", "--json"])).stdout) as { part: string }[];
    expect(doctor.filter(({ part }) => part === "schema")).toMatchObject([{ verdict: "ok" }]);
  });

  test("this version has every link and counts every redirect", async () => {
    const { redirects, links } = await load.stop();
    await server.kill();
    server = await now.serve();
    client = clientOf(server.url, client.token);
    const stats = async () => (await client.call("GET", "/stats")).body.data;
    await until(async () => (await stats()).total_clicks === redirects);
    expect((await stats()).total_links).toBe(links + 1);
    await client.call("POST", "/links", { code: "new", target: "https://example.com/" });
    const { status } = await fetch(`${server.url}/new`, { redirect: "manual" });
    expect(status).toBe(307);
  });
}

test.skipIf(releases.length > 0)("there is no release yet", () => {});

for (const release of releases)
  for (const name of DIALECT_NAMES) {
    const isMissing = name !== "sqlite" && serverUrl(name) === undefined;
    describe.skipIf(isMissing)(`from ${release} with ${name}`, () => tell(release, name));
  }
