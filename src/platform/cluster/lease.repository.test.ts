import { beforeAll, expect, setSystemTime, test } from "bun:test";
import { until } from "../../../test/support/until.ts";
import type { Database } from "../db/database.ts";
import { forEachDialect } from "../db/for-each-dialect.test-support.ts";
import { createLeaseRepository, type LeaseRepository } from "./lease.repository.ts";

forEachDialect(({ name, openDb }) => {
  let now = 1_000_000_000_000;
  const clock = { now: () => now };
  let dbs: Database[];
  let leases: LeaseRepository[];
  beforeAll(async () => {
    dbs = [await openDb(), await openDb()];
    leases = dbs.map((database) => createLeaseRepository({ database, clock }));
  });

  test("one of many acquires a lease and keeps it; others acquire it after expiry", async () => {
    const tries = Array.from({ length: 8 }, (_, i) => leases[i % 2]!.acquire("job", `p${i}`, 30_000));
    const got = await Promise.all(tries);
    expect(got.filter(Boolean)).toHaveLength(1);
    const owner = `p${got.indexOf(true)}`;
    expect(await leases[0]!.acquire("job", owner, 30_000)).toBe(true);
    expect(await leases[1]!.acquire("job", "other", 30_000)).toBe(false);
    expect(await leases[1]!.renew("job", "other", 30_000)).toBe(false);
    now += 20_000;
    expect(await leases[0]!.renew("job", owner, 30_000)).toBe(true);
    now += 20_000;
    expect(await leases[1]!.acquire("job", "other", 30_000)).toBe(false);
    now += 10_000;
    expect(await leases[1]!.acquire("job", "other", 30_000)).toBe(true);
    expect(await leases[0]!.renew("job", owner, 30_000)).toBe(false);
  });

  // SQLite has the clock of its machine.
  if (name !== "sqlite")
    test("a node whose clock is wrong neither takes a lease nor loses or blocks one", async () => {
      const [one, wrong] = dbs.map((database) => createLeaseRepository({ database }));
      const aside = async <T>(minutes: number, act: () => Promise<T>): Promise<T> => {
        setSystemTime(Date.now() + minutes * 60_000);
        return act().finally(() => setSystemTime());
      };
      for (const minutes of [10, -10]) {
        const job = `clock${minutes}`;
        expect(await one!.acquire(job, "a", 30_000)).toBe(true);
        expect(await aside(minutes, () => wrong!.acquire(job, "b", 30_000))).toBe(false);
        await one!.release(job, "a");
        expect(await aside(minutes, () => wrong!.acquire(job, "b", 30_000))).toBe(true);
        expect(await one!.acquire(job, "a", 30_000)).toBe(false);
        await aside(minutes, () => wrong!.block(job, "b", 1));
        await until(() => one!.acquire(job, "a", 30_000));
      }
    });

  test("a lease does not look released before its first owner has it, and is removed only when it is over", async () => {
    const [database] = dbs;
    const seen: number[] = [];
    const dialect: Database["dialect"] = {
      ...database!.dialect,
      async insertIgnore(...row) {
        await database!.dialect.insertIgnore(...row);
        seen.push(...(await leases[1]!.named("new", 2)).map(({ end }) => end));
      },
    };
    const watched = createLeaseRepository({ database: { ...database!, dialect }, clock });
    expect(await watched.acquire("new", "a", 30_000)).toBe(true);
    expect(seen.map((end) => end > 0 && end < now)).toEqual([true]);
    await leases[1]!.remove(["new"]);
    expect(await leases[1]!.named("new", 2)).toHaveLength(1);
    now += 30_000;
    await leases[1]!.remove(["new"]);
    expect(await leases[1]!.named("new", 2)).toEqual([]);
  });

  test("only the owner releases a lease, which is then free at once", async () => {
    expect(await leases[0]!.acquire("scrub", "a", 30_000)).toBe(true);
    await leases[1]!.release("scrub", "b");
    expect(await leases[1]!.acquire("scrub", "b", 30_000)).toBe(false);
    await leases[0]!.release("scrub", "a");
    expect(await leases[1]!.acquire("scrub", "b", 30_000)).toBe(true);
    await leases[1]!.release("nothing", "b");
  });

  test("a renewal after the release does not take the lease again", async () => {
    expect(await leases[0]!.acquire("upload", "a", 30_000)).toBe(true);
    await leases[0]!.release("upload", "a");
    expect(await leases[1]!.renew("upload", "a", 30_000)).toBe(false);
    expect(await leases[1]!.acquire("upload", "b", 30_000)).toBe(true);
  });
});
