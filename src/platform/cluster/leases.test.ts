import { beforeAll, expect, test } from "bun:test";
import { until } from "../../../test/support/until.ts";
import type { Database } from "../db/database.ts";
import { forEachDialect } from "../db/for-each-dialect.test-support.ts";
import { AppError } from "../../lib/errors.ts";
import { createLeaseRepository, type LeaseRepository } from "./lease.repository.ts";
import { createLeases } from "./leases.ts";

/** In terms of the rows; renewals come four times in this time of the real clock. */
const TTL_MS = 200;

forEachDialect(({ openDb }) => {
  const clock = { time: 1_000_000_000_000, now: () => clock.time };
  let database: Database;
  let rows: LeaseRepository;
  beforeAll(async () => {
    database = await openDb();
    rows = createLeaseRepository({ database, clock });
  });

  const endOf = async (name: string): Promise<number> => {
    const query = database.read.selectFrom("leases").select("expires_at").where("name", "=", name);
    return Number((await query.executeTakeFirstOrThrow()).expires_at);
  };
  /** The same database, which refuses the given number of updates. */
  const withOutages = () => {
    const outage = { toRefuse: 0 };
    const write = new Proxy(database.write, {
      get(target, name) {
        if (name === "updateTable" && outage.toRefuse > 0) {
          outage.toRefuse--;
          throw new Error("away");
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    return { outage, database: { ...database, write } };
  };

  test("the work runs alone, its result is returned, and the lease is free afterwards", async () => {
    const leases = createLeases({ database, clock });
    const held = await leases.hold("alone", TTL_MS, async () => {
      expect(await leases.hold("alone", TTL_MS, async () => "second")).toBe(null);
      return "first";
    });
    expect(held).toEqual({ value: "first" });
    expect(await endOf("alone")).toBe(0);
    const failing = leases.hold("alone", TTL_MS, () => Promise.reject(new Error("broken")));
    await expect(failing).rejects.toThrow("broken");
    expect(await endOf("alone")).toBe(0);
  });

  test("the lease is renewed while the work runs", async () => {
    await createLeases({ database, clock }).hold("long", TTL_MS, async (lost) => {
      for (let round = 0; round < 3; round++) {
        clock.time += TTL_MS / 2;
        await until(async () => (await endOf("long")) === clock.time + TTL_MS);
      }
      expect(lost.aborted).toBe(false);
    });
  });

  test("the work aborts with a reason if another owner took the lease", async () => {
    const held = createLeases({ database, clock }).hold("stolen", TTL_MS, async (lost) => {
      await until(async () => {
        clock.time += TTL_MS;
        return rows.acquire("stolen", "somebody else", 60_000);
      });
      await until(() => lost.aborted);
      lost.throwIfAborted();
    });
    const error: unknown = await held.catch((thrown: unknown) => thrown);
    expect((error as AppError).name).toBe("ServiceUnavailable");
    expect(await rows.acquire("stolen", "a third", 60_000)).toBe(false);
  });

  test("one failed renewal does not end the work, two do", async () => {
    const { outage, database: failing } = withOutages();
    await createLeases({ database: failing, clock }).hold("outage", TTL_MS, async (lost) => {
      for (let round = 0; round < 2; round++) {
        outage.toRefuse = 1;
        await until(() => outage.toRefuse === 0);
        clock.time += TTL_MS / 2;
        await until(async () => (await endOf("outage")) === clock.time + TTL_MS);
        expect(lost.aborted).toBe(false);
      }
      outage.toRefuse = 2;
      await until(() => lost.aborted);
      expect(lost.reason).toBeInstanceOf(AppError);
    });
    expect(await endOf("outage")).toBe(0);
  });

  test("a lease that could not be released is taken back at once here, and only then elsewhere", async () => {
    const { outage, database: failing } = withOutages();
    const [own, other] = [createLeases({ database: failing, clock }), createLeases({ database, clock })];
    for (const keptMs of [0, 60_000]) {
      await own.hold("left", 60_000, async (_, keepFor) => {
        keepFor(keptMs);
        outage.toRefuse = 1;
      });
      expect(await endOf("left")).toBe(clock.time + 60_000);
      const taken = await own.hold("left", 60_000, async () => {
        expect(await other.hold("left", 60_000, async () => {})).toBe(null);
        expect(await own.hold("left", 60_000, async () => {})).toBe(null);
        return "back";
      });
      expect(taken).toEqual({ value: "back" });
    }
  });

  test("of two that take a lease back, one gets it", async () => {
    const { outage, database: failing } = withOutages();
    const own = createLeases({ database: failing, clock });
    await own.hold("both", 60_000, async () => void (outage.toRefuse = 1));
    const gate = Promise.withResolvers<void>();
    const take = () => own.hold("both", 60_000, () => gate.promise.then(() => true));
    const both = [take(), take()];
    expect(await Promise.race(both)).toBe(null);
    gate.resolve();
    expect((await Promise.all(both)).filter((held) => held !== null)).toHaveLength(1);
  });

  test("a lease that was taken without a response is taken back", async () => {
    const { outage, database: failing } = withOutages();
    const own = createLeases({ database: failing, clock, newOwner: () => owners.shift()! });
    const owners = ["first", "second"];
    // What the refused try has done, which the server carried out.
    outage.toRefuse = 1;
    await expect(own.hold("cut", 60_000, async () => {})).rejects.toThrow("away");
    expect(await rows.acquire("cut", "first", 60_000)).toBe(true);
    expect(await own.hold("cut", 60_000, async () => "back")).toEqual({ value: "back" });
  });

  test("other processes get a lease when the database responds again", async () => {
    const { outage, database: failing } = withOutages();
    await createLeases({ database: failing, clock }).hold(
      "others",
      60_000,
      async () => void (outage.toRefuse = 2),
    );
    const other = createLeases({ database, clock });
    expect(await other.hold("others", 60_000, async () => {})).toBe(null);
    await until(async () => (await other.hold("others", 60_000, async () => {})) !== null);
  });

  test("work may keep its lease after its end", async () => {
    const leases = createLeases({ database, clock });
    await leases.hold("kept", TTL_MS, async (_, keepFor) => keepFor(60_000));
    // No process holds it, so the death of this one does not free it.
    const row = database.read.selectFrom("leases").select("owner").where("name", "=", "kept");
    expect(await row.executeTakeFirstOrThrow()).toEqual({ owner: "" });
    expect(await endOf("kept")).toBe(clock.time + 60_000);
    expect(await leases.hold("kept", TTL_MS, async () => {})).toBe(null);
    clock.time += 60_000;
    expect(await leases.hold("kept", TTL_MS, async () => {})).not.toBe(null);
  });
});
