import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DumpRow, readDump } from "./sql-dump.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-dump-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function rowsOf(text: string): Promise<DumpRow[]> {
  const path = join(folder, "dump.sql");
  writeFileSync(path, text);
  return Array.fromAsync(readDump(path, () => true));
}

const LEVELS = 200_000;
const DEEP = {
  "a name of many parts": ["`a`.".repeat(LEVELS), ""],
  "a name of many double-quoted parts": ['"a".'.repeat(LEVELS), ""],
  "blanks between the parts of a name": ["`a`. ".repeat(LEVELS), ""],
  comments: ["/**/".repeat(LEVELS), ""],
  "open parentheses in a value": ["", "(".repeat(LEVELS)],
  "prefixes of a value": ["", "_binary ".repeat(LEVELS)],
} as const;

test.each(Object.entries(DEEP))("%s are read without recursion", async (_, [name, value]) => {
  const rows = await rowsOf(`INSERT INTO ${name}\`url\` (keyword) VALUES ('a');
INSERT INTO url VALUES (${value}1);
INSERT INTO url VALUES ('last');`);
  expect(rows[0]).toMatchObject({ table: "url", columns: ["keyword"], values: ["a"] });
  if (value === "") expect(rows.at(-1)).toMatchObject({ table: "url", values: ["last"] });
});
