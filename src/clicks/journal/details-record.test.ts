/** Records with details read back unchanged, whatever surrounds them. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { NO_DETAILS, openJournal, readClicks, segmentOf, temporaryFolder } from "../clicks.test-support.ts";
import { readDetails, type VisitDetails } from "./details-record.ts";
import { FIRST_RECORD } from "./format.ts";
import { createBatch, openSegmentReader } from "./reader.ts";
import { listSegments } from "./segment.ts";
import type { Journal } from "./journal.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const folder = temporaryFolder();
let folders = 0;
const freshDir = () => join(folder, String(++folders));

type Visit = { link: number; at: number; sent: VisitDetails | null };

const record = (journal: Journal, { link, at, sent }: Visit): boolean => {
  if (sent !== null) return journal.recordDetails(link, at, sent);
  journal.record(link, at);
  return true;
};

/** The contents of a folder's segments, read in batches of that size. */
function readVisits(dir: string, capacity: number, details: number): Visit[] {
  const found: Visit[] = [];
  const batch = createBatch(capacity, details);
  for (const path of listSegments(dir)) {
    const reader = openSegmentReader(path)!;
    let position = FIRST_RECORD;
    do {
      ({ position } = reader.read(batch, position, true));
      const sent = new Map<number, VisitDetails>();
      for (let at = 0; at < batch.detailed; at++)
        sent.set(batch.details!.rows[at]!, readDetails(batch.details!.bytes, batch.details!.places[at]!));
      for (let at = 0; at < batch.count; at++)
        found.push({ link: batch.links[at]!, at: batch.times[at]!, sent: sent.get(at) ?? null });
    } while (batch.isFull);
    reader.close();
  }
  return found;
}

const text = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(32 + Math.floor(Math.random() * 95))).join("");
const maybe = (most: number): string | null =>
  Math.random() < 0.2 ? null : text(Math.floor(Math.random() ** 3 * (most + 1)));

function visitAtRandom(): Visit {
  const link = 1 + Math.floor(Math.random() * 2 ** (Math.random() < 0.5 ? 20 : 52));
  // Even a clock that was set back.
  const at = NOW + Math.floor((Math.random() - 0.5) * 1e9);
  if (Math.random() < 0.3) return { link, at, sent: null };
  const sent = {
    referrer: maybe(2048),
    utmSource: maybe(768),
    userAgent: maybe(1024),
    address: maybe(45) ?? "",
    language: maybe(36)?.replaceAll(",", "-") || null,
    campaign: maybe(120) || null,
    rule: Math.random() < 0.8 ? 0 : 1 + Math.floor(Math.random() * 32),
    visitor: Math.random() < 0.5 ? 0 : 1 + Math.floor(Math.random() * (2 ** 53 - 1)),
  };
  return { link, at, sent };
}

test.each([
  [1_000_000, 1_000_000],
  [7, 100],
  [100, 7],
])("any mix of records is read back, in batches of %p clicks and %p details", async (capacity, details) => {
  const dir = freshDir();
  const { journal, supply } = await openJournal({ dir, segmentBytes: segmentOf(4000), overflow: 0 });
  const visits = Array.from({ length: 600 }, visitAtRandom);
  for (const visit of visits) {
    await supply.prepare();
    expect(record(journal, visit)).toBe(true);
  }
  expect(journal.stats().written).toBe(600);
  expect(journal.detailed()).toBe(visits.filter(({ sent }) => sent !== null).length);
  await journal.close();
  expect(readVisits(dir, capacity, details)).toEqual(visits);
  // A reader without details finds the same clicks.
  expect(readClicks(dir)).toEqual(visits.map(({ link, at }) => [link, at]));
});

test("texts are shortened to their bounds; invalid UTF-8 is marked", async () => {
  const dir = freshDir();
  const { journal } = await openJournal({ dir, segmentBytes: segmentOf(4000) });
  const long = "x".repeat(20_000);
  const texts = { referrer: long, utmSource: long, userAgent: long, address: long, language: long };
  const campaign = `utm_source=a&utm_campaign=${"b".repeat(90)}&utm_term=${long}`;
  journal.recordDetails(1, NOW, { ...texts, campaign, rule: 32, visitor: 2 ** 53 - 1 });
  const few = { ...NO_DETAILS, referrer: "caf\xc3\xa9 \xff", userAgent: "", address: "::1" };
  journal.recordDetails(2, NOW, few);
  journal.recordDetails(3, NOW, { ...few, campaign: long });
  await journal.close();
  const [first, second, third] = readVisits(dir, 10, 10);
  const { rule, visitor, campaign: pairs, ...cut } = first!.sent!;
  expect(Object.values(cut).map((value) => value!.length)).toEqual([2048, 768, 1024, 46, 36]);
  expect([rule, visitor, pairs]).toEqual([32, 2 ** 53 - 1, `utm_source=a&utm_campaign=${"b".repeat(90)}`]);
  expect(second!.sent).toEqual({ ...few, referrer: "café \ufffd" });
  expect(third!.sent).toEqual(second!.sent);
});

