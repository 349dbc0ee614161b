import { expect, test } from "bun:test";
import { NO_OPTIONS, writeOptions } from "../link/field-values.ts";
import type { Facts } from "../rules/decide.ts";
import type { Rule } from "../rules/rule.ts";
import { cacheable, locationOf, readSpecial } from "./cached-link.ts";

const row = (target: string, rules: Rule[] | null, more: object = {}) => ({
  id: 7,
  code: "a",
  target,
  expires_at: 5,
  options: writeOptions({ ...NO_OPTIONS, rules, ...more }),
  locked: 1,
});
const stored = (...given: Parameters<typeof row>): string => cacheable(row(...given), true).target;
const read = (location: string) => {
  const { rules, ruleTargets, ...rest } = readSpecial(location)!;
  return { ...rest, conditions: rules?.conditions.length, targets: rules && ruleTargets() };
};

test("what is stored for other processes and for this one reads the same", () => {
  const rules: Rule[] = [
    { if: { query: { 'a~#."ü': "1.2.3~" } }, target: "https://example.com/~#é.1.2." },
    { if: { percent: 5 }, target: "share:photos" },
  ];
  const more = { fallbackUrl: "https://example.com/~.#", startsAt: 3 };
  const texts = [
    stored("https://example.com/ü~1.2.#3", rules, more),
    stored("https://example.com/", rules),
    stored("https://example.com/", null),
  ];
  for (const text of texts) {
    expect(text).toMatch(/^[\x21-\x7e]+$/);
    expect(read(locationOf(text))).toEqual(read(text));
  }
  expect(read(texts[0]!)).toEqual({
    ...NO_OPTIONS,
    ...more,
    clickThreshold: undefined,
    rules: undefined,
    target: "https://example.com/%C3%BC~1.2.#3",
    expiresAt: 5,
    isLocked: true,
    conditions: 2,
    targets: ["https://example.com/~#%C3%A9.1.2.", "share:photos"],
  } as never);
});

test("a link whose only option the redirect does not see is a plain one", () => {
  const link = row("https://example.com/", null, { clickThreshold: 250 });
  expect(cacheable(link, false)).toBe(link);
  expect(readSpecial(cacheable(link, true).target)!.isLocked).toBe(true);
});

test("equal conditions are one object, and more different ones than are kept stay right", () => {
  const at = (percent: number) =>
    locationOf(stored("https://example.com/", [{ if: { percent }, target: "https://a.example/" }]));
  expect(readSpecial(at(1))!.rules).toBe(readSpecial(at(1))!.rules!);
  expect(at(1).length).toBeLessThan(
    stored("https://example.com/", [{ if: { percent: 1 }, target: "https://a.example/" }]).length,
  );
  for (let number = 0; number < 12_000; number++) {
    const portion = number / 200;
    const condition = readSpecial(at(portion))!.rules!.conditions[0]![0]!;
    const drawn = (percent: number) => ({ draw: () => percent }) as unknown as Facts;
    if (condition.holds(drawn(portion - 0.0001)) && !condition.holds(drawn(portion))) continue;
    throw new Error(`wrong conditions for ${portion}`);
  }
});
