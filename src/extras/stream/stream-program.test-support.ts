/** The process that test/extras/clickhouse.long.test.ts kills: `… DATABASE_URL CLICKHOUSE_URL` sends clicks that just arrived. */
import { openDatabase } from "../../platform/db/database.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createClickStream } from "./stream.ts";

const [databaseUrl = "", url = ""] = process.argv.slice(2);
const database = await openDatabase(
  { url: databaseUrl, poolSize: 2 },
  { threads: false, logger: silentLogger },
);
let now = Date.now();
const { job } = createClickStream({
  database,
  url,
  nameOf: (code) => ({ code, domain: null }),
  clock: { now: () => now },
});
for (;;) {
  // Rows settle from one run to the next.
  now += 3 * 60_000;
  await job.run(new AbortController().signal).catch(() => {});
  await Bun.sleep(20);
}
