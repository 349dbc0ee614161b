import { expect, test } from "bun:test";
import { createBloom } from "./bloom.ts";
import { hashCode } from "../../lib/code-hash.ts";

const hash = (code: string): number => hashCode(code, 0, code.length, 7);

function falsePositives(capacity: number, added: number): number {
  const bloom = createBloom(capacity);
  for (let i = 0; i < added; i++) bloom.add(hash(`code-${i}`));
  for (let i = 0; i < added; i++) if (!bloom.mayHave(hash(`code-${i}`))) throw new Error(`lost code-${i}`);
  let passed = 0;
  for (let i = 0; i < 100_000; i++) if (bloom.mayHave(hash(`other-${i}`))) passed++;
  return passed / 100_000;
}

test("every added code passes; at capacity less than 1 % of the others do", () => {
  for (const capacity of [1, 10, 1000, 100_000]) {
    expect(falsePositives(capacity, capacity)).toBeLessThan(0.01);
  }
});

test("beyond capacity there are more false positives and no false negatives", () => {
  const passed = falsePositives(20_000, 30_000);
  expect(passed).toBeGreaterThan(0.01);
  expect(passed).toBeLessThan(0.06);
});

test("an empty filter passes nothing, and a million codes take 1.5 MB", () => {
  expect(falsePositives(1000, 0)).toBe(0);
  expect(createBloom(1_000_000).bytes).toBe(1_500_000);
});
