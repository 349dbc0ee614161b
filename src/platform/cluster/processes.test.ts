import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../db/database.ts";
import { forEachDialect } from "../db/for-each-dialect.test-support.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createLeaseRepository, type LeaseRepository } from "./lease.repository.ts";
import { openProcessLeases } from "./process-leases.ts";
import { createProcesses } from "./processes.ts";
import { until } from "../../../test/support/until.ts";

const SECOND = 1_000;

forEachDialect(({ openDb }) => {
  let now = 0;
  let wall = 1_000_000_000_000;
  let database: Database;
  let rows: LeaseRepository;
  beforeAll(async () => {
    database = await openDb();
    rows = createLeaseRepository({ database, clock: { now: () => wall } });
  });

  /** A process of another machine: its beats are the calls of `number` of a fresh one with the same number. */
  const processOf = (
    number: string = crypto.randomUUID(),
    isHere: (number: string) => boolean = () => false,
  ) =>
    createProcesses({
      rows,
      number,
      owner: `${number}/x`,
      releaseDead: async () => false,
      isHere,
      logger: silentLogger,
      monotonic: () => now,
    });
  const beat = async (number: string): Promise<void> => {
    wall += SECOND;
    await processOf(number).number();
  };
  async function stateOf(watcher: ReturnType<typeof processOf>, number: string) {
    const { running, ended } = await watcher.look();
    return running.has(number) ? "running" : ended.has(number) ? "ended" : "unknown";
  }

  test("a process is known from its first number until it announces its end", async () => {
    const [watcher, other] = [processOf(), processOf()];
    await watcher.look();
    await other.close();
    const writer = processOf();
    const number = await writer.number();
    expect(await writer.number()).toBe(number);
    expect(await stateOf(watcher, number)).toBe("running");
    await writer.close();
    expect(await stateOf(watcher, number)).toBe("ended");
    await watcher.forget([number]);
    expect(await stateOf(watcher, number)).toBe("unknown");
  });

  test("a process that stops renewing has ended after half a minute of watching", async () => {
    const watcher = processOf();
    const [living, silent] = [await processOf().number(), await processOf().number()];
    for (const expected of ["running", "running", "running", "ended"]) {
      await beat(living);
      expect(await stateOf(watcher, silent)).toBe(expected);
      expect(await stateOf(watcher, living)).toBe("running");
      now += 10 * SECOND;
    }
    // It was only paused.
    await beat(silent);
    expect(await stateOf(watcher, silent)).toBe("running");
    await watcher.forget([living, silent]);
    expect(await stateOf(watcher, silent)).toBe("running");
    wall += 60 * SECOND;
    await watcher.forget([living, silent]);
    expect(await stateOf(watcher, living)).toBe("unknown");
    await beat(living);
    expect(await stateOf(watcher, living)).toBe("running");
  });

  test("an outage, a pause of the watcher or a change of its clock ends no process", async () => {
    const watcher = processOf();
    const number = await processOf().number();
    expect(await stateOf(watcher, number)).toBe("running");
    wall += 3_600 * SECOND;
    now += 10 * SECOND;
    expect(await stateOf(watcher, number)).toBe("running");
    now += 3_600 * SECOND;
    for (let look = 0; look < 3; look++) {
      expect(await stateOf(watcher, number)).toBe("running");
      now += 10 * SECOND;
    }
    await watcher.forget([number]);
  });

  test("a process of this machine runs as long as its lock is held, even if it is paused", async () => {
    const here = new Set<string>();
    const watcher = processOf(undefined, (number) => here.has(number));
    const number = await processOf().number();
    here.add(number);
    for (let look = 0; look < 6; look++) {
      expect(await stateOf(watcher, number)).toBe("running");
      now += 10 * SECOND;
    }
    here.clear();
    expect(await stateOf(watcher, number)).toBe("ended");
    await watcher.forget([number]);
  });

  const dir = mkdtempSync(join(tmpdir(), "waymark-processes-"));
  afterAll(() => rmSync(dir, { recursive: true }));
  const open = (isServer: boolean) =>
    openProcessLeases({
      database,
      clock: { now: () => wall },
      logger: silentLogger,
      dataDir: dir,
      isServer,
    });

  test("any process that finds a lock free announces the end of its owner, even a command", async () => {
    const known = new Set((await rows.named("process:", 100)).map(({ name }) => name));
    const [server, command] = [await open(true), await open(false)];
    // A server announces itself.
    await until(async () => (await rows.named("process:", 100)).some(({ name }) => !known.has(name)));
    const number = await server.processes.number();
    expect((await command.processes.look()).running.has(number)).toBe(true);
    const dead = crypto.randomUUID();
    await Bun.write(join(dir, "processes", dead), "");
    await rows.acquire(`process:${dead}`, `${dead}/x`, 30_000);
    const found = await command.processes.look();
    expect([found.running.has(number), found.ended.has(dead)]).toEqual([true, true]);
    expect(existsSync(join(dir, "processes", dead))).toBe(false);
    await server.close();
    expect((await command.processes.look()).ended.has(number)).toBe(true);
    await command.processes.forget([number, dead]);
  });
});
