import { expect, test } from "bun:test";
import { csrfToken, equalInConstantTime, isCsrfProven } from "./cookies.ts";

const mine = { secret: "one secret", sessionId: "session-1" };
const token = csrfToken(mine.secret, mine.sessionId);

test("the token of the session is accepted and contains no =", () => {
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(isCsrfProven(token, [token], mine)).toBe(true);
  expect(isCsrfProven(token, ["planted", token], mine)).toBe(true);
});

test("any other value is refused", () => {
  const foreign = csrfToken(mine.secret, "session-2");
  expect(isCsrfProven(undefined, [token], mine)).toBe(false);
  expect(isCsrfProven("", [""], mine)).toBe(false);
  expect(isCsrfProven(token, [], mine)).toBe(false);
  expect(isCsrfProven(token, ["other"], mine)).toBe(false);
  expect(isCsrfProven("planted", ["planted"], mine)).toBe(false);
  expect(isCsrfProven(foreign, [foreign], mine)).toBe(false);
  expect(isCsrfProven(token, [token], { ...mine, secret: "new secret" })).toBe(false);
});

test("secrets of any length compare by content", () => {
  expect(equalInConstantTime("abc", "abc")).toBe(true);
  expect(equalInConstantTime("abc", "abd")).toBe(false);
  expect(equalInConstantTime("", "abd")).toBe(false);
});
