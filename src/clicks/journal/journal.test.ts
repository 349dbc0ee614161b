import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  NO_DETAILS,
  type Click,
  openJournal,
  readClicks,
  readSegment,
  segmentOf,
  temporaryFolder,
} from "../clicks.test-support.ts";
import {
  decodeHeader,
  detailRefusalOf,
  encodeHeader,
  FIRST_RECORD,
  PAGE_BYTES,
  recordCheck,
  REFUSALS,
} from "./format.ts";
import { createBatch, openSegmentReader } from "./reader.ts";
import { listSegments, listUnfinished } from "./segment.ts";
import { until } from "../../../test/support/until.ts";

// Before the folder is removed.
afterAll(() => void (noDisk ?? spawnSync("umount", ["-l", disk])));
const folder = temporaryFolder();
let folders = 0;
const freshDir = () => join(folder, String(++folders));

const NONE = { journal_full: 0, disk_full: 0, disk_error: 0, disk_slow: 0, closed: 0 };

test("clicks are read back with any links and times", async () => {
  const dir = freshDir();
  const { journal } = await openJournal({ dir });
  const now = 1_763_700_000_123;
  const clicks: Click[] = [
    [1, now],
    // The clock was set back far, then ahead.
    [2, 5],
    [3, 0],
    [2 ** 31 - 1, 2 ** 31],
    [2 ** 31, 2 ** 32 - 1],
    [2 ** 32 - 1, 2 ** 32],
    [2 ** 32, now + 1],
    [2 ** 53 - 1, 2 ** 43 - 1],
    [1, now],
  ];
  for (const [link, at] of clicks) journal.record(link, at);
  expect(readClicks(dir)).toEqual(clicks);
  expect(journal.stats()).toMatchObject({ written: clicks.length, overflow: 0, dropped: NONE });
  await journal.close();
});

test("each kind of click keeps its class; people's are as versions before 0.5 wrote them", async () => {
  const dir = freshDir();
  const { journal, opened } = await openJournal({ dir, overflow: 1 });
  for (const isAutomated of [false, true]) {
    journal.record(1, 1, isAutomated);
    journal.recordDetails(2, 2, { ...NO_DETAILS, userAgent: "agent" }, isAutomated);
    for (const reason of REFUSALS) journal.recordRefused(3, 3, reason, isAutomated);
  }
  const reader = openSegmentReader(opened[0]!)!;
  const batch = createBatch(100, 10);
  reader.read(batch, FIRST_RECORD, false);
  reader.close();
  expect([...batch.kinds.subarray(0, batch.count)]).toEqual([1, 2, 3, 4, 5, 11, 6, 7, 8, 9, 10, 12]);
  expect(batch).toMatchObject({ automated: 6, detailed: 2, refused: 8 });
  expect([...batch.kinds.subarray(0, 12)].map(detailRefusalOf)).toEqual(
    [false, true].flatMap(() => [null, null, ...REFUSALS]),
  );
  expect(journal.latest(0, 20).map(({ isAutomated, details }) => [isAutomated, details !== null])).toEqual(
    [false, true].flatMap((isAutomated) =>
      [false, true, false, false, false, false].map((has) => [isAutomated, has]),
    ),
  );
  expect(journal.stats().automated).toEqual({ written: 6, overflow: 0, dropped: 0 });
  await journal.close();
  journal.record(1, 1, true);
  journal.record(1, 1);
  expect(journal.stats().automated).toEqual({ written: 6, overflow: 0, dropped: 1 });
});

test("automated clicks in the overflow are booked as held, then as written or dropped", async () => {
  const { journal, supply } = await openJournal({ dir: freshDir(), maxSegments: 0, overflow: 3 });
  for (const isAutomated of [true, false, true, true]) journal.record(1, 1, isAutomated);
  expect(journal.stats()).toMatchObject({ overflow: 3, automated: { written: 0, overflow: 2, dropped: 1 } });
  expect(supply.problem()).toBe("journal_full");
  await journal.close();
  expect(journal.stats()).toMatchObject({ overflow: 0, automated: { written: 0, overflow: 0, dropped: 3 } });
});

test("a reader sees each click once recorded and stops at the unwritten part", async () => {
  const dir = freshDir();
  const { journal, opened } = await openJournal({ dir });
  for (let link = 1; link <= 500; link++) {
    journal.record(link, link);
    if (link % 100 === 0) expect(readSegment(opened[0]!, false)).toHaveLength(link);
  }
  await journal.close();
});

test("segments follow one another and hold every click in order", async () => {
  const dir = freshDir();
  const { journal, opened, sealed } = await openJournal({
    dir,
    segmentBytes: segmentOf(256),
    overflow: 2000,
  });
  const sent: Click[] = [];
  for (let link = 1; link <= 2000; link++) {
    sent.push([link, 1_000_000 + link]);
    journal.record(link, 1_000_000 + link);
    // Time for the next segment, as between requests.
    if (link % 64 === 0) await Bun.sleep(5);
  }
  await journal.close();
  expect(readClicks(dir)).toEqual(sent);
  expect(opened).toHaveLength(8);
  expect(sealed).toEqual(opened);
  expect(listSegments(dir)).toEqual(opened);
  expect(listUnfinished(dir)).toEqual([]);
});

