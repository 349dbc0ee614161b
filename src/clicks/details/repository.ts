import { chunked } from "../../lib/chunked.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { createClickValues, createBoundsRepository } from "../rollups/values.repository.ts";
import type { Detail, UserAgent } from "./details.ts";
import type { DetailSums } from "../rollups/sums.ts";
import { createRollupsRepository } from "../rollups/repository.ts";
import { type BoundedSums, boundSums, createValueIds } from "../rollups/value-bounds.ts";
import type { ColumnValues, Value } from "../rollups/dimensions.ts";
import type { DropCount, DropReason } from "./gate.ts";
import type { Span } from "../rollups/time-buckets.ts";

const CHUNK = 500;
const REMEMBERED = 50_000;

export function createDetailsRepository(database: Database) {
  const { dialect } = database;
  const beginValues = createValueIds(createClickValues(database));
  const bounds = createBoundsRepository(database);
  const rollups = createRollupsRepository(database);
  const knownAgents = new Map<string, { id: number; seenDay: number }>();

  /** Ids by hash, like ValueIds. */
  async function internAgents(
    tx: Db,
    agents: readonly UserAgent[],
    day: number,
    profileOf: (value: Value) => number,
  ): Promise<Map<string, number>> {
    const ids = new Map<string, number>();
    const unknown: UserAgent[] = [];
    for (const agent of agents) {
      const known = knownAgents.get(agent.hash);
      if (known !== undefined && known.seenDay >= day) ids.set(agent.hash, known.id);
      else unknown.push(agent);
    }
    unknown.sort((a, b) => (a.hash < b.hash ? -1 : 1));
    for (const chunk of chunked(unknown, CHUNK)) {
      const hashes = chunk.map(({ hash }) => hash);
      const query = tx.updateTable("user_agents").set({ seen_day: day });
      await query.where("hash", "in", hashes).where("seen_day", "<", day).execute();
      for (const found of await findAgents(tx, hashes)) ids.set(found.hash, found.id);
      const missing = chunk.filter(({ hash }) => !ids.has(hash));
      if (missing.length === 0) continue;
      const rows = missing.map(({ hash, text, value }) => ({
        hash,
        text,
        value_id: profileOf(value),
        seen_day: day,
      }));
      await dialect.insertIgnore(tx, "user_agents", ["hash"], rows);
      for (const found of await findAgents(tx, hashes)) ids.set(found.hash, found.id);
    }
    return ids;
  }

  return {
    /**
     * Raw rows, user agents and `sums` of the details. Call it after RollupsRepository.addClicks, and its result after
     * the commit. `onBounded`: what the sums became.
     */
    async add(
      tx: Db,
      details: readonly Detail[],
      sums: DetailSums,
      onBounded: (sums: BoundedSums) => Promise<void> = async () => {},
    ): Promise<() => void> {
      const day = Math.max(0, ...sums.days.keys());
      const values = beginValues(tx, day);
      const bounded = await boundSums(sums, bounds, { tx, ids: values });
      await onBounded(bounded);
      await rollups.addDayValues(tx, bounded.days);
      await rollups.addHourValues(tx, bounded.hours);
      const agents = [...new Set(details.map(({ agent }) => agent))].filter((agent) => agent !== null);
      await values.intern(agents.map(({ value }) => value));
      const agentIds = await internAgents(tx, agents, day, (value) => values.idOf(value)!);
      await dialect.insertMany(
        tx,
        "click_log",
        details.map((detail) => ({
          link_id: detail.linkId,
          clicked_at: detail.atMs,
          referrer: detail.referrer,
          source: detail.source,
          ip_address: detail.address,
          country: detail.place?.country ?? null,
          city: detail.place?.city ?? null,
          automated: detail.isAutomated ? 1 : 0,
          user_agent_id: detail.agent === null ? null : agentIds.get(detail.agent.hash)!,
          ...named(detail.columns),
        })),
      );
      return () => {
        values.remember();
        if (knownAgents.size + agentIds.size > REMEMBERED) knownAgents.clear();
        for (const [hash, id] of agentIds) knownAgents.set(hash, { id, seenDay: day });
      };
    },
  };
}

