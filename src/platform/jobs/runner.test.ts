import { expect, test } from "bun:test";
import { until } from "../../../test/support/until.ts";
import { createLeases } from "../cluster/leases.ts";
import { DatabaseError } from "../db/failures.ts";
import { forEachDialect } from "../db/for-each-dialect.test-support.ts";
import { systemClock } from "../../lib/clock.ts";
import { type Logger, silentLogger } from "../../lib/logger.ts";
import { createJobRunner, type Job } from "./runner.ts";

const HOUR = 3_600_000;

forEachDialect(({ openDb }) => {
  async function twoNodes(
    run: (node: string, signal: AbortSignal) => Promise<void>,
    name = crypto.randomUUID(),
  ) {
    const clock = { time: 1_700_000_000_000, now: () => clock.time };
    const node = async (owner: string) => {
      const job: Job = { name, everyMs: () => HOUR, run: (signal) => run(owner, signal) };
      const leases = createLeases({ database: await openDb(), clock });
      return createJobRunner({ leases, jobs: [job], clock, logger: silentLogger });
    };
    return { name, clock, a: await node("a"), b: await node("b") };
  }

  test("a job runs on one node at a time", async () => {
    const [gate, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { name, a, b } = await twoNodes(async () => {
      started.resolve();
      await gate.promise;
    });
    const first = a.runNow(name);
    await started.promise;
    expect(await b.runNow(name)).toBe(false);
    expect(await a.runNow(name)).toBe(false);
    gate.resolve();
    expect(await first).toBe(true);
  });

  test("stop waits for a running job, also after others tried to start it", async () => {
    const [gate, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { name, a } = await twoNodes(async () => {
      started.resolve();
      await gate.promise;
    });
    const run = a.runNow(name);
    await started.promise;
    expect(await a.runNow(name)).toBe(false);
    let isStopped = false;
    const stopped = a.stop().then(() => (isStopped = true));
    await Bun.sleep(10);
    expect(isStopped).toBe(false);
    gate.resolve();
    await Promise.all([run, stopped]);
  });

  test("after a run the other nodes wait until the job is due again", async () => {
    const ran: string[] = [];
    const { name, clock, a, b } = await twoNodes(async (node) => void ran.push(node));
    expect(await a.runNow(name)).toBe(true);
    clock.time += HOUR / 2;
    expect(await b.runNow(name)).toBe(false);
    clock.time += HOUR / 2;
    expect(await b.runNow(name)).toBe(true);
    expect(ran).toEqual(["a", "b"]);
  });

  test("a failed job is counted, and its lease is free when the job is due", async () => {
    const { name, clock, a, b } = await twoNodes(async (node) => {
      if (node === "a") throw new Error("broken");
    });
    await expect(a.runNow(name)).rejects.toThrow("broken");
    expect(a.stats()).toMatchObject([{ job: name, succeeded: 0, failed: 1 }]);
    clock.time += HOUR;
    expect(await b.runNow(name)).toBe(true);
    expect(b.stats()).toMatchObject([{ job: name, succeeded: 1, failed: 0 }]);
  });

  test("a job that an outage cut short goes on after it, on the same node, though the lease is not expired", async () => {
    const database = await openDb();
    const outage = { isOn: false };
    const write = new Proxy(database.write, {
      get(target, name) {
        if (outage.isOn) throw new DatabaseError("unavailable", new Error("gone"));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const logged: string[] = [];
    const warn = (_: object, text: string) => void logged.push(text);
    const logger = { ...silentLogger, warn } as unknown as Logger;
    const ran: string[] = [];
    const outages = [true, false];
    const job: Job = {
      name: crypto.randomUUID(),
      everyMs: () => HOUR,
      async run() {
        outage.isOn = outages.shift() ?? false;
        ran.push(outage.isOn ? "cut" : "whole");
        await database.read.selectFrom("leases").select("name").limit(1).execute();
        if (outage.isOn) throw new DatabaseError("unavailable", new Error("gone"));
      },
    };
    const leases = createLeases({ database: { ...database, write } });
    const runner = createJobRunner({ leases, jobs: [job], clock: systemClock, logger, random: () => 0 });
    runner.soon(job.name);
    await until(() => ran.length === 1 && logged.length === 1);
    outage.isOn = false;
    await until(() => ran.length === 2);
    await runner.stop();
    expect(ran).toEqual(["cut", "whole"]);
    expect(runner.stats()).toMatchObject([{ succeeded: 1, failed: 1 }]);
    expect(logged).toHaveLength(1);
  });

  test("a job that a stop cuts short has not failed", async () => {
    const warned: unknown[] = [];
    const started = Promise.withResolvers<void>();
    const job: Job = {
      name: crypto.randomUUID(),
      everyMs: () => HOUR,
      run: (signal) => {
        started.resolve();
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    };
    const logger: Logger = { ...silentLogger, warn: (...said: unknown[]) => void warned.push(said) };
    const leases = createLeases({ database: await openDb() });
    const runner = createJobRunner({ leases, jobs: [job], clock: systemClock, logger });
    runner.soon(job.name);
    await started.promise;
    await runner.stop();
    expect(warned).toEqual([]);
    expect(runner.stats()).toMatchObject([{ succeeded: 0, failed: 0 }]);
  });

  test("a stopping node aborts its job and releases the lease at once", async () => {
    const started = Promise.withResolvers<void>();
    const { name, a, b } = await twoNodes(async (node, signal) => {
      if (node === "b") return;
      started.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const running = a.runNow(name);
    await started.promise;
    await a.stop();
    expect(await running).toBe(true);
    expect(await b.runNow(name)).toBe(true);
  });
});

test("an unknown job is refused", async () => {
  const leases = { hold: async () => null };
  const runner = createJobRunner({
    leases,
    jobs: [],
    clock: { now: () => 0 },
    logger: silentLogger,
  });
  await expect(runner.runNow("x")).rejects.toThrow("no job");
});
