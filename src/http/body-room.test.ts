import { expect, test } from "bun:test";
import { createBodyRoom } from "./body-room.ts";

const KIB = 1024;

test("bodies are bounded together, and what has left makes room", () => {
  const room = createBodyRoom({ mostBytes: 100 * KIB });
  const [first, second] = [room.enter(), room.enter()];
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

test("short bodies pass however full it is", () => {
  const room = createBodyRoom({ mostBytes: 10 * KIB });
  room.enter().add(14 * KIB);
  const short = room.enter();
  short.add(1 * KIB);
  short.add(3 * KIB);
  expect(() => short.add(1)).toThrow("Too many large requests");
});
