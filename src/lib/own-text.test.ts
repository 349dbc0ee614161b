import { expect, test } from "bun:test";
import { createMissingCodes } from "../links/cache/code-filter.ts";
import { createAutomatedVisitors } from "./automated-visitors.ts";
import { ownText } from "./own-text.ts";

const LONG = Buffer.alloc(1_000_000, "x");

/** Of 300 texts of a megabyte, each with a part that is used. */
function grown(use: (part: string) => void): number {
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  for (let at = 0; at < 300; at++) {
    LONG.write(`Agent-${at}-`, "latin1");
    use(LONG.toString("latin1").slice(0, 100));
  }
  Bun.gc(true);
  return process.memoryUsage().rss - before;
}

test("an own text equals its part, and does not keep the rest in memory", () => {
  for (const text of ["", "aé\xff", "名前 😀", "\ud800"]) expect(ownText(text)).toBe(text);
  const kept: string[] = [];
  expect(grown((part) => kept.push(ownText(part)))).toBeLessThan(150_000_000);
  expect(kept[299]).toStartWith("Agent-299-");
});

test("remembered user agents do not keep the heads that they came in", () => {
  const visitors = createAutomatedVisitors();
  const includes = (agent: string) =>
    visitors.includes({
      method: "GET",
      headers: { get: (name: string) => (name === "user-agent" ? agent : null) },
    });
  expect(grown(includes)).toBeLessThan(150_000_000);
  expect(includes("curl/8.0")).toBe(true);
});

test("missing codes do not keep the paths that they came in", () => {
  const codes = createMissingCodes({ limit: 1_000, lifeMs: 60_000 });
  expect(grown((part) => codes.add(part, 0))).toBeLessThan(150_000_000);
  expect(codes.size()).toBe(300);
});
