import { expect, test } from "bun:test";
import { lineChanges, nearChanges } from "../panel/src/files/preview/line-changes.ts";

const shown = (former: string, present: string): string =>
  lineChanges(former, present)
    .map(({ kind, line }) => `${{ same: " ", gone: "-", new: "+" }[kind]}${line}`)
    .join("|");

test("lines that came, went and stayed are told apart", () => {
  expect(shown("a\nb\nc", "a\nb\nc")).toBe(" a| b| c");
  expect(shown("a\nb\nc\nd", "a\nx\nc\ny\nd")).toBe(" a|-b|+x| c|+y| d");
  expect(shown("", "a")).toBe("-|+a");
  expect(shown("a\na", "a")).toBe(" a|-a");
});

test("very different texts are shown whole, within bounded memory", () => {
  const [former, present] = ["a", "b"].map((name) =>
    Array.from({ length: 3_000 }, (_, line) => `${name}${line}`).join("\n"),
  );
  const changes = lineChanges(former!, present!);
  expect(changes.map(({ kind }) => kind)).toEqual([
    ...Array<"gone">(3_000).fill("gone"),
    ...Array<"new">(3_000).fill("new"),
  ]);
});

test("equal lines far from every change are folded", () => {
  const same = (line: string) => ({ kind: "same", line }) as const;
  const gone = { kind: "gone", line: "x" } as const;
  const few = ["1", "2", "3"].map(same);
  expect(nearChanges([same("a"), same("b"), ...few, gone, ...few, same("c")])).toEqual([
    { kind: "folded", count: 2 },
    ...few,
    gone,
    ...few,
    { kind: "folded", count: 1 },
  ]);
  expect(nearChanges(few)).toEqual([{ kind: "folded", count: 3 }]);
});
