import { describe, expect, test } from "bun:test";
import { isNotModified, isPreconditionFailed, isRangeCurrent, lastModified } from "./conditional-request.ts";

const modifiedAt = Date.parse("2026-11-20T13:00:00.789Z");
const now = { etag: '"abc"', modifiedAt };
const SAME = "Fri, 20 Nov 2026 13:00:00 GMT";
const BEFORE = "Fri, 20 Nov 2026 12:59:59 GMT";
const AFTER = "Fri, 20 Nov 2026 13:00:01 GMT";
const headers = (given: Record<string, string>) => (name: string) => given[name];

describe("not modified", () => {
  test.each([
    [{}, false],
    [{ "If-None-Match": '"abc"' }, true],
    [{ "If-None-Match": 'W/"abc"' }, true],
    [{ "If-None-Match": '"x", W/"y" ,"abc"' }, true],
    [{ "If-None-Match": "*" }, true],
    [{ "If-None-Match": "abc" }, false],
    [{ "If-None-Match": '"abcd"' }, false],
    [{ "If-None-Match": '"x"', "If-Modified-Since": AFTER }, false],
    [{ "If-Modified-Since": SAME }, true],
    [{ "If-Modified-Since": AFTER }, true],
    [{ "If-Modified-Since": BEFORE }, false],
    [{ "If-Modified-Since": "yesterday" }, false],
    [{ "If-Modified-Since": "2026-11-21" }, false],
  ])("%p: %p", (given, expected) => {
    expect(isNotModified(headers(given as Record<string, string>), now)).toBe(expected);
  });
});

describe("a failed precondition", () => {
  test.each([
    [{}, false],
    [{ "If-Match": '"abc"' }, false],
    [{ "If-Match": '"x" , "abc"' }, false],
    [{ "If-Match": "*" }, false],
    [{ "If-Match": '"x"' }, true],
    [{ "If-Match": 'W/"abc"' }, true],
    [{ "If-Match": '"x"', "If-Unmodified-Since": AFTER }, true],
    [{ "If-Match": '"abc"', "If-Unmodified-Since": BEFORE }, false],
    [{ "If-Unmodified-Since": SAME }, false],
    [{ "If-Unmodified-Since": BEFORE }, true],
    [{ "If-Unmodified-Since": "yesterday" }, false],
  ])("%p: %p", (given, expected) => {
    expect(isPreconditionFailed(headers(given as Record<string, string>), now)).toBe(expected);
  });
});

describe("a range", () => {
  test.each([
    [{}, true],
    [{ "If-Range": '"abc"' }, true],
    [{ "If-Range": 'W/"abc"' }, false],
    [{ "If-Range": '"x"' }, false],
    [{ "If-Range": SAME }, true],
    [{ "If-Range": AFTER }, false],
    [{ "If-Range": BEFORE }, false],
    [{ "If-Range": "abc" }, false],
  ])("%p: %p", (given, expected) => {
    expect(isRangeCurrent(headers(given as Record<string, string>), now)).toBe(expected);
  });
});

test("times have whole seconds, and a future one is sent as now", () => {
  expect(lastModified(now, modifiedAt + 5_000)).toBe(SAME);
  const future = { etag: '"abc"', modifiedAt: modifiedAt + 1e9, storedAt: modifiedAt };
  expect(lastModified(future, modifiedAt)).toBe(SAME);
  expect(isNotModified(headers({ "If-Modified-Since": SAME }), future)).toBe(true);
  expect(isNotModified(headers({ "If-Modified-Since": BEFORE }), future)).toBe(false);
  expect(isPreconditionFailed(headers({ "If-Unmodified-Since": SAME }), future)).toBe(false);
});
