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
  const grown = settled + 8 * MIB;
  leaveOldGarbage(grown);
  // Below the bound.
  sweeper.worked(MIB / 2);
  edenGC();
  expect(heapSize()).toBeGreaterThan(grown - MIB);
  sweeper.worked(MIB / 2);
  expect(heapSize()).toBeLessThan(settled + 4 * MIB);
});

test("the bound of the growth does not rise with buffers that stay", () => {
  const kept = new Uint8Array(200 * MIB);
  fullGC();
  const sweeper = createFullSweeper(MIB);
  sweeper.worked(MIB);
  const settled = heapSize();
  leaveOldGarbage(settled + 8 * MIB);
  sweeper.worked(MIB);
  expect(heapSize()).toBeLessThan(settled + 4 * MIB);
  expect(kept.byteLength).toBe(200 * MIB);
});
