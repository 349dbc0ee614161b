/** Rows of codes that lead nowhere, by day. */
import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { FURTHER, type MissingCount, MOST_MISSING } from "./missing-count.ts";

export type MissingRepository = ReturnType<typeof createMissingRepository>;

/** Requests of a code in some days. */
export type MissingCode = { key: string; human: number; automated: number; seenAt: number };

/** What `seen` sorts by: the requests of these visitors. */
const COUNTED = {
  human: sql<number>`sum(human)`,
  automated: sql<number>`sum(automated)`,
  all: sql<number>`sum(human) + sum(automated)`,
} as const;

export function createMissingRepository({ read, dialect, transaction }: Database) {
  const add = async (tx: Db, day: number, counts: readonly (readonly [string, MissingCount])[]) =>
    dialect.upsert(
      tx,
      { table: "missing_codes", keys: ["day", "code"], add: ["human", "automated"], set: ["seen_at"] },
      counts.map(([code, { human, automated, seenAt }]) => ({
        day,
        code,
        human,
        automated,
        seen_at: seenAt,
      })),
    );

  return {
    /** Returns the codes that the day lists. A new one is listed while there is room. */
    add(day: number, counts: ReadonlyMap<string, MissingCount>): Promise<Set<string>> {
      return transaction(async (tx) => {
        const further = { ...(counts.get(FURTHER) ?? { human: 0, automated: 0, seenAt: 0 }) };
        // This row lets processes in one after another.
        await add(tx, day, [[FURTHER, further]]);
        const rows = await tx.selectFrom("missing_codes").select("code").where("day", "=", day).execute();
        const listed = new Set(rows.map(({ code }) => code).filter((code) => code !== FURTHER));
        const beyond = { human: 0, automated: 0, seenAt: further.seenAt };
        const own: [string, MissingCount][] = [];
        for (const [key, count] of counts) {
          if (key === FURTHER) continue;
          if (listed.has(key) || listed.size < MOST_MISSING) {
            listed.add(key);
            own.push([key, count]);
          } else {
            beyond.human += count.human;
            beyond.automated += count.automated;
          }
        }
        own.sort(([a], [b]) => (a < b ? -1 : 1));
        await add(tx, day, own);
        if (beyond.human + beyond.automated > 0) await add(tx, day, [[FURTHER, beyond]]);
        return listed;
      });
    },

    /** The most requested codes of the days, `to` included, that have no link now, and requests of unlisted ones. */
    async seen(from: number, to: number, visitors: keyof typeof COUNTED, limit: number) {
      const counted = COUNTED[visitors];
      const ofDays = read.selectFrom("missing_codes").where("day", ">=", from).where("day", "<=", to);
      const [codes, further] = await Promise.all([
        ofDays
          .leftJoin("links", "links.code", "missing_codes.code")
          .leftJoin("link_aliases", "link_aliases.code", "missing_codes.code")
          .select((eb) => [
            "missing_codes.code as key",
            eb.fn.sum<number>("human").as("human"),
            eb.fn.sum<number>("automated").as("automated"),
            eb.fn.max("seen_at").as("seenAt"),
          ])
          .where("missing_codes.code", "<>", FURTHER)
          .where("links.id", "is", null)
          .where("link_aliases.link_id", "is", null)
          .groupBy("missing_codes.code")
          .having(counted, ">", 0)
          .orderBy(counted, "desc")
          .orderBy("missing_codes.code")
          .limit(limit)
          .execute(),
        ofDays
          .select((eb) => [
            eb.fn.sum<number | null>("human").as("human"),
            eb.fn.sum<number | null>("automated").as("automated"),
          ])
          .where("code", "=", FURTHER)
          .executeTakeFirstOrThrow(),
      ]);
      return {
        codes: codes.map(
          ({ key, human, automated, seenAt }): MissingCode => ({
            key,
            human: Number(human),
            automated: Number(automated),
            seenAt: Number(seenAt),
          }),
        ),
        further: { human: Number(further.human ?? 0), automated: Number(further.automated ?? 0) },
      };
    },
  };
}