const findAgents = (tx: Db, hashes: readonly string[]) =>
  tx.selectFrom("user_agents").select(["id", "hash"]).where("hash", "in", hashes).execute();

const named = ({ referrer: referrer_host, ...columns }: ColumnValues) => ({ ...columns, referrer_host });

export function createDetailDropsRepository({ read, dialect }: Database) {
  return {
    /** Adds to the counts, in the transaction that counts the clicks. Keys are distinct. */
    async add(tx: Db, drops: readonly DropCount[]): Promise<void> {
      // One order prevents deadlocks between flushes.
      const rows = drops.toSorted((a, b) => a.day - b.day || (a.reason < b.reason ? -1 : 1));
      await dialect.upsert(tx, { table: "detail_drops", keys: ["day", "reason"], add: ["clicks"] }, rows);
    },

    /** Subtracts imported visits that are reverted. Days that retention has removed stay away. */
    async takeOut(tx: Db, visits: readonly { day: number; clicks: number }[]): Promise<void> {
      if (visits.length === 0) return;
      const days = [...Map.groupBy(visits, ({ day }) => day)].map(([day, some]) => ({
        day,
        reason: "imported" as const,
        clicks: -some.reduce((sum, { clicks }) => sum + clicks, 0),
      }));
      await this.add(tx, days);
      for (const some of chunked(days, CHUNK)) {
        await tx
          .deleteFrom("detail_drops")
          .where("reason", "=", "imported")
          .where(
            "day",
            "in",
            some.map(({ day }) => day),
          )
          .where("clicks", "<=", 0)
          .execute();
      }
    },

    /** @param days UTC days from 1970 on; without, all with daily statistics */
    async totals(days?: Span): Promise<Partial<Record<DropReason, number>>> {
      const rows = await read
        .selectFrom("detail_drops")
        .select(["reason", ({ fn }) => fn.sum<number>("clicks").as("clicks")])
        .$if(days !== undefined, (query) => query.where("day", ">=", days!.from).where("day", "<", days!.to))
        .groupBy("reason")
        .orderBy("reason")
        .execute();
      return Object.fromEntries(rows.map(({ reason, clicks }) => [reason, Number(clicks)]));
    },
  };
}

const COUNT_EVERY_MS = 10 * 60_000;

/**
 * Counts how many raw rows `analytics.max_log_rows` still allows: last id minus first id minus holes (removed rows,
 * unused ids). Holes are counted at most every ten minutes, when the room seems used up.
 */
export function createLogCapacity({ read }: Database) {
  let holes = 0;
  let countedAt = Number.NEGATIVE_INFINITY;

  const left = async (db: Db, most: number): Promise<number> =>
    Math.max(0, most - ((await spanOf(db)) - holes));

  return {
    /** Call it in the transaction that writes the rows. */
    left,
    /** Call it outside transactions. */
    async refresh(most: number, now: number): Promise<void> {
      if (Math.abs(now - countedAt) < COUNT_EVERY_MS || (await left(read, most)) > 0) return;
      countedAt = now;
      const span = await spanOf(read);
      const some = read.selectFrom("click_log").select("id").limit(most);
      const { rows } = await read
        .selectFrom(some.as("some"))
        .select((eb) => eb.fn.countAll<number>().as("rows"))
        .executeTakeFirstOrThrow();
      holes = Math.max(0, span - Number(rows));
    },
  };
}

async function spanOf(db: Db): Promise<number> {
  const ids = db.selectFrom("click_log").select("id").limit(1);
  const first = await ids.orderBy("id").executeTakeFirst();
  const last = await ids.orderBy("id", "desc").executeTakeFirst();
  return first === undefined || last === undefined ? 0 : last.id - first.id + 1;
}
