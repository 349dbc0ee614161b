import { expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { checkClickHouse, checkSchema } from "./checks-of-servers.ts";

const NONE_WAITS = { hasTable: true, hasSent: true, waitingSince: null };

async function verdicts(found: { hasTable: boolean; hasSent: boolean; waitingSince: number | null }) {
  const copy = { waiting: async () => 7, check: async () => found };
  const findings = await checkClickHouse(async () => copy).look();
  return findings.map(({ verdict, message }) => `${verdict} ${message}`);
}

test("the doctor tells how far the copy in ClickHouse is behind, and if its table is gone", async () => {
  expect(await verdicts(NONE_WAITS)).toEqual(["ok the server takes clicks", "ok all clicks are sent"]);
  expect(await verdicts({ ...NONE_WAITS, waitingSince: Date.now() })).toEqual([
    "ok the server takes clicks",
    "ok 7 clicks wait, at most four minutes each",
  ]);
  expect(await verdicts({ ...NONE_WAITS, waitingSince: Date.UTC(2026, 0, 1) })).toEqual([
    "ok the server takes clicks",
    "warning 7 clicks wait, the first of them since 2026-01-01T00:00:00.000Z",
  ]);
  expect(await verdicts({ ...NONE_WAITS, hasTable: false })).toContain(
    "warning the table to which clicks were sent is gone",
  );
  expect(await verdicts({ ...NONE_WAITS, hasTable: false, hasSent: false })).toContain(
    "ok the next run makes the table",
  );
});

test("what loses data or refuses it in the tables is a failure, the rest a warning", async () => {
  const database = { dialect: { name: "postgres" } } as Database;
  const states = async (...sentences: string[]) => {
    const found = await checkSchema(
      async () => database,
      async () => [],
      async () => sentences,
    ).look();
    return found.map(({ verdict }) => verdict);
  };
  const harmful = [
    "the table tags is missing",
    "the column links.note is missing",
    "the constraint links_code of the table links is missing, so the same value can be there twice",
    "the column links.x is not of this version, and rows can't be written without it",
  ];
  expect(await states(...harmful)).toEqual(harmful.map(() => "failure"));
  const harmless = [
    "the index links_owner of the table links is missing",
    "the column links.x is not of this version",
    "the trigger links_texts_added is missing, so searches miss changes",
  ];
  expect(await states(...harmless)).toEqual(harmless.map(() => "warning"));
});