test("clicks wait in memory until the next segment is ready, then are written", async () => {
  const dir = freshDir();
  const { journal } = await openJournal({ dir, segmentBytes: segmentOf(256) });
  for (let link = 1; link <= 300; link++) journal.record(link, link);
  expect(journal.stats()).toMatchObject({ written: 256, overflow: 44, dropped: NONE });
  await until(() => journal.stats().overflow === 0);
  expect(journal.stats()).toMatchObject({ written: 300, overflow: 0, dropped: NONE });
  await journal.close();
  expect(readClicks(dir)).toHaveLength(300);
});

test("beyond the segment bound clicks fill the memory, then are dropped with the reason", async () => {
  const dir = freshDir();
  const { journal, supply, opened } = await openJournal({
    dir,
    segmentBytes: segmentOf(256),
    maxSegments: 1,
  });
  for (let link = 1; link <= 456; link++) journal.record(link, link);
  expect(journal.stats()).toMatchObject({
    written: 256,
    overflow: 100,
    dropped: { ...NONE, journal_full: 100 },
  });
  journal.record(1, 1);
  expect(journal.stats().dropped).toEqual({ ...NONE, journal_full: 101 });
  // The segment was counted and removed, so there is room.
  unlinkSync(opened[0]!);
  supply.released();
  journal.tick();
  await until(() => journal.stats().overflow === 0);
  journal.record(1, 1);
  expect(journal.stats()).toMatchObject({ written: 256 + 100 + 1, overflow: 0 });
  await journal.close();
  expect(readClicks(dir)).toHaveLength(101);
});

test("clicks still in memory when the journal closes are dropped with the reason", async () => {
  const { journal } = await openJournal({ dir: freshDir(), segmentBytes: segmentOf(256), maxSegments: 1 });
  for (let link = 1; link <= 300; link++) journal.record(link, link);
  await journal.close();
  journal.record(1, 1);
  expect(journal.stats()).toMatchObject({
    written: 256,
    overflow: 0,
    dropped: { ...NONE, journal_full: 44, closed: 1 },
  });
});

test("clicks enter the books only while recording is on", async () => {
  const dir = freshDir();
  const { journal } = await openJournal({ dir, segmentBytes: segmentOf(256), maxSegments: 1 });
  journal.record(1, 1);
  journal.setEnabled(false);
  journal.record(2, 2);
  journal.setEnabled(true);
  journal.record(3, 3);
  expect(readClicks(dir)).toEqual([
    [1, 1],
    [3, 3],
  ]);
  expect(journal.stats()).toMatchObject({ written: 2, overflow: 0, dropped: NONE });
  await journal.close();
});

test("signals once that enough clicks wait", async () => {
  const { journal, due } = await openJournal({ dir: freshDir() });
  journal.dueAfter(10);
  for (let link = 1; link <= 10; link++) journal.record(link, link);
  expect(due()).toBe(0);
  for (let link = 1; link <= 50; link++) journal.record(link, link);
  expect(due()).toBe(1);
  journal.dueAfter(1);
  for (let link = 1; link <= 2; link++) journal.record(link, link);
  expect(due()).toBe(2);
  await journal.close();
});

test("a segment is sealed after a day, an empty one is not", async () => {
  let now = 1_000_000;
  const { journal, supply, sealed, opened } = await openJournal({ dir: freshDir(), now: () => now });
  now += 48 * 3600_000;
  await supply.prepare();
  journal.tick();
  expect(sealed).toEqual([]);
  journal.record(1, now);
  journal.tick();
  expect(sealed).toEqual([opened[0]!]);
  expect(opened).toHaveLength(2);
  await journal.close();
});

test("an unfinished click ends reading of a live segment; in a dead one it loses the rest of its page", async () => {
  const dir = freshDir();
  const { journal, opened } = await openJournal({ dir });
  for (let link = 1; link <= 600; link++) journal.record(link, link);
  await journal.close();
  const bytes = readFileSync(opened[0]!);
  // Record 100 lost a word, as in a power cut. The next page is whole.
  bytes.writeInt32LE(0, FIRST_RECORD + 99 * 16 + 4);
  writeFileSync(opened[0]!, bytes);
  expect(readSegment(opened[0]!, false)).toHaveLength(99);
  const links = readSegment(opened[0]!).map(([link]) => link);
  expect(links).toEqual(
    [...Array(99).keys(), ...Array.from({ length: 600 - 256 }, (_, at) => 256 + at)].map((at) => at + 1),
  );
});

