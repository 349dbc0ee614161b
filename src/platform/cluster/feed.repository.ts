import type { Database } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import { deleteFound } from "../db/queries.ts";
import type { MissingIds } from "./feed-gaps.ts";

/** Keys are parsed on access, so a process never parses its own rows. */
export type FeedRow = { id: number; topic: string; origin: string; readonly keys: readonly string[] };

const KEYS_A_ROW = 500;
const BYTES_A_ROW = 60_000;
/** All rows of an import at once would block the event loop. */
const ROWS_AT_ONCE = 4;
const PRUNED_AT_ONCE = 1_000;
const PRUNE_PORTIONS = 100;

const parsed = (row: Omit<FeedRow, "keys"> & { payload: string }): FeedRow => ({
  id: row.id,
  topic: row.topic,
  origin: row.origin,
  get keys() {
    return JSON.parse(row.payload) as string[];
  },
});

export type Feed = ReturnType<typeof createFeed>;

export function createFeed({ read, write, dialect, commits }: Database) {
  const select = () => read.selectFrom("changes").select(["id", "topic", "origin", "payload"]).orderBy("id");
  return {
    commits,

    async append(
      tx: Db,
      changes: readonly { topic: string; keys: readonly string[] }[],
      origin: string,
      now: number,
    ): Promise<void> {
      for (const { topic, keys } of changes) {
        let rows: { topic: string; payload: string; origin: string; created_at: number }[] = [];
        for (const payload of payloads(keys)) {
          rows.push({ topic, payload, origin, created_at: now });
          if (rows.length < ROWS_AT_ONCE) continue;
          await dialect.insertMany(tx, "changes", rows);
          rows = [];
        }
        await dialect.insertMany(tx, "changes", rows);
      }
    },

    /** Ascending. */
    async newestIds(limit: number): Promise<number[]> {
      const newest = await read
        .selectFrom("changes")
        .select("id")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return newest.map(({ id }) => id).toReversed();
    },

    /** Ascending. */
    after: async (id: number, limit: number): Promise<FeedRow[]> =>
      (await select().where("id", ">", id).limit(limit).execute()).map(parsed),

    /** Ascending. The next call finds those beyond the limit. */
    within: async (ranges: readonly MissingIds[], limit: number): Promise<FeedRow[]> => {
      const found = await select()
        .where((eb) =>
          eb.or(ranges.map(({ from, to }) => eb.and([eb("id", ">=", from), eb("id", "<=", to)]))),
        )
        .limit(limit)
        .execute();
      return found.map(parsed);
    },

    /** Deletes in short transactions. */
    async prune(before: number): Promise<void> {
      const old = read.selectFrom("changes").select("id").where("created_at", "<", before);
      const oldest = old.orderBy("created_at").limit(PRUNED_AT_ONCE);
      for (let portion = 0; portion < PRUNE_PORTIONS; portion++)
        if ((await deleteFound(write, "changes", oldest)) === 0) return;
    },
  };
}

/** JSON arrays of at most KEYS_A_ROW keys and about BYTES_A_ROW bytes. */
function* payloads(keys: readonly string[]): Generator<string> {
  let row: string[] = [];
  let bytes = 2;
  for (const key of keys) {
    const size = Buffer.byteLength(JSON.stringify(key)) + 1;
    if (row.length === KEYS_A_ROW || (row.length > 0 && bytes + size > BYTES_A_ROW)) {
      yield JSON.stringify(row);
      row = [];
      bytes = 2;
    }
    row.push(key);
    bytes += size;
  }
  if (row.length > 0) yield JSON.stringify(row);
}
