/** Clicks whose details were refused stay in the books, even when the process dies. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createClicksRepository } from "../flush/repository.ts";
import {
  NO_DETAILS,
  addLinks,
  clicksOf,
  openJournal,
  segmentOf,
  temporaryFolder,
} from "../clicks.test-support.ts";
import { lostDetails } from "./gate.ts";
import { createDetailDropsRepository } from "./repository.ts";
import { createDetailGate } from "./gate.ts";
import type { SettledClicks } from "../flush/source.ts";
import { createFlusher } from "../flush/flush.ts";
import { FIRST_RECORD, detailRefusalOf } from "../journal/format.ts";
import { createBatch, openSegmentReader } from "../journal/reader.ts";
import { DAY_MS } from "../rollups/time-buckets.ts";
import { until } from "../../../test/support/until.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const TODAY = Math.floor(NOW / DAY_MS);
const folder = temporaryFolder();
let folders = 0;
const freshDir = () => join(folder, String(++folders), "0");

forEachDialect((dialect) => {
  let database: Database;
  let instance: string;
  let links: number[];
  beforeAll(async () => {
    database = await dialect.openDb();
    instance = await createClicksRepository(database).instance();
  });
  beforeEach(async () => {
    for (const table of ["click_log", "detail_drops"] as const)
      await database.write.deleteFrom(table).execute();
    links = await addLinks(database, 2);
  });

  async function start(mostLogRows = 0) {
    const dir = freshDir();
    const { journal, opened } = await openJournal({ dir, instance });
    const settled: SettledClicks[] = [];
    const flusherFor = (position: number | null) => {
      const flusher = createFlusher({
        repository: createClicksRepository(database),
        instance,
        journalDir: join(dir, ".."),
        clock: { now: () => NOW },
        logger: silentLogger,
        onSettled: (part) => settled.push(part),
        mostLogRows: () => mostLogRows,
      });
      flusher.add({ path: opened[0]!, final: position === null, position }, () => {});
      return flusher;
    };
    return { journal, settled, flusherFor };
  }

  const drops = () =>
    database.read.selectFrom("detail_drops").selectAll().orderBy("day").orderBy("reason").execute();

  test("dropped details are stored by day and reason, in the flush that counts their clicks", async () => {
    const { journal, flusherFor } = await start(1);
    const [one, other] = links as [number, number];
    for (let at = 0; at < 3; at++) journal.recordRefused(one, NOW, "full");
    journal.recordRefused(other, NOW - DAY_MS, "full");
    journal.recordRefused(one, NOW, "disconnected");
    journal.recordRefused(one, NOW, "sampled_out");
    journal.record(one, NOW);
    journal.recordDetails(one, NOW, NO_DETAILS);
    journal.recordDetails(one, NOW, NO_DETAILS);
    const flusher = flusherFor(FIRST_RECORD);
    await flusher.flush();
    expect(await clicksOf(database, links)).toEqual([8, 1]);
    const stored = [
      { day: TODAY - 1, reason: "full", clicks: 1 },
      { day: TODAY, reason: "disconnected", clicks: 1 },
      { day: TODAY, reason: "full", clicks: 3 },
      { day: TODAY, reason: "sampled_out", clicks: 1 },
      { day: TODAY, reason: "stopped", clicks: 1 },
    ];
    expect(await drops()).toEqual(stored);
    journal.recordRefused(one, NOW, "full");
    await flusher.flush();
    const { totals } = createDetailDropsRepository(database);
    const all = { full: 5, disconnected: 1, sampled_out: 1, stopped: 1 };
    expect(await totals()).toEqual(all);
    // Chosen ones are not lost.
    expect(lostDetails(all)).toBe(7);
    expect(await totals({ from: TODAY - 1, to: TODAY })).toEqual({ full: 1 });
    await journal.close();
  });

  test("drops of deleted links are not counted", async () => {
    const { journal, flusherFor } = await start();
    const [one, gone] = links as [number, number];
    journal.recordRefused(one, NOW, "full");
    journal.recordRefused(gone, NOW, "full");
    await database.write.deleteFrom("links").where("id", "=", gone).execute();
    await flusherFor(FIRST_RECORD).flush();
    expect(await drops()).toEqual([{ day: TODAY, reason: "full", clicks: 1 }]);
    await journal.close();
  });

  test("drops of a dead process enter the books of the process that counts them", async () => {
    const { journal, settled, flusherFor } = await start();
    for (let at = 0; at < 4; at++) journal.recordRefused(links[0]!, NOW, "full");
    journal.recordDetails(links[0]!, NOW, NO_DETAILS);
    await flusherFor(null).flush();
    const gate = createDetailGate({ written: () => 0, sampleRate: () => 1, mostPending: 1 });
    for (const { details, replayed } of settled) gate.settled(details, replayed);
    expect(gate.stats()).toEqual({
      recorded: 5,
      logged: 1,
      pending: 0,
      dropped: { full: 4, disconnected: 0, sampled_out: 0, signal: 0, stopped: 0, link_deleted: 0 },
    });
  });
});

describe("without a segment", () => {
  test("a detailed click waits in memory; the next segment records its details as disconnected", async () => {
    const dir = freshDir();
    const { journal, supply, opened } = await openJournal({
      dir,
      segmentBytes: segmentOf(256),
      maxSegments: 1,
    });
    const referrer = "r".repeat(900);
    for (let at = 0; at < 8; at++) journal.recordDetails(at + 1, NOW, { ...NO_DETAILS, referrer });
    journal.record(9, NOW);
    expect(journal.stats()).toMatchObject({ written: 4, overflow: 5 });
    rmSync(opened[0]!);
    supply.released();
    journal.tick();
    await until(() => journal.stats().overflow === 0);
    const reader = openSegmentReader(opened[1]!)!;
    const batch = createBatch(100);
    reader.read(batch, FIRST_RECORD, false);
    reader.close();
    const found = Array.from(batch.links.subarray(0, batch.count), (link, at) => [
      link,
      detailRefusalOf(batch.kinds[at]!),
    ]);
    expect(found).toEqual([...[5, 6, 7, 8].map((link) => [link, "disconnected" as const]), [9, null]]);
    await journal.close();
  });
});
