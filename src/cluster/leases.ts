/**
 * A lease is a row that says who may do a job until when, so that one process of a cluster does it at a time. Times
 * are the processes' own clocks: keep the machines' clocks together (NTP), and leases far longer than they differ
 * (thirty seconds and more). A holder renews well before the end, and stops its job when it can't.
 */
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";

export type Leases = {
  /**
   * Takes the lease, or extends it when the owner has it already. False when somebody else has it. Rejects with
   * ServiceUnavailable when the database is away: then the lease may still be held until its end.
   */
  acquire(name: string, owner: string, ttlMs: number): Promise<boolean>;
  /**
   * Extends a lease the owner has, also one that has run out but that nobody took. False: it is lost, or was released:
   * a renewal may be on its way when the work ends, and come behind the release.
   */
  renew(name: string, owner: string, ttlMs: number): Promise<boolean>;
  /** Lets others take it at once; nothing happens when the owner doesn't have it. */
  release(name: string, owner: string): Promise<void>;
};

/** In place of the end of a lease that its owner gave back. */
const RELEASED = 0;

export function createLeases({ db, clock }: { db: Database; clock: Clock }): Leases {
  const renew: Leases["renew"] = async (name, owner, ttlMs) => {
    const { numUpdatedRows } = await db.write
      .updateTable("leases")
      .set({ expires_at: clock.now() + ttlMs })
      .where("name", "=", name)
      .where("owner", "=", owner)
      .where("expires_at", ">", RELEASED)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  };
  const take = async (name: string, owner: string, ttlMs: number): Promise<boolean> => {
    const now = clock.now();
    const { numUpdatedRows } = await db.write
      .updateTable("leases")
      .set({ owner, expires_at: now + ttlMs })
      .where("name", "=", name)
      .where((eb) => eb.or([eb("owner", "=", owner), eb("expires_at", "<=", now)]))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  };
  return {
    renew,
    async acquire(name, owner, ttlMs) {
      if (await take(name, owner, ttlMs)) return true;
      await db.dialect.insertIgnore(
        db.write,
        "leases",
        ["name"],
        [{ name, owner: "", expires_at: RELEASED }],
      );
      return take(name, owner, ttlMs);
    },
    async release(name, owner) {
      await db.write
        .updateTable("leases")
        .set({ expires_at: RELEASED })
        .where("name", "=", name)
        .where("owner", "=", owner)
        .execute();
    },
  };
}
