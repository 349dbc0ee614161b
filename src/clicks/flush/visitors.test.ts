/** Unique visitors against a model that remembers everything: two nodes, kills, midnight, late clicks. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { silentLogger } from "../../lib/logger.ts";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { addLinks, NO_DETAILS, openJournal, segmentOf, temporaryFolder } from "../clicks.test-support.ts";
import { FIRST_RECORD } from "../journal/format.ts";
import { UTC } from "../rollups/calendar.ts";
import { DAY_MS } from "../rollups/time-buckets.ts";
import { VISITOR_DAYS } from "../rollups/visitors.repository.ts";
import { visitorOf } from "../unique/visitor.ts";
import { createFlusher } from "./flush.ts";
import { createClicksRepository } from "./repository.ts";

/** Two hours before midnight. */
const EVENING = Date.UTC(2026, 10, 20, 22);
const SALTS = new Map<number, string>();
const saltOf = (at: number): string =>
  SALTS.getOrInsertComputed(UTC.day.of(at), (day) => `salt of ${day} ${Math.random()}`);

type Pair = [visitors: number, automated: number];

/** Knows everybody by address, agent and class. */
function createModel() {
  const seen = new Map<string, Set<string>>();
  return {
    add(link: number, at: number, who: string, isAutomated: boolean): void {
      for (const id of [0, link])
        seen
          .getOrInsertComputed(`${UTC.day.of(at)} ${id}`, () => new Set())
          .add(`${isAutomated ? "automated" : "human"} ${who}`);
    },
    sums: (): Record<string, Pair> =>
      Object.fromEntries(
        [...seen].map(([key, set]) => [
          key,
          [set.size, [...set].filter((who) => who.startsWith("automated")).length],
        ]),
      ),
  };
}

forEachDialect((dialect) => {
  const folder = temporaryFolder();
  let folders = 0;
  let databases: Database[];
  let instance: string;
  let links: number[];
  let now = EVENING;

  beforeAll(async () => {
    const first = await dialect.openDb();
    // One process has one connection that writes to a file.
    databases = [first, dialect.name === "sqlite" ? first : await dialect.openDb()];
    instance = await createClicksRepository(databases[0]!).instance();
    links = await addLinks(databases[0]!, 3);
  });
  beforeEach(async () => {
    now = EVENING;
    for (const table of ["click_visitors", "visitor_days", "click_log"] as const)
      await databases[0]!.write.deleteFrom(table).execute();
  });

  async function startNode(database: Database) {
    const journalDir = join(folder, String(++folders));
    const { journal, opened, sealed } = await openJournal({
      dir: join(journalDir, "0"),
      instance,
      segmentBytes: segmentOf(2_000),
      now: () => now,
    });
    const options = {
      repository: createClicksRepository(database),
      instance,
      journalDir,
      clock: { now: () => now },
      logger: silentLogger,
      onSettled: () => {},
      batchDetails: 50,
    };
    const added = new Set<string>();
    let flusher = createFlusher(options);
    return {
      journal,
      async flush() {
        for (const path of opened) {
          if (added.has(path)) continue;
          added.add(path);
          flusher.add({ path, final: false, position: FIRST_RECORD }, () => {});
        }
        for (const path of sealed) flusher.seal(path);
        await flusher.flush();
      },
      /** A successor that knows nothing but the files counts from the last position. */
      kill() {
        flusher = createFlusher(options);
        for (const path of added) flusher.add({ path, final: false, position: null }, () => {});
      },
    };
  }

  const stored = async (): Promise<Record<string, Pair>> =>
    Object.fromEntries(
      (await databases[0]!.read.selectFrom("visitor_days").selectAll().execute()).map((row) => [
        `${row.day} ${row.link_id}`,
        [row.visitors, row.automated],
      ]),
    );

  test("each counts once a day, for a link and for all together", async () => {
    const nodes = await Promise.all(databases.map(startNode));
    const model = createModel();
    for (let step = 0; step < 500; step++) {
      now += Math.floor(Math.random() * 60_000);
      const node = nodes[Math.floor(Math.random() * 2)]!;
      const link = links[Math.floor(Math.random() ** 2 * links.length)]!;
      const address = `192.0.2.${Math.floor(Math.random() ** 2 * 60)}`;
      const agent = Math.random() < 0.5 ? "one" : "another";
      const isAutomated = Math.random() < 0.2;
      const isKnown = Math.random() < 0.95;
      const visitor = isKnown ? visitorOf(saltOf(now), { address, agent, isAutomated }) : 0;
      node.journal.recordDetails(link, now, { ...NO_DETAILS, visitor }, isAutomated);
      if (isKnown) model.add(link, now, `${address} ${agent}`, isAutomated);
      if (step % 61 === 60) await Promise.all(nodes.map(({ flush }) => flush()));
      if (step % 130 === 129) node.kill();
    }
    await Promise.all(nodes.map(({ flush }) => flush()));
    expect(new Set(Object.keys(model.sums()).map((key) => key.split(" ")[0])).size).toBe(2);
    expect(await stored()).toEqual(model.sums());
  });

  test("clicks that come when nobody knows any more who was there add no visitor", async () => {
    const { journal, flush } = await startNode(databases[0]!);
    for (const age of [0, VISITOR_DAYS - 1, VISITOR_DAYS])
      journal.recordDetails(links[0]!, EVENING - age * DAY_MS, { ...NO_DETAILS, visitor: 7 });
    await flush();
    const today = UTC.day.of(EVENING);
    expect(await stored()).toEqual(
      Object.fromEntries(
        [today, today - VISITOR_DAYS + 1].flatMap((day) => [
          [`${day} 0`, [1, 0]],
          [`${day} ${links[0]}`, [1, 0]],
        ]),
      ),
    );
  });
});
