import { expect, test } from "bun:test";
import { createBodyMemory } from "./body-memory.ts";

const KIB = 1024;

test("all bodies share one bound, and a finished body frees its part", () => {
  const memory = createBodyMemory({ mostBytes: 100 * KIB });
  const [first, second] = [memory.enter(), memory.enter()];
  first.add(60 * KIB);
  second.add(40 * KIB);
  expect(() => second.add(9 * KIB)).toThrow(
    expect.objectContaining({ name: "ServiceUnavailable", details: { retryAfterSeconds: 1 } }),
  );
  second.add(8 * KIB);
  expect(() => first.add(1)).toThrow("Too many large requests");
  second.leave();
  second.leave();
  first.add(44 * KIB);
  expect(() => first.add(1)).toThrow("Too many large requests");
});

test("short bodies are accepted even when the memory for bodies is full", () => {
  const memory = createBodyMemory({ mostBytes: 10 * KIB });
  memory.enter().add(14 * KIB);
  const short = memory.enter();
  short.add(1 * KIB);
  short.add(3 * KIB);
  expect(() => short.add(1)).toThrow("Too many large requests");
});
