import { expect } from "bun:test";

/** Fails with the rule and what breaks it. */
export function expectNone(found: readonly string[], rule: string): void {
  expect(found.length === 0 ? [] : [rule, ...found]).toEqual([]);
}
