import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEntryLog, type EntryLog, type LoggedEntry } from "./entry-log.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-entry-log-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let taken = 0;
const create = (memoryBytes: number, take = (bytes: number) => void (taken += bytes)) =>
  createEntryLog({
    pathOf: (name) => join(folder, name),
    memoryBytes,
    take,
    giveBack: (bytes) => void (taken -= bytes),
  });

const entry = (id: number): LoggedEntry => ({
  id,
  path: Buffer.from(`${"folder/".repeat(id % 50)}naïve ${id}${id % 7 === 0 ? "/" : ""}`),
  size: id % 7 === 0 ? null : id * 2 ** 20,
  modifiedAt: 1_700_000_000_000 + id,
});

const openHere = (): number =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;

async function all(log: EntryLog): Promise<LoggedEntry[]> {
  const found: LoggedEntry[] = [];
  for (let number = 0; ; number++) {
    const portion = await log.portion(number);
    if (portion === null) return found;
    found.push(...portion.map((one) => ({ ...one, path: Buffer.from(one.path) })));
  }
}

test.each([
  ["in memory", 2 ** 30],
  ["in a file", 0],
  ["partly in a file", 100_000],
])("gives back what was put in, %s", async (_, memoryBytes) => {
  const log = create(memoryBytes);
  const entries = Array.from({ length: 5_000 }, (_one, id) => entry(id));
  for (const one of entries.slice(0, 3_000)) await log.append(one);
  // Reading does not end the writing.
  expect((await all(log)).length).toBe(3_000);
  for (const one of entries.slice(3_000)) await log.append(one);
  expect(await all(log)).toEqual(entries);
  expect(openHere()).toBe(memoryBytes === 2 ** 30 ? 0 : 1);
  expect(taken > 0).toBe(memoryBytes !== 2 ** 30);
  // The file has no name, so no crash leaves it.
  expect(readdirSync(folder)).toEqual([]);
  await log.close();
  await log.close();
  expect([taken, openHere()]).toEqual([0, 0]);
});

test("keeps paths of the longest length", async () => {
  const log = create(0);
  const long = { ...entry(1), path: Buffer.alloc(65_535, 97) };
  for (let i = 0; i < 3; i++) await log.append(long);
  expect(await all(log)).toEqual([long, long, long]);
  await log.close();
});

test("refuses what is beyond the room for files", async () => {
  const log = create(0, () => {
    throw Object.assign(new Error("full"), { name: "full" });
  });
  const filling = (async () => {
    for (let id = 0; ; id++) await log.append(entry(id));
  })();
  expect(await filling.catch((error: Error) => error.name)).toBe("full");
  await log.close();
  expect([taken, openHere()]).toEqual([0, 0]);
});
