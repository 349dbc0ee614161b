/** A move on the command line, as people make it: killed, continued, undone, made again, compared. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { until } from "./until.ts";
import { BUILT, install, type RunningWaymark } from "./waymark.ts";

export const MOVE_LIMIT_MS = 3_600_000;
const WRITTEN = ["links", "link_clicks", "deleted_links", "tags", "link_tags", "domains"].concat(
  ["click_hours", "click_days", "click_months", "click_log", "click_dim_hours", "click_dim_days"],
  ["click_dim_months", "import_links", "import_clicks"],
);

type Product = {
  /** Arguments of `waymark import`: name, source and others. */
  from: readonly [string, string, ...string[]];
  /** Of its API. */
  key?: string;
  origin: string;
  stop(): Promise<void>;
};
type Expected = {
  counts: Record<string, number>;
  /** Of each hour with one; automated ones are in both. */
  clicks: { hour: number; clicks: number; automated: number }[];
  /** Codes of the default domain. */
  asks: number;
  /** Codes that lead elsewhere here, and on purpose. */
  differ: readonly string[];
};

/** The product starts before the tests, in the folder of Waymark's data, and is filled. */
export function movingFrom<P extends Product>(
  start: (folder: string) => Promise<P>,
  fill: (product: P) => Promise<void>,
) {
  const installation = install();
  let product: P;
  let server: RunningWaymark;

  beforeAll(async () => {
    product = await start(installation.dataDir);
    await fill(product);
    server = await installation.serve();
    await installation.run(["config", "set", "analytics.enable_detailed_logging", "true"]);
    // Visits of long ago stay.
    await installation.run(["config", "set", "analytics.enable_auto_rollup", "false"]);
  }, MOVE_LIMIT_MS);
  afterAll(async () => {
    await product?.stop();
    await installation.remove();
  });

  function ask<T>(query: string): T[] {
    using database = new Database(join(installation.dataDir, "waymark.db"), { readonly: true });
    return database.query(query).all() as T[];
  }
  const countOf = (table: string) => ask<{ n: number }>(`select count(*) as n from ${table}`)[0]!.n;
  const counts = () => WRITTEN.map((table) => [table, countOf(table)]);

  /** Kills the command once the table has rows. */
  async function killed(table: string): Promise<void> {
    const program = BUILT ?? join(import.meta.dir, "..", "..", "bin", "waymark");
    const moving = Bun.spawn([program, "import", ...product.from, "--visits", "--add-domains"], {
      env: { ...process.env, WAYMARK__DATA__DIR: installation.dataDir },
      stdin: Buffer.from(product.key ?? ""),
      stdout: "ignore",
      stderr: "pipe",
    });
    await until(() => moving.exitCode !== null || countOf(table) > 0, MOVE_LIMIT_MS / 25);
    if (moving.exitCode !== null) throw new Error(`it ended: ${await new Response(moving.stderr).text()}`);
    moving.kill("SIGKILL");
    await moving.exited;
  }

  return {
    ask,
    /** With a kill once the table has rows. */
    async story(table: string, { counts: expected, clicks, asks, differ }: Expected): Promise<void> {
      const before = counts();
      await killed(table);
      const resumed = await installation.cli(["import", "resume", "1", product.from[1]]);
      const moved = JSON.parse(await installation.run(["import", "show", "1"]));
      expect([moved.state, moved.counts], resumed.stderr).toMatchObject(["done", expected]);
      const hours = "select hour, clicks, automated from click_hours where link_id = 0 order by hour";
      const wrong = ask(hours).filter((one, at) => !Bun.deepEquals(one, clicks[at]));
      expect([wrong.length, wrong.slice(0, 3)]).toEqual([0, []]);
      expect(ask(hours)).toHaveLength(clicks.length);

      await installation.run(["import", "undo", "1"]);
      expect(counts()).toEqual(before);

      await installation.cli(["import", ...product.from, "--add-domains"], product.key);
      const asked = ["--against", product.origin, "--own-url", server.url, "--rate", "1000", "--json"];
      const { stdout } = await installation.cli(["import", "compare", ...asked]);
      const compared = JSON.parse(stdout) as { compared: number; differences: { code: string }[] };
      const others = compared.differences.filter(({ code }) => !differ.includes(code));
      expect(others.slice(0, 10)).toEqual([]);
      expect(compared.differences).toHaveLength(differ.length);
      expect(compared.compared).toBe(asks);
    },
  };
}
