import { edenGC, fullGC, heapSize } from "bun:jsc";
import { expect, test } from "bun:test";
import { createFullSweeper } from "./sweeper.ts";

const MIB = 1024 * 1024;

/** Garbage that has outlived a collection. A separate function, so that nothing references it. */
function leaveOldGarbage(untilBytes: number): void {
  const held: unknown[] = [];
  while (heapSize() < untilBytes) {
    held.push(Array.from({ length: 50_000 }, (_, i) => ({ i })));
    edenGC();
  }
}

test("garbage that outlived a collection is collected after growing", () => {
  fullGC();
  const sweeper = createFullSweeper(MIB);
  sweeper.worked(MIB);
  const settled = heapSize();
  const grown = settled * 1.3 + 8 * MIB;
  leaveOldGarbage(grown);
  // Below the bound.
  sweeper.worked(MIB / 2);
  edenGC();
  expect(heapSize()).toBeGreaterThan(grown - MIB);
  sweeper.worked(MIB / 2);
  expect(heapSize()).toBeLessThan(settled * 1.1 + 4 * MIB);
});
