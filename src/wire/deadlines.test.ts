import { expect, test } from "bun:test";
import { createDeadlines } from "./deadlines.ts";

function setUp() {
  let second = 0;
  const deadlines = createDeadlines(() => second);
  return { deadlines, after: (seconds: number) => ((second += seconds), deadlines.isOver()) };
}

test("two minutes of silence end a connection, and traffic begins them anew", () => {
  const { deadlines, after } = setUp();
  expect(after(119)).toBe(false);
  deadlines.touch();
  expect(after(119)).toBe(false);
  expect(after(1)).toBe(true);
});

test("a head that never ends is cut in spite of its traffic", () => {
  const { deadlines, after } = setUp();
  deadlines.beginHead();
  for (let minute = 0; minute < 11; minute++) {
    deadlines.touch();
    deadlines.beginHead();
    expect(after(10)).toBe(false);
  }
  deadlines.touch();
  expect(after(10)).toBe(true);
  deadlines.endHead();
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

test("a client has two seconds of silence to read its last answer, and half a minute in all", () => {
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
