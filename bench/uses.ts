/**
 * Uses of one link with `max_clicks` on SQLite, asked for by 16 visitors at once until none is left:
 *
 *     bin/bun bench/uses.ts [uses]
 *
 * Each use is committed before its visitor passes. As many must pass as the limit says.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChanges } from "../src/cluster/changes.ts";
import { openDatabase } from "../src/db/database.ts";
import { migrateUp } from "../src/db/migrate.ts";
import { createEvents } from "../src/events/events.service.ts";
import { COMMAND } from "../src/lib/actor.ts";
import { systemClock } from "../src/lib/clock.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { createLinkService } from "../src/links/links.service.ts";

const USES = Number(process.argv[2] ?? 30_000);
const VISITORS = 16;
const GOAL = 3_000;

const folder = mkdtempSync(join(tmpdir(), "waymark-bench-uses-"));
const url = `sqlite:${join(folder, "bench.db")}`;
const database = await openDatabase({ url, poolSize: 1 }, { threads: true, logger: silentLogger });
try {
  await migrateUp(database, { logger: silentLogger });
  const service = createLinkService({
    database,
    changes: createChanges({ database, clock: systemClock, logger: silentLogger }),
    record: createEvents({ database, clock: systemClock }).add,
    routePrefixes: () => [],
    randomCodeLength: () => 6,
    shareCodeLength: () => 14,
    hashPassword: async () => "",
    clock: systemClock,
  });
  await service.by(COMMAND).create({ code: "a", target: "https://example.com/", max_clicks: USES });
  const { id } = await database.read.selectFrom("links").select("id").executeTakeFirstOrThrow();
  const begun = performance.now();
  const passed = await Promise.all(
    Array.from({ length: VISITORS }, async () => {
      let uses = 0;
      while (await service.uses.take(id)) uses++;
      return uses;
    }),
  );
  const perSecond = (USES / (performance.now() - begun)) * 1000;
  const given = passed.reduce((sum, uses) => sum + uses, 0);
  console.log(`${perSecond.toFixed(0)} uses a second   goal ${GOAL}`);
  console.log(`${given} of ${USES} passed   ${given === USES ? "exact" : "WRONG"}`);
} finally {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
