import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { isRetryable } from "../../platform/db/failures.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type LinksRoom, openLinks, TARGET } from "../../links/links.test-support.ts";
import { openJournal, segmentOf, temporaryFolder } from "../clicks.test-support.ts";
import { createClicksRepository } from "./repository.ts";
import { createFlusher } from "./flush.ts";

/** So many writers may deadlock more often than a transaction repeats; then nothing happened. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs++) {
    try {
      return await work();
    } catch (error) {
      if (runs === 20 || !isRetryable(error)) throw error;
    }
  }
}

const LINKS = 6;
const ROUNDS = 12;
/** One segment holds the clicks of the longest run: the flusher knows no second one. */
const MOST_FLUSHES = 5_000;
const MOST_CLICKS = LINKS * (MOST_FLUSHES + 2 * LINKS * ROUNDS + 1);

forEachDialect(({ openDb }) => {
  const folder = temporaryFolder();
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await openDb({ poolSize: 8 }));
  });

  test("every accepted click counts while links are deleted and put back under load", async () => {
    const { database, links } = room;
    const repository = createClicksRepository(database);
    const instance = await repository.instance();
    const journalDir = join(folder, "j");
    const { journal, opened } = await openJournal({
      dir: join(journalDir, "0"),
      instance,
      segmentBytes: segmentOf(MOST_CLICKS),
    });
    const flusher = createFlusher({
      repository,
      instance,
      journalDir,
      clock: { now: Date.now },
      logger: silentLogger,
      onSettled: () => {},
    });
    flusher.add({ path: opened[0]!, final: false, position: 4096 }, () => {});
    const ids: number[] = [];
    for (let at = 0; at < LINKS; at++) {
      await links.create({ code: `c${at}`, target: TARGET });
      ids.push((await links.get(`c${at}`)).id);
    }
    const accepted = ids.map(() => 0);
    const click = () => {
      for (const [at, id] of ids.entries()) {
        journal.record(id, Date.now());
        accepted[at]! += 1;
      }
    };
    let isDone = false;
    const flushing = (async () => {
      for (let flushes = 1; !isDone && flushes < MOST_FLUSHES; flushes++) {
        click();
        await again(() => flusher.flush());
      }
    })();
    await Promise.all(
      ids.map(async (id, at) => {
        for (let round = 0; round < ROUNDS; round++) {
          click();
          await again(() => links.remove(`c${at}`));
          click();
          await again(() => links.deleted.restore(COMMAND, id, null));
        }
      }),
    );
    isDone = true;
    await flushing;
    await links.remove("c0");
    click();
    await flusher.flush();
    await links.deleted.restore(COMMAND, ids[0]!, null);
    const counted = await Promise.all(ids.map(async (_, at) => (await links.get(`c${at}`)).clickCount));
    expect(counted).toEqual(accepted);
    for (const table of ["click_hours", "click_days", "click_months"] as const) {
      const sums = await Promise.all(
        ids.map(async (id) => {
          const rows = await database.read
            .selectFrom(table as "click_days")
            .select("clicks")
            .where("link_id", "=", id)
            .execute();
          return rows.reduce((sum, row) => sum + row.clicks, 0);
        }),
      );
      expect(sums).toEqual(accepted);
    }
    await journal.close();
    await database.close();
  });
});
