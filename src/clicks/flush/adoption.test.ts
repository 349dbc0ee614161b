import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../../lib/logger.ts";
import { createAdoption } from "./adoption.ts";
import { SEGMENT_SUFFIX } from "../journal/format.ts";

const journalDir = mkdtempSync(join(tmpdir(), "waymark-adoption-"));
afterAll(() => rmSync(journalDir, { recursive: true }));

function leaveSegment(slot: string): string {
  const dir = join(journalDir, slot);
  mkdirSync(dir);
  const segment = join(dir, `0000000000${SEGMENT_SUFFIX}`);
  writeFileSync(segment, "");
  return segment;
}

test("a slot that cannot be cleaned blocks no other and is taken over as soon as possible", () => {
  const segments = ["1", "2", "3"].map(leaveSegment);
  // A folder can't be unlinked.
  const obstacle = join(journalDir, "2", `0000000001${SEGMENT_SUFFIX}.tmp`);
  mkdirSync(obstacle);
  const added: string[] = [];
  const adoption = createAdoption({
    journalDir,
    ownDir: join(journalDir, "0"),
    logger: silentLogger,
    add: ({ path }) => void added.push(path),
  });
  adoption.sweep();
  expect(added.toSorted()).toEqual([segments[0]!, segments[2]!]);
  rmdirSync(obstacle);
  adoption.sweep();
  expect(added.toSorted()).toEqual(segments);
});
