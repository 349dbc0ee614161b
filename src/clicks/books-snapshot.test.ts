import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { createBooksSnapshotWriter, readBooksSnapshot, type ClickStats } from "./books.ts";
import { temporaryFolder } from "./clicks.test-support.ts";

const folder = temporaryFolder();
let folders = 0;

const stats = (stored: number): ClickStats => ({
  accepted: stored + 3,
  replayed: 0,
  stored,
  pending: 1,
  overflow: 0,
  dropped: { journal_full: 2, disk_full: 0, disk_error: 0, disk_slow: 0, closed: 0, link_deleted: 0 },
  automated: { accepted: 2, stored: 1, pending: 1, dropped: 0 },
  details: {
    recorded: 0,
    logged: 0,
    pending: 0,
    dropped: { full: 0, disconnected: 0, sampled_out: 0, signal: 0, stopped: 0, link_deleted: 0 },
  },
  flushes: {} as ClickStats["flushes"],
  lastFlush: null,
  flushedAt: { success: 0, failed: 0 },
});

function setUp() {
  const dir = join(folder, String(++folders));
  mkdirSync(dir);
  let stored = 5;
  const errors: unknown[] = [];
  const file = createBooksSnapshotWriter({
    dir,
    stats: () => stats(stored),
    clock: { now: () => 1_760_000_000_000 },
    onError: (error) => errors.push(error),
  });
  return { dir, file, errors, store: (clicks: number) => (stored += clicks) };
}

test("the last books of a process are read back until it removes them", async () => {
  const { dir, file, store } = setUp();
  expect(readBooksSnapshot(dir)).toBeNull();
  await file.update();
  store(4);
  await file.update();
  const { accepted, replayed, stored, pending, dropped, automated, details } = stats(9);
  expect(readBooksSnapshot(dir)).toEqual({
    pid: process.pid,
    written_at: "2025-10-09T08:53:20.000Z",
    accepted,
    replayed,
    stored,
    pending,
    dropped,
    automated,
    details,
  });
  await file.remove();
  expect(readdirSync(dir)).toEqual([]);
});

test("a missing folder is reported and does no harm", async () => {
  const { file, errors, dir } = setUp();
  writeFileSync(`${dir}/books.json.tmp`, "");
  const lost = createBooksSnapshotWriter({
    dir: join(dir, "gone"),
    stats: () => stats(1),
    clock: { now: () => 0 },
    onError: (error) => errors.push(error),
  });
  await lost.update();
  expect(errors).toHaveLength(1);
  await file.update();
  expect(readBooksSnapshot(dir)?.stored).toBe(5);
});

test.each(["", "{", "[]", '{"pid":1}'])("%p is not a snapshot of books", (text) => {
  const { dir } = setUp();
  writeFileSync(join(dir, "books.json"), text);
  expect(readBooksSnapshot(dir)).toBeNull();
});
