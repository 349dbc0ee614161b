import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { AppError } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import { parseRules, type Rule, rulesSchema } from "./rule.ts";

const TARGET = "https://example.com/";
const body = z.object({ rules: rulesSchema });

/** The rules as stored, or the refusal. */
function parsed(rules: unknown): Rule[] | null | string {
  try {
    return parseRules(validated(body, { rules }, "The body").rules);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
const withCondition = (condition: unknown) => parsed([{ if: condition, target: TARGET }]);

test("rules are stored in one form", () => {
  expect(
    parsed([
      { target: " https://example.com/de ", if: { percent: 12.5, language: ["DE", "pt-BR"], country: "de" } },
      { if: { before: "2026-11-20T14:00:00+01:00" }, target: "share:box/1" },
      {
        if: { hours: { zone: "Europe/Berlin", from: "22:00", to: "06:00" }, referrer: "News.example" },
        target: TARGET,
      },
    ]),
  ).toEqual([
    { if: { language: ["de", "pt-br"], country: "DE", percent: 12.5 }, target: "https://example.com/de" },
    { if: { before: "2026-11-20T13:00:00.000Z" }, target: "share:box/1" },
    {
      if: { referrer: "news.example", hours: { from: "22:00", to: "06:00", zone: "Europe/Berlin" } },
      target: TARGET,
    },
  ]);
  expect(parsed([])).toBeNull();
});

test("systems and browsers are stored as analytics calls them", () => {
  const rules = [{ if: { os: ["iPhone", "mac", "android"], browser: "EDGE" }, target: TARGET }];
  expect(parsed(rules)).toEqual([
    { if: { os: ["iOS", "macOS", "android"], browser: "Microsoft Edge" }, target: TARGET },
  ]);
});

describe("taken", () => {
  test.each<[unknown]>([
    [{ device: "mobile" }],
    [{ device: ["mobile", "tablet"] }],
    [{ os: "iOS", browser: ["Firefox", "Microsoft Edge"] }],
    [{ language: "*" }],
    [{ country: ["DE", "AT"] }],
    [{ query: { ref: true, a: "b ü" } }],
    [{ before: "2026-11-20T13:00:00Z", after: "2026-11-19T13:00:00Z" }],
    [{ hours: { days: ["sat", "sun"], zone: "Asia/Calcutta" } }],
    [{ hours: { to: "24:00", from: "12:00", zone: "UTC" } }],
    [{ address: ["192.0.2.0/24", "2001:db8::/32", "198.51.100.1"] }],
    [{ percent: 0 }],
    [{ percent: 33.33 }],
  ])("%j", (condition) => expect(withCondition(condition)).toBeArrayOfSize(1));
});

describe("refused, by field and reason", () => {
  test.each<[unknown, string]>([
    [{}, "rules.0.if must have a condition."],
    [null, "rules.0.if must be an object."],
    [{ contry: "DE" }, 'rules.0.if must not have "contry".'],
    [{ device: "phone" }, "rules.0.if.device must be one of mobile, tablet, desktop."],
    [{ device: ["mobile", "bot"] }, "rules.0.if.device.1 must be one of mobile, tablet, desktop."],
    [{ device: [] }, "rules.0.if.device must have 1 to 32 values."],
    [{ device: 1 }, "rules.0.if.device must be text or a list."],
    [{ os: " " }, "rules.0.if.os must be a text of at most 64 characters."],
    [{ browser: "x".repeat(65) }, "rules.0.if.browser must be a text of at most 64 characters."],
    [{ language: "deutsch-x y" }, "rules.0.if.language must be a language range such as de or pt-BR."],
    [{ country: "Germany" }, "rules.0.if.country must be a country by ISO 3166, such as DE."],
    [
      { referrer: "https://x.example/" },
      "rules.0.if.referrer must be a host such as news.example.com, in Punycode.",
    ],
    [{ query: {} }, "rules.0.if.query must have 1 to 32 keys and values of at most 200 characters."],
    [
      { query: { a: "\u0000" } },
      "rules.0.if.query must have 1 to 32 keys and values of at most 200 characters.",
    ],
    [{ query: { a: false } }, "rules.0.if.query.a must be text."],
    [{ before: "tomorrow" }, "rules.0.if.before must be an instant such as 2026-11-20T13:00:00Z."],
    [{ after: "2026-02-29T00:00:00Z" }, "rules.0.if.after must be an instant such as 2026-11-20T13:00:00Z."],
    [{ hours: { zone: "Mars/Olympus" } }, "rules.0.if.hours.zone must be a time zone such as Europe/Berlin."],
    [{ hours: { zone: "+02:00" } }, "rules.0.if.hours.zone must be a time zone such as Europe/Berlin."],
    [{ hours: { from: "09:00" } }, "rules.0.if.hours.zone is required."],
    [
      { hours: { from: "24:00", to: "12:00", zone: "UTC" } },
      "rules.0.if.hours.from must be a time from 00:00 to 23:59.",
    ],
    [{ hours: { to: "24:01", zone: "UTC" } }, "rules.0.if.hours.to must be a time from 00:00 to 24:00."],
    [
      { hours: { from: "09:00", to: "09:00", zone: "UTC" } },
      "rules.0.if.hours must begin and end at different times.",
    ],
    [
      { hours: { days: ["monday"], zone: "UTC" } },
      "rules.0.if.hours.days.0 must be one of mon, tue, wed, thu, fri, sat, sun.",
    ],
    [{ hours: { days: [], zone: "UTC" } }, "rules.0.if.hours.days must have 1 to 7 days."],
    [{ address: "192.0.2.0/33" }, "rules.0.if.address must be an address or a range such as 192.0.2.0/24."],
    [{ percent: 101 }, "rules.0.if.percent must be at most 100."],
    [{ percent: -1 }, "rules.0.if.percent must be at least 0."],
    [{ percent: "10" }, "rules.0.if.percent must be a number."],
  ])("%j: %s", (condition, message) => expect(withCondition(condition)).toBe(message));

  test.each<[unknown, string]>([
    ["ftp://example.com/", "rules.1.target: The URL must be absolute"],
    ["javascript:alert(1)", "rules.1.target: The URL must be absolute"],
    ["waymark:file/1", "rules.1.target: The URL must be absolute"],
    ["https://u:p@example.com/", "rules.1.target: The URL must not contain a user name"],
    ["", "rules.1.target: The URL is empty."],
    ["share:", "rules.1.target must name the code of a share"],
    ["share:a b", "rules.1.target must name the code of a share"],
    [`https://example.com/${"x".repeat(8192)}`, "rules.1.target must have at most 8,192 characters."],
    [undefined, "rules.1.target is required."],
  ])("target %#", (target, message) => {
    const first = { if: { device: "mobile" }, target: TARGET };
    expect(parsed([first, { if: { percent: 1 }, target }])).toStartWith(message);
  });

  test.each([
    ["query", { ref: true }],
    ["referrer", "news.example"],
  ])("%s can't choose a share", (name, value) => {
    const rule = { if: { [name]: value, percent: 1 }, target: "share:photos" };
    expect(parsed([rule])).toBe(
      `rules.0.if.${name} can't lead to share:CODE, because visits inside the share do not have it any more; give the short URL of the share.`,
    );
    expect(parsed([{ ...rule, target: TARGET }])).toBeArrayOfSize(1);
  });

  test("too many, or too much", () => {
    const one = { if: { percent: 1 }, target: TARGET };
    expect(parsed(Array.from({ length: 33 }, () => one))).toBe("rules must have at most 32 entries.");
    expect(parsed(Array.from({ length: 32 }, () => one))).toBeArrayOfSize(32);
    const long = { if: { percent: 1 }, target: `https://example.com/${"ü".repeat(900)}` };
    expect(parsed([long, long])).toBe("rules must take at most 15000 characters together.");
    expect(parsed([long])).toBeArrayOfSize(1);
    expect(parsed({ if: { percent: 1 }, target: TARGET })).toBe("rules must be a list.");
  });
});