test("a lost page affects no other page", async () => {
  const dir = freshDir();
  const { journal, opened } = await openJournal({ dir });
  for (let link = 1; link <= 600; link++) journal.record(link, link);
  await journal.close();
  const bytes = readFileSync(opened[0]!);
  bytes.fill(0, FIRST_RECORD, FIRST_RECORD + PAGE_BYTES);
  writeFileSync(opened[0]!, bytes);
  expect(readSegment(opened[0]!)).toHaveLength(600 - 256);
});

test("a record is valid only at its place in its segment", () => {
  const check = recordCheck(7, 1024, 1, 2, 3);
  expect(check).not.toBe(recordCheck(7, 1028, 1, 2, 3));
  expect(check).not.toBe(recordCheck(8, 1024, 1, 2, 3));
  expect(check).not.toBe(0);
  expect(check & 0xfff).toBe(0);
});

test("a header is read back, and a damaged one is rejected", () => {
  const header = {
    uuid: crypto.randomUUID() as string,
    instance: crypto.randomUUID() as string,
    bytes: 8192,
    createdAt: 1_763_700_000_123,
    seed: 0xdeadbeef,
  };
  const page = encodeHeader(header);
  expect(decodeHeader(page)).toEqual(header);
  for (const at of [0, 8, 12, 16, 40, 50, 57, 60]) {
    const damaged = page.slice();
    damaged[at]! ^= 1;
    expect(decodeHeader(damaged)).toBeNull();
  }
  expect(decodeHeader(new Uint8Array(PAGE_BYTES))).toBeNull();
  expect(decodeHeader(page.subarray(0, 20))).toBeNull();
});

/** A file system of one mebibyte, or why there is none. */
function mountSmallDisk(dir: string): string | null {
  mkdirSync(dir, { recursive: true });
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "needs root on Linux to mount a small disk";
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", dir]);
  return status === 0 ? null : `mount: ${stderr}`;
}

const disk = freshDir();
const noDisk = mountSmallDisk(disk);

test.skipIf(noDisk !== null)(
  `a full disk makes clicks wait in memory (${noDisk ?? "small disk"})`,
  async () => {
    const dir = join(disk, "0");
    const ballast = join(disk, "ballast");
    const options = { dir, segmentBytes: 256 * 1024, overflow: 50_000 };
    const { journal, supply, sealed } = await openJournal(options);
    writeFileSync(ballast, new Uint8Array(700 * 1024));
    const perSegment = (256 * 1024 - FIRST_RECORD) / 16;
    for (let link = 1; link <= perSegment + 10_000; link++) journal.record(link, 1);
    await supply.prepare();
    expect(supply.problem()).toBe("disk_full");
    expect(journal.stats()).toMatchObject({ written: perSegment, overflow: 10_000, dropped: NONE });
    expect(listUnfinished(dir)).toEqual([]);
    for (let link = 1; link <= 40_001; link++) journal.record(link, 1);
    expect(journal.stats().dropped).toEqual({ ...NONE, disk_full: 1 });
    rmSync(ballast);
    // 50,000 clicks need four segments, the disk holds three. Full ones go as if counted.
    await until(() => {
      for (const path of sealed) rmSync(path, { force: true });
      journal.tick();
      return journal.stats().overflow === 0;
    });
    expect(journal.stats()).toMatchObject({
      written: perSegment + 50_000,
      dropped: { ...NONE, disk_full: 1 },
    });
    await journal.close();
  },
);

test("a journal starts even on a full disk", async () => {
  const { journal, supply } = await openJournal({ dir: freshDir(), maxSegments: 0 });
  journal.record(1, 1);
  expect(supply.problem()).toBe("journal_full");
  expect(journal.stats()).toMatchObject({ written: 0, overflow: 1, dropped: NONE });
  await journal.close();
});

test("kill -9 loses no click that the process reported as recorded", async () => {
  const dir = freshDir();
  const source = `
    const { openJournal, segmentOf } = await import(${JSON.stringify(join(import.meta.dir, "..", "clicks.test-support.ts"))});
    const { journal } = await openJournal({ dir: ${JSON.stringify(dir)}, segmentBytes: segmentOf(4096), overflow: 1e6 });
    for (let link = 1; ; link++) {
      journal.record(link, link);
      if (link % 500 === 0) {
        // On a busy machine segments may come more slowly than clicks.
        for (; journal.stats().overflow > 0; journal.tick()) await Bun.sleep(1);
        process.stdout.write(link + "\\n");
        await Bun.sleep(0);
      }
    }
  `;
  const child = Bun.spawn([process.execPath, "-e", source], { stdout: "pipe" });
  let text = "";
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    // The child continues while this reads, so the kill hits anywhere.
    if (text.length > 200) child.kill(9);
  }
  await child.exited;
  const said = text.slice(0, text.lastIndexOf("\n")).split("\n").map(Number);
  const clicks = readClicks(dir);
  expect(clicks.length).toBeGreaterThanOrEqual(said.at(-1)!);
  expect(clicks.every(([link, at], index) => link === index + 1 && at === link)).toBe(true);
});
