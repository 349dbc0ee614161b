import { expect, test } from "bun:test";
import { lineChanges } from "../panel/src/files/preview/line-changes.ts";

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
