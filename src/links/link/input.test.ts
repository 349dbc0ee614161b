import { describe, expect, test } from "bun:test";
import { validated } from "../../lib/validated.ts";
import { createCodeRule } from "./code.ts";
import { parseLinkInput, parseLinkUpdate } from "./input.ts";
import { EMPTY_FIELDS } from "../links.test-support.ts";
import { parseExpiry } from "./field-kinds.ts";
import { createSchema, type Link, updateSchema, viewOfLink, UNOWNED } from "./link.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const DAY = 86_400_000;
const rule = createCodeRule(() => ["/admin"]);
const parsed = (body: unknown) => parseLinkInput(validated(createSchema, body, "The body"), rule, NOW);
const patch = (body: unknown) => parseLinkUpdate(validated(updateSchema, body, "The body"), rule, NOW);

function errorOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).name;
  }
  return "nothing thrown";
}

const PLAIN_INPUT = { title: null, note: null, options: null, tags: [], reuse: false };

describe("create", () => {
  test("the required fields only", () => {
    expect(parsed({ target: " https://example.com/ " })).toEqual({
      ...PLAIN_INPUT,
      code: null,
      target: "https://example.com/",
      expiresAt: null,
      password: null,
      force: false,
    });
  });

  test("null and empty mean absent, unknown fields are ignored", () => {
    const body = { target: "http://a.b", code: "", expires_at: "", password: "", force: null, color: 1 };
    const absent = {
      ...PLAIN_INPUT,
      code: null,
      target: "http://a.b",
      expiresAt: null,
      password: null,
      force: false,
    };
    expect(parsed(body)).toEqual(absent);
    expect(parsed({ ...body, code: null, expires_at: null, password: null })).toEqual(absent);
  });

  test("every field", () => {
    const body = {
      code: "a/b",
      target: "http://a.b",
      expires_at: "1d",
      password: "$argon2id$x",
      force: true,
    };
    expect(parsed(body)).toEqual({
      ...PLAIN_INPUT,
      code: "a/b",
      target: "http://a.b",
      expiresAt: NOW + DAY,
      password: "$argon2id$x",
      force: true,
    });
  });

  test.each([
    ["BadRequest", {}],
    ["BadRequest", { target: null }],
    ["BadRequest", { target: 1 }],
    ["BadRequest", { target: "http://a.b", code: 5 }],
    ["BadRequest", { target: "http://a.b", expires_at: 5 }],
    ["BadRequest", { target: "http://a.b", password: [] }],
    ["BadRequest", { target: "http://a.b", force: "true" }],
    ["BadRequest", { target: "http://a.b", password: "[REDACTED]" }],
    ["BadRequest", { target: "http://a.b", password: "x".repeat(1025) }],
    ["BadRequest", "http://a.b"],
    ["BadRequest", [{ target: "http://a.b" }]],
    ["LinkInvalidUrl", { target: "" }],
    ["LinkInvalidUrl", { target: "ftp://a.b" }],
    ["LinkInvalidUrl", { target: "http://a.b/\0" }],
    ["LinkInvalidUrl", { target: "http://a.b/\r\nSet-Cookie: a=b" }],
    ["LinkInvalidCode", { target: "http://a.b", code: "a b" }],
    ["LinkReservedCode", { target: "http://a.b", code: "admin/x" }],
    ["LinkInvalidExpireTime", { target: "http://a.b", expires_at: "soon" }],
  ])("%s for %j", (name, body) => {
    expect(errorOf(() => parsed(body))).toBe(name);
  });
});

const NOTHING = {
  expiresAt: undefined,
  password: undefined,
  options: {},
};

describe("update", () => {
  test("absent and null keep", () => {
    const kept = { target: "http://a.b", ...NOTHING };
    expect(patch({ target: "http://a.b" })).toEqual(kept);
    expect(patch({ target: "http://a.b", expires_at: null, password: null })).toEqual(kept);
  });

  test("empty clears", () => {
    const cleared = { target: "http://a.b", ...NOTHING, expiresAt: null, password: null };
    expect(patch({ target: "http://a.b", expires_at: "", password: "" })).toEqual(cleared);
  });

  test.each([
    ["BadRequest", {}],
    ["BadRequest", { expires_at: "1d" }],
    ["BadRequest", { target: "http://a.b", password: "[REDACTED]" }],
    ["LinkInvalidUrl", { target: " " }],
    ["LinkInvalidExpireTime", { target: "http://a.b", expires_at: "2026-02-30T00:00:00Z" }],
  ])("%s for %j", (name, body) => {
    expect(errorOf(() => patch(body))).toBe(name);
  });
});

describe("expires_at", () => {
  test("accepts instants, even past ones, and durations", () => {
    expect(parseExpiry("2026-11-21T13:00:00Z", NOW)).toBe(NOW + DAY);
    expect(parseExpiry("2001-01-01T00:00:00+01:00", NOW)).toBe(Date.parse("2000-12-31T23:00:00Z"));
    expect(parseExpiry("1d2h30m", NOW)).toBe(NOW + DAY + 2.5 * 3_600_000);
    expect(parseExpiry("", NOW)).toBeNull();
  });

  test("accepts units in any case, and ignores surrounding blanks", () => {
    expect(parseExpiry("1D", NOW)).toBe(NOW + DAY);
    expect(parseExpiry("2W", NOW)).toBe(NOW + 14 * DAY);
    expect(parseExpiry(" 1d ", NOW)).toBe(NOW + DAY);
    expect(parseExpiry(" 2026-11-21T13:00:00Z\n", NOW)).toBe(NOW + DAY);
  });

  test.each(["0s", "0d", " 0D0h ", "000M"])("refuses the zero duration %j", (text) => {
    expect(errorOf(() => parseExpiry(text, NOW))).toBe("LinkInvalidExpireTime");
  });

  test.each(["1", "7 d", "2026-11-20", "9000y", " ", "9999-12-31T23:59:59-01:00"])("refuses %j", (text) => {
    expect(errorOf(() => parseExpiry(text, NOW))).toBe("LinkInvalidExpireTime");
  });
});

test("a link is shown without its hash", () => {
  const link: Link = {
    id: 7,
    code: "a",
    target: "http://a.b",
    createdAt: NOW,
    updatedAt: NOW + 1,
    expiresAt: NOW + DAY,
    ...UNOWNED,
    ownerName: null,
    ...PLAIN_INPUT,
    passwordHash: "$argon2id$v=19$secret",
    clickCount: 3,
    automatedClicks: 1,
  };
  expect(viewOfLink(link, "https://go.example", () => null)).toEqual({
    ...EMPTY_FIELDS,
    id: 7,
    updated_at: "2026-11-20T13:00:00.001Z",
    owner: null,
    code: "a",
    target: "http://a.b",
    created_at: "2026-11-20T13:00:00.000Z",
    expires_at: "2026-11-21T13:00:00.000Z",
    password: "[REDACTED]",
    click_count: 3,
    human_clicks: 2,
    domain: null,
    dead_since: null,
    short_url: "https://go.example/a",
    title: null,
    note: null,
    created_by: null,
    starts_at: null,
    max_clicks: null,
    fallback_url: null,
    redirect_status: 307,
    forward_query: false,
    tags: [],
  });
  expect(viewOfLink({ ...link, expiresAt: null, passwordHash: null }, "", () => null)).toMatchObject({
    expires_at: null,
    password: null,
  });
});
