import { expect, test } from "bun:test";
import { createDeadlines } from "./deadlines.ts";

function setUp({ scheme = "http" as "http" | "https", isComplete = true } = {}) {
  let second = 0;
  const waits: boolean[] = [];
  const deadlines = createDeadlines({ now: () => second, scheme }, (isWaiting) => void waits.push(isWaiting));
  if (isComplete) deadlines.complete();
  return { deadlines, waits, after: (seconds: number) => ((second += seconds), deadlines.isOver()) };
}

test("a handshake has ten seconds, and the head after it half a minute", () => {
  const { deadlines, after } = setUp({ scheme: "https", isComplete: false });
  expect(after(9)).toBe(false);
  deadlines.endHandshake();
  expect(after(29)).toBe(false);
  deadlines.touch();
  expect(after(1)).toBe(true);
});

test("a client that does not begin its first head is cut after half a minute", () => {
  const { after } = setUp({ isComplete: false });
  expect([after(29), after(1)]).toEqual([false, true]);
});

test("two minutes of silence end a connection, and traffic begins them anew", () => {
  const { deadlines, after } = setUp();
  expect(after(119)).toBe(false);
  deadlines.touch();
  expect(after(119)).toBe(false);
  expect(after(1)).toBe(true);
});

test("a head that never ends is cut in spite of its traffic", () => {
  const { deadlines, after } = setUp();
  deadlines.begin();
  for (let round = 0; round < 5; round++) {
    deadlines.touch();
    deadlines.begin();
    expect(after(5)).toBe(false);
  }
  deadlines.touch();
  expect(after(5)).toBe(true);
  deadlines.complete();
  expect(deadlines.isOver()).toBe(false);
});

test("a request may lift the limit of silence, for itself only", () => {
  const { deadlines, after } = setUp();
  deadlines.liftIdle();
  expect(after(10_000)).toBe(false);
  deadlines.touch();
  deadlines.reset();
  expect(after(120)).toBe(true);
});

test("a cut comes in spite of traffic", () => {
  const { deadlines, after } = setUp();
  deadlines.cutIn(1);
  expect([after(1), deadlines.hasCut()]).toEqual([false, true]);
  deadlines.touch();
  expect(after(1)).toBe(true);
});

test("a client has two seconds of silence to read its last response, and half a minute in all", () => {
  const { deadlines, after } = setUp();
  deadlines.linger();
  expect(after(1)).toBe(false);
  deadlines.touch();
  expect([after(1), after(1)]).toEqual([false, true]);
  deadlines.linger();
  for (let second = 0; second < 29; second++) {
    deadlines.touch();
    expect(after(1)).toBe(false);
  }
  deadlines.touch();
  expect(after(1)).toBe(true);
});

test("it tells when the client has something to complete, once", () => {
  const { deadlines, waits } = setUp({ isComplete: false });
  deadlines.begin();
  deadlines.complete();
  deadlines.complete();
  deadlines.begin();
  deadlines.linger();
  expect(waits).toEqual([true, false, true]);
});
