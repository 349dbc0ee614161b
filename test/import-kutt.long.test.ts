/** Links and visits of a real Kutt, named by KUTT_DIR. Without one it says why it is skipped. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forEachDialect, WITHOUT_MYSQL } from "../src/db/for-each-dialect.ts";
import { OPTIONS, openImports } from "../src/imports/imports.test-support.ts";
import { COMMAND } from "../src/lib/actor.ts";
import { fillKutt, missingKutt, startKutt } from "./support/kutt.ts";

const MISSING = missingKutt();
/** Kutt looks up the host of each that its API makes; the others are copies of these. */
const MADE = 100;
const LINKS = 3_000;
/** Kutt counts hours of the present only; these are written into its file. */
const HOURS = 20_000;
const HOUR_MS = 3_600_000;
const FIRST = Date.parse("2026-09-01T00:00:00Z");

if (MISSING !== null) console.log(`skipped: import from Kutt, ${MISSING}`);
else
  forEachDialect((dialect) => {
    test("every link leads where it led in Kutt, every hour has its visits, and undo leaves nothing", async () => {
      const folder = mkdtempSync(join(tmpdir(), "waymark-kutt-"));
      const kutt = await startKutt(folder);
      const room = await openImports(await dialect.openDb());
      try {
        await fillKutt(kutt);
        for (let at = 0; at < MADE; at++) {
          const target = `https://example.com/${at}?q=${"x".repeat(at % 500)}`;
          await kutt.call("/links", { target, customurl: at % 2 === 0 ? `Code-${at}` : `code-${at - 1}` });
        }
        const database = new Database(kutt.database);
        database.run("pragma busy_timeout = 30000");
        database.run("delete from visits");
        database.run(
          `with recursive n(i) as (select ${MADE} union all select i + 1 from n where i < ${LINKS - 1})
           insert into links (address, target, user_id, uuid)
           select iif(i % 2, 'code-' || (i - 1), 'Code-' || i), 'https://example.com/' || i || '?a=%20&b=ä', 1, hex(randomblob(16)) from n`,
        );
        database.run(
          `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${HOURS - 1})
           insert into visits (link_id, user_id, total, created_at, countries, referrers)
           select 1 + i % ${LINKS}, 1, 1 + i % 7, datetime(${FIRST / 1_000} + (i / ${LINKS}) * 3600 + i % 3600, 'unixepoch'), '{}', '{}' from n`,
        );
        database.run(
          "update links set visit_count = 5 + coalesce((select sum(total) from visits where link_id = links.id), 0)",
        );
        await room.links.domainService.create({ host: "go.test" }, COMMAND);
        const before = await room.counts();
        const id = await room.bring({ product: "kutt", source: kutt.database, options: OPTIONS });
        const { state, report } = await room.imports.find(id);
        expect([state, report.counts.links_read, report.counts.links_refused]).toEqual([
          "done",
          LINKS + 10,
          1,
        ]);
        const links = database
          .query<{ address: string; target: string; visit_count: number }, []>(
            "select address, target, visit_count from links where domain_id is null and password is null and banned = 0 and target like 'http%'",
          )
          .all();
        for (const { address, target, visit_count: clicks } of links) {
          const there = await fetch(`${kutt.origin}/${address}`, { redirect: "manual" });
          const here = await room.links.get(address);
          expect(new URL(there.headers.get("location")!).href).toBe(new URL(target).href);
          expect(here).toMatchObject({ target, clickCount: clicks });
        }
        const sums = database
          .query<{ hour: number; clicks: number }, []>(
            `select unixepoch(v.created_at) / 3600 as hour, sum(v.total) as clicks from visits v join links l on l.id = v.link_id
             where l.target like 'http%' group by 1 order by 1`,
          )
          .all();
        const hours = await room.database.read
          .selectFrom("click_hours")
          .select((eb) => ["hour", eb.fn.sum<number>("clicks").as("clicks")])
          .where("link_id", "=", 0)
          .groupBy("hour")
          .orderBy("hour")
          .execute();
        expect(hours.map(({ hour, clicks }) => ({ hour, clicks: Number(clicks) }))).toEqual(sums);
        expect(sums[0]!.hour).toBe(FIRST / HOUR_MS);
        database.close();
        await room.undo(id);
        expect(await room.counts()).toEqual(before);
      } finally {
        await room.close();
        await kutt.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    }, 600_000);
  }, WITHOUT_MYSQL);