test("records of versions before 0.8 are read", () => {
  const bytes = Buffer.concat([
    Buffer.alloc(16),
    Buffer.from([18, 0, 0xff, 0xff, 10, 0, 3, 0]),
    Buffer.from("https://a.example/curl/8.5.0::1"),
    Buffer.alloc(9, 0xff),
  ]);
  const sent = { referrer: "https://a.example/", utmSource: null, userAgent: "curl/8.5.0", address: "::1" };
  expect(readDetails(bytes, 0)).toEqual({ ...NO_DETAILS, ...sent });
});

test("without a segment the click stays in memory and its details are dropped", async () => {
  const dir = freshDir();
  const { journal, supply } = await openJournal({
    dir,
    segmentBytes: segmentOf(256),
    maxSegments: 1,
    overflow: 10,
  });
  const sent = { ...NO_DETAILS, referrer: "r".repeat(900) };
  const kept = Array.from({ length: 8 }, (_, at) => record(journal, { link: at + 1, at: NOW, sent }));
  expect(kept).toEqual([true, true, true, true, false, false, false, false]);
  expect(journal.stats()).toMatchObject({ written: 4, overflow: 4 });
  expect(journal.detailed()).toBe(4);
  expect(supply.problem()).toBe("journal_full");
  await journal.close();
  expect(journal.recordDetails(9, NOW, NO_DETAILS)).toBe(false);
  expect(journal.stats().dropped.closed).toBe(1);
});

test("nothing is recorded while counting is off", async () => {
  const dir = freshDir();
  const { journal } = await openJournal({ dir });
  journal.setEnabled(false);
  expect(journal.recordDetails(1, NOW, NO_DETAILS)).toBe(false);
  expect(journal.stats()).toMatchObject({ written: 0, overflow: 0 });
  await journal.close();
});

test("a record with incomplete texts ends reading, and loses only its page", async () => {
  const dir = freshDir();
  const { journal, opened } = await openJournal({ dir, segmentBytes: segmentOf(2000) });
  const sent = { ...NO_DETAILS, userAgent: "u".repeat(500) };
  for (let at = 1; at <= 20; at++) record(journal, { link: at, at: NOW, sent });
  await journal.close();
  const bytes = new Uint8Array(await Bun.file(opened[0]!).arrayBuffer());
  bytes[FIRST_RECORD + 200]! ^= 1;
  await Bun.write(opened[0]!, bytes);
  const links = readVisits(dir, 100, 100).map(({ link }) => link);
  expect(links[0]).toBeGreaterThan(1);
  expect(links.at(-1)).toBe(20);
  const reader = openSegmentReader(opened[0]!)!;
  expect(reader.read(createBatch(100), FIRST_RECORD, false).position).toBe(FIRST_RECORD);
  reader.close();
});

test("the newest clicks are found from the end", async () => {
  const { journal } = await openJournal({ dir: freshDir(), segmentBytes: segmentOf(20_000) });
  for (let at = 1; at <= 3000; at++)
    record(journal, {
      link: at,
      at: NOW + at,
      sent: at % 2 === 0 ? null : { ...NO_DETAILS, referrer: `r${at}` },
    });
  const latest = journal.latest(NOW, 5);
  expect(latest.map(({ linkId }) => linkId)).toEqual([2996, 2997, 2998, 2999, 3000]);
  expect(latest[1]!.details?.referrer).toBe("r2997");
  expect(journal.latest(NOW + 2998, 5).map(({ linkId }) => linkId)).toEqual([2999, 3000]);
  expect(journal.latest(NOW + 3000, 5)).toEqual([]);
  await journal.close();
  expect(journal.latest(NOW, 5)).toEqual([]);
});
