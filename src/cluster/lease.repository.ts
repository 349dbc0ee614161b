import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";

export type LeaseRepository = ReturnType<typeof createLeaseRepository>;

/** The end of a released lease. */
const RELEASED = 0;

export function createLeaseRepository({ database, clock }: { database: Database; clock: Clock }) {
  const take = async (name: string, owner: string, ttlMs: number): Promise<boolean> => {
    const now = clock.now();
    const { numUpdatedRows } = await database.write
      .updateTable("leases")
      .set({ owner, expires_at: now + ttlMs })
      .where("name", "=", name)
      .where((eb) => eb.or([eb("owner", "=", owner), eb("expires_at", "<=", now)]))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  };
  return {
    /** Takes the lease, or extends it for its owner. If it rejects, the lease may be held until its end. */
    async acquire(name: string, owner: string, ttlMs: number): Promise<boolean> {
      if (await take(name, owner, ttlMs)) return true;
      await database.dialect.insertIgnore(
        database.write,
        "leases",
        ["name"],
        [{ name, owner: "", expires_at: RELEASED }],
      );
      return take(name, owner, ttlMs);
    },

    /** Also extends an expired lease that was not taken. */
    async renew(name: string, owner: string, ttlMs: number): Promise<boolean> {
      const { numUpdatedRows } = await database.write
        .updateTable("leases")
        .set({ expires_at: clock.now() + ttlMs })
        .where("name", "=", name)
        .where("owner", "=", owner)
        .where("expires_at", ">", RELEASED)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** No effect for another owner. */
    async release(name: string, owner: string): Promise<void> {
      await database.write
        .updateTable("leases")
        .set({ expires_at: RELEASED })
        .where("name", "=", name)
        .where("owner", "=", owner)
        .execute();
    },

    /** In force, with this prefix of owner names. */
    heldBy: (prefix: string, limit: number): Promise<{ name: string; owner: string }[]> =>
      database.read
        .selectFrom("leases")
        .select(["name", "owner"])
        .where("owner", "like", `${prefix}%`)
        .where("expires_at", ">", RELEASED)
        .limit(limit)
        .execute(),
  };
}
