/** The index of the texts of links, which follows them later; and statistics after large changes. */
import { expect, spyOn, test } from "bun:test";
import { sql } from "kysely";
import { type Database, openDatabase } from "../../platform/db/database.ts";
import { createFresh } from "../../platform/db/fresh.test-support.ts";
import { migrateUp } from "../../platform/db/migrate.ts";
import { silentLogger } from "../../lib/logger.ts";
import { addToTotal } from "../link/query.repository.ts";
import { createSearchIndexJob, createTotalJob } from "./jobs.ts";

async function withDatabase(run: (database: Database) => Promise<void>): Promise<void> {
  const { url, drop } = await createFresh("sqlite");
  const database = await openDatabase({ url, poolSize: 2 }, { threads: false, logger: silentLogger });
  try {
    await migrateUp(database, { logger: silentLogger });
    await run(database);
  } finally {
    await database.close();
    await drop();
  }
}

const never = new AbortController().signal;
const rowOf = (id: number, target: string) => ({
  id,
  code: `c${id}`,
  target,
  created_at: 1,
  updated_at: 1,
});

async function candidates({ read, dialect }: Database, needle: string): Promise<number[]> {
  const found = dialect.linkCandidates(needle, 1_000)!;
  const { rows } = await sql<{ id: number }>`select id from ${found} as found order by id`.execute(read);
  return rows.map(({ id }) => id);
}

test("new, changed, deleted and restored links are candidates at once, and others no more once indexed", () =>
  withDatabase(async (database) => {
    const { write, dialect } = database;
    const index = () => createSearchIndexJob(database)!.run(never);
    const links = Array.from({ length: 450 }, (_, at) =>
      rowOf(at + 1, `https://a.test/${at % 9 ? "hay" : "Nadel"}`),
    );
    await dialect.insertMany(write, "links", links);
    const needles = links.filter(({ target }) => target.endsWith("Nadel")).map(({ id }) => id);
    expect(await candidates(database, "nadel")).toHaveLength(450);
    await index();
    expect(await candidates(database, "nADEL")).toEqual(needles);
    // Both changes of a link before the next run count.
    await write.updateTable("links").set({ title: "Heuhaufen" }).where("id", "=", 1).execute();
    await write.updateTable("links").set({ target: "https://a.test/gone" }).where("id", "=", 1).execute();
    await write.deleteFrom("links").where("id", "in", [10, 19]).execute();
    expect(await candidates(database, "heuhaufen")).toEqual([1, 10, 19]);
    await write.insertInto("links").values(rowOf(19, "https://a.test/nadelwald")).execute();
    await index();
    expect(await candidates(database, "nadel")).toEqual(needles.filter((id) => id !== 1 && id !== 10));
    expect(await candidates(database, "nadelwald")).toEqual([19]);
    expect(await candidates(database, "heuhaufen")).toEqual([1]);
    // What the index does not hold needs no work.
    await write.updateTable("links").set({ updated_at: 2 }).execute();
    const { rows } = await sql`select * from link_texts_due`.execute(write);
    expect(rows).toEqual([]);
  }));

test("many added links have statistics made, few do not", () =>
  withDatabase(async (database) => {
    const refreshed = spyOn(database.dialect, "refreshStatistics");
    const job = createTotalJob(database, silentLogger);
    const add = async (...counts: number[]) => {
      for (const links of counts) await addToTotal(database.write, { links, clicks: 0, automated: 0 });
      await job.run(never);
    };
    // The first run compares the total with the links.
    await add();
    await add(1, 5_000);
    expect(refreshed).not.toHaveBeenCalled();
    await add(5_000);
    expect(refreshed).toHaveBeenCalledTimes(1);
    await add(20);
    expect(refreshed).toHaveBeenCalledTimes(1);
    refreshed.mockRestore();
  }));
