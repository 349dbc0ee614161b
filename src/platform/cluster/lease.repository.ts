import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { chunked } from "../../lib/chunked.ts";
import type { Clock } from "../../lib/clock.ts";

export type LeaseRepository = ReturnType<typeof createLeaseRepository>;

/** The end of a released lease. */
const RELEASED = 0;
/** The end of one that nobody has taken yet. It is over, but proves no process's end. */
const NEW = 1;
const REMOVED_AT_ONCE = 1_000;

export type LeaseDeps = {
  database: Database;
  /** Default: the clock of the database, because those of nodes may differ. */
  clock?: Clock;
};

export function createLeaseRepository({ database, clock }: LeaseDeps) {
  const now = () => (clock ? sql.lit(clock.now()) : database.dialect.now());
  const after = (ms: number) => sql<number>`${now()} + ${ms}`;

  const take = async (
    name: string,
    owner: string,
    ttlMs: number,
    ended: readonly string[],
  ): Promise<boolean> => {
    const { numUpdatedRows } = await database.write
      .updateTable("leases")
      .set({ owner, expires_at: after(ttlMs) })
      .where("name", "=", name)
      .where((eb) => eb.or([eb("owner", "in", [owner, ...ended]), eb("expires_at", "<=", now())]))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  };
  const ownedBy = (name: string, owner: string) =>
    database.write.updateTable("leases").where("name", "=", name).where("owner", "=", owner);

  return {
    /**
     * Takes the lease, also from owners that have ended, or extends it for its owner. After a rejection the lease may be
     * held until its end.
     */
    async acquire(
      name: string,
      owner: string,
      ttlMs: number,
      ended: readonly string[] = [],
    ): Promise<boolean> {
      if (await take(name, owner, ttlMs, ended)) return true;
      await database.dialect.insertIgnore(
        database.write,
        "leases",
        ["name"],
        [{ name, owner: "", expires_at: NEW }],
      );
      return take(name, owner, ttlMs, ended);
    },

    /** Also extends an expired lease that nobody took. */
    async renew(name: string, owner: string, ttlMs: number): Promise<boolean> {
      const renewed = ownedBy(name, owner).set({ expires_at: after(ttlMs) });
      const { numUpdatedRows } = await renewed.where("expires_at", ">", RELEASED).executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Frees the lease of this owner and keeps everybody from taking it for that time. No effect for another owner. */
    async block(name: string, owner: string, ms: number): Promise<void> {
      await ownedBy(name, owner)
        .set({ owner: "", expires_at: after(ms) })
        .execute();
    },

    /** No effect for another owner. */
    async release(name: string, owner: string): Promise<void> {
      await ownedBy(name, owner).set({ expires_at: RELEASED }).execute();
    },

    /** Leases in force whose owner names have this prefix. */
    heldBy: (prefix: string, limit: number): Promise<{ name: string; owner: string }[]> =>
      database.read
        .selectFrom("leases")
        .select(["name", "owner"])
        .where("owner", "like", `${prefix}%`)
        .where("expires_at", ">", RELEASED)
        .limit(limit)
        .execute(),

    /** All leases with this prefix, by name. `end` is 0 for a released one. */
    named: (prefix: string, limit: number): Promise<{ name: string; owner: string; end: number }[]> =>
      database.read
        .selectFrom("leases")
        .select(["name", "owner", "expires_at as end"])
        .where("name", "like", `${prefix}%`)
        .orderBy("name")
        .limit(limit)
        .execute(),

    /** Leases in force stay: their owners have come back. */
    async remove(names: readonly string[]): Promise<void> {
      for (const some of chunked(names, REMOVED_AT_ONCE))
        await database.write
          .deleteFrom("leases")
          .where("name", "in", some)
          .where("expires_at", "<=", now())
          .execute();
    },
  };
}
