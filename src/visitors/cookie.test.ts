import { expect, test } from "bun:test";
import { createUnlockCookies } from "./cookie.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const HOUR = 3_600_000;
const share = { linkId: 7, createdAt: 1, passwordHash: "hash" };
const cookiesOf = (secret: string, isSecure = false) =>
  createUnlockCookies({ secret: () => secret, isSecure: () => isSecure });
const cookies = cookiesOf("key");
const made = cookies.make(share, "a/b", NOW).split(";")[0]!;

test("a cookie opens its share for an hour", () => {
  expect(cookies.make(share, "a/b", NOW)).toEndWith("; Path=/a/b; Max-Age=3600; HttpOnly; SameSite=Lax");
  expect(cookiesOf("key", true).make(share, "a/b", NOW)).toEndWith("; Secure");
  expect(cookies.opens(share, `other=1; ${made}`, NOW + HOUR - 1)).toBe(true);
  expect(cookies.opens(share, made, NOW + HOUR)).toBe(false);
});

test("nothing else opens the share", () => {
  const opens = (header: string | null) => cookies.opens(share, header, NOW);
  for (const header of [null, "", "waymark_share_7=", `x${made}`, made.slice(0, -1), `${made}A`]) {
    expect(opens(header)).toBe(false);
  }
  const [until] = /\d{9,}/.exec(made)!;
  expect(opens(made.replace(until, String(Number(until) + 1)))).toBe(false);
  expect(opens(made.replace(until, "999999999999"))).toBe(false);
  expect(cookiesOf("another key").opens(share, made, NOW)).toBe(false);
  for (const other of [{ createdAt: 2 }, { passwordHash: "another" }, { linkId: 8 }]) {
    const renamed = made.replace("share_7", `share_${other.linkId ?? 7}`);
    expect(cookies.opens({ ...share, ...other }, renamed, NOW)).toBe(false);
  }
});

test("a foreign cookie of the same name does not hide it", () => {
  expect(cookies.opens(share, `waymark_share_7=x; ${made}`, NOW)).toBe(true);
});
