import { expect, test } from "bun:test";
import { createLeases } from "../cluster/leases.ts";
import { forEachDialect, WITHOUT_MYSQL } from "../db/for-each-dialect.test-support.ts";
import { silentLogger } from "../lib/logger.ts";
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
}, WITHOUT_MYSQL);

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
