import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../db/database.ts";
import { forEachDialect } from "../db/for-each-dialect.test-support.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createLeaseRepository } from "./lease.repository.ts";
import type { Leases } from "./leases.ts";
import { openProcessLeases } from "./process-leases.ts";

const TTL_MS = 30_000;

/** Locks a file as a process does, until it is killed. */
const HOLDER = `
  const { tryFileLock } = await import(${JSON.stringify(join(import.meta.dir, "../../lib/file-lock.ts"))});
  console.log(tryFileLock(process.argv[1]) !== null);
  setInterval(() => {}, 1_000);
`;

async function startHolder(path: string): Promise<() => Promise<void>> {
  const child = Bun.spawn([process.execPath, "-e", HOLDER, path], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("true\n");
  return async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
}

forEachDialect(({ openDb }) => {
  const dirs: string[] = [];
  let database: Database;
  beforeAll(async () => {
    database = await openDb();
  });
  afterAll(() => {
    for (const dir of dirs) rmSync(dir, { recursive: true });
  });

  const newDir = (): string => {
    dirs.push(mkdtempSync(join(tmpdir(), "waymark-processes-")));
    return dirs.at(-1)!;
  };
  const clock = { now: () => 1_000_000 };
  const open = (dataDir: string, isServer = true) =>
    openProcessLeases({ database, clock, logger: silentLogger, dataDir, isServer });
  /** Takes the lease, if possible, and releases it. */
  const isFree = async (leases: Leases, name: string): Promise<boolean> =>
    (await leases.hold(name, TTL_MS, async () => {})) !== null;

  test("the leases of a living process stay", async () => {
    const dir = newDir();
    const [a, b] = [await open(dir), await open(dir)];
    await a.hold("living", TTL_MS, async () => {
      expect(await isFree(a, "living")).toBe(false);
      expect(await isFree(b, "living")).toBe(false);
    });
    expect(await isFree(b, "living")).toBe(true);
    for (const leases of [a, b]) await leases.close();
    expect(readdirSync(join(dir, "processes"))).toEqual([]);
  });

  test("a command waits for readings of the feed that begin after its request", async () => {
    const dir = newDir();
    const command = await open(dir, false);
    expect(await command.untilServersRead()).toBe(true);
    const servers = [await open(dir), await open(dir)];
    const early = Promise.withResolvers<void>();
    const reading = servers[0]!.aroundReading(() => early.promise);
    let isRead = false;
    const untilServersRead = command.untilServersRead().then((result) => void (isRead = result));
    early.resolve();
    await reading;
    const requestCount = () =>
      readdirSync(join(dir, "processes")).filter((name) => name.endsWith(".ask")).length;
    expect([requestCount(), isRead]).toEqual([2, false]);
    for (const server of servers) await server.aroundReading(async () => expect(isRead).toBe(false));
    await untilServersRead;
    expect([requestCount(), isRead]).toEqual([0, true]);
    for (const leases of [command, ...servers]) await leases.close();
  });

  test("the leases of a killed process are free at once for running and starting processes", async () => {
    const dir = newDir();
    const running = await open(dir);
    const elsewhere = await open(newDir());
    const rows = createLeaseRepository({ database, clock });
    for (const [name, next] of [
      ["conflict", () => Promise.resolve(running)],
      ["start", () => open(dir)],
    ] as const) {
      const number = crypto.randomUUID();
      const kill = await startHolder(join(dir, "processes", number));
      const owners = [1, 2].map((i) => `${number}/${i}`);
      for (const owner of owners) expect(await rows.acquire(name + owner, owner, TTL_MS)).toBe(true);
      expect(await isFree(await next(), name + owners[0])).toBe(false);
      await kill();
      expect(await isFree(elsewhere, name + owners[0])).toBe(false);
      const later = await next();
      const holders = await database.read
        .selectFrom("leases")
        .select("expires_at")
        .where("name", "like", `${name}%`)
        .execute();
      expect(holders.every(({ expires_at }) => (expires_at === 0) === (name === "start"))).toBe(true);
      for (const owner of owners) {
        expect(await isFree(later, name + owner)).toBe(true);
        expect(await rows.renew(name + owner, owner, TTL_MS)).toBe(false);
      }
      expect(readdirSync(join(dir, "processes"))).not.toContain(number);
    }
  });

  test("leases that could not be released are free when the process stops, or when the next one starts", async () => {
    const rows = createLeaseRepository({ database, clock });
    const away = new Proxy(database.read, {
      get: () => {
        throw new Error("away");
      },
    });
    for (const [name, read] of [
      ["stop", database.read],
      ["next start", away],
    ] as const) {
      const dir = newDir();
      const stopping = await openProcessLeases({
        database: { ...database, read },
        clock,
        logger: silentLogger,
        dataDir: dir,
        isServer: true,
      });
      const [number] = readdirSync(join(dir, "processes"));
      expect(await rows.acquire(name, `${number}/1`, TTL_MS)).toBe(true);
      await stopping.close();
      const later = await open(dir);
      expect(await isFree(later, name)).toBe(true);
      await later.close();
      expect(readdirSync(join(dir, "processes"))).toEqual([]);
    }
  });

  test("a command has no file, and its leases expire", async () => {
    const dir = newDir();
    const command = await open(dir, false);
    await command.hold("command", TTL_MS, async () => {
      expect(await isFree(command, "command")).toBe(false);
    });
    await command.close();
    expect(readdirSync(dir)).toEqual([]);
  });
});
