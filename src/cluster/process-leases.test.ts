import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../db/database.ts";
import { forEachDialect } from "../db/for-each-dialect.ts";
import { silentLogger } from "../lib/logger.ts";
import { openProcessLeases } from "./process-leases.ts";

const TTL_MS = 30_000;

/** Takes a file's lock as a process does, and holds it until it is killed. */
const HOLDER = `
  const { tryFileLock } = await import(${JSON.stringify(join(import.meta.dir, "..", "lib", "file-lock.ts"))});
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
  let db: Database;
  beforeAll(async () => {
    db = await openDb();
  });
  afterAll(() => {
    for (const dir of dirs) rmSync(dir, { recursive: true });
  });

  const newDir = (): string => {
    dirs.push(mkdtempSync(join(tmpdir(), "waymark-processes-")));
    return dirs.at(-1)!;
  };
  const open = (dataDir: string | null) =>
    openProcessLeases({ db, clock: { now: () => 1_000_000 }, logger: silentLogger, dataDir });

  test("what a living process of the folder holds stays its own", async () => {
    const dir = newDir();
    const [a, b] = [await open(dir), await open(dir)];
    const [owner, other] = [a.newOwner(), a.newOwner()];
    expect(owner).not.toBe(other);
    expect(await a.acquire("living", owner, TTL_MS)).toBe(true);
    expect(await a.acquire("living", other, TTL_MS)).toBe(false);
    expect(await b.acquire("living", b.newOwner(), TTL_MS)).toBe(false);
    expect(await a.renew("living", owner, TTL_MS)).toBe(true);
    await a.release("living", owner);
    expect(await b.acquire("living", b.newOwner(), TTL_MS)).toBe(true);
    for (const leases of [a, b]) leases.close();
    expect(readdirSync(join(dir, "processes"))).toEqual([]);
  });

  test("what a killed one held is free at once, for those who run and those who start", async () => {
    const dir = newDir();
    const running = await open(dir);
    const elsewhere = await open(newDir());
    for (const [name, next] of [
      ["conflict", () => Promise.resolve(running)],
      ["start", () => open(dir)],
    ] as const) {
      const number = crypto.randomUUID();
      const kill = await startHolder(join(dir, "processes", number));
      const owners = [1, 2].map((i) => `${number}/${i}`);
      for (const owner of owners) expect(await elsewhere.acquire(name + owner, owner, TTL_MS)).toBe(true);
      const leases = await next();
      expect(await leases.acquire(name + owners[0], leases.newOwner(), TTL_MS)).toBe(false);
      await kill();
      expect(await elsewhere.acquire(name + owners[0], elsewhere.newOwner(), TTL_MS)).toBe(false);
      const later = await next();
      const holders = await db.read
        .selectFrom("leases")
        .select("expires_at")
        .where("name", "like", `${name}%`)
        .execute();
      expect(holders.every(({ expires_at }) => (expires_at === 0) === (name === "start"))).toBe(true);
      for (const owner of owners) {
        const mine = later.newOwner();
        expect(await later.acquire(name + owner, mine, TTL_MS)).toBe(true);
        expect(await elsewhere.renew(name + owner, owner, TTL_MS)).toBe(false);
      }
      expect(readdirSync(join(dir, "processes"))).not.toContain(number);
    }
  });

  test("a command has no file, and its leases run out", async () => {
    const command = await open(null);
    expect(await command.acquire("command", command.newOwner(), TTL_MS)).toBe(true);
    expect(await command.acquire("command", command.newOwner(), TTL_MS)).toBe(false);
    command.close();
  });
});
