import { describe, expect, test } from "bun:test";
import { parseIp } from "../../lib/ip-address.ts";
import { compileRules, createDraw, decide, explainRules, type Facts, writeConditions } from "./decide.ts";
import type { Conditions, Rule } from "./rule.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const at = (now: string | number): Partial<Facts> => ({
  now: typeof now === "number" ? now : Date.parse(now),
});

const facts = (some: Partial<Facts> = {}): Facts => ({
  now: NOW,
  agent: () => ({ device: "mobile", os: "iOS", browser: "Safari" }),
  language: () => "de-CH,en;q=0.8",
  country: () => "CH",
  referrer: () => "www.news.example",
  query: () => new URLSearchParams("ref=a&ref=b&x="),
  address: () => parseIp("192.0.2.7"),
  draw: () => 29.99,
  ...some,
});

const rule = (condition: Conditions, target = "https://example.com/"): Rule => ({ if: condition, target });
const compiled = (rules: readonly Rule[]) => compileRules(writeConditions(rules));
const holds = (condition: Conditions, some?: Partial<Facts>): boolean =>
  decide(compiled([rule(condition)]), facts(some)) === 0;

describe("conditions", () => {
  test.each<[Conditions, boolean]>([
    [{ device: "mobile" }, true],
    [{ device: ["tablet", "desktop"] }, false],
    [{ os: "ios" }, true],
    [{ browser: ["Chrome", "Safari"] }, true],
    [{ browser: "Chrome" }, false],
    [{ language: "de" }, true],
    [{ language: "de-ch" }, true],
    [{ language: "de-de" }, false],
    [{ language: "d" }, false],
    [{ language: "en" }, false],
    [{ language: "*" }, true],
    [{ country: ["DE", "CH"] }, true],
    [{ country: "DE" }, false],
    [{ referrer: "news.example" }, true],
    [{ referrer: "ews.example" }, false],
    [{ referrer: "www.news.example" }, true],
    [{ query: { ref: "b" } }, true],
    [{ query: { ref: "c" } }, false],
    [{ query: { x: true, ref: true } }, true],
    [{ query: { y: true } }, false],
    [{ before: "2026-11-20T13:00:00.001Z" }, true],
    [{ before: "2026-11-20T13:00:00.000Z" }, false],
    [{ after: "2026-11-20T13:00:00.000Z" }, true],
    [{ after: "2026-11-20T13:00:00.001Z" }, false],
    [{ address: "192.0.2.0/24" }, true],
    [{ address: ["10.0.0.0/8", "2001:db8::/32"] }, false],
    [{ percent: 30 }, true],
    [{ percent: 29.99 }, false],
    [{ percent: 0 }, false],
    [{ device: "mobile", country: "DE" }, false],
  ])("%j: %p", (condition, expected) => expect(holds(condition)).toBe(expected));

  test("what is not known does not hold", () => {
    const none = {
      language: () => null,
      country: () => null,
      referrer: () => null,
      address: () => null,
      query: () => new URLSearchParams(),
    };
    for (const condition of [
      { language: "*" },
      { country: "DE" },
      { referrer: "a.example" },
      { address: "0.0.0.0/0" },
      { query: { a: true } },
    ] satisfies Conditions[])
      expect(holds(condition, none)).toBe(false);
  });

  test.each<[string, string | null]>([
    ["de;q=0.5, en", "en"],
    ["de, en", "de"],
    ["en;q=0, de;q=0.001", "de"],
    ["de;q=2, fr;q=0.1", "fr"],
    ["de;q=x", null],
    ["; ,,*;q=0.1", "*"],
    ["x".repeat(5000), null],
    ["", null],
  ])("the preferred language of %j is %p", (header, expected) => {
    const [step] = explainRules(compiled([rule({ language: "none" })]), facts({ language: () => header }));
    expect(step!.because[0]!.actual).toBe(expected);
  });
});

test("the first rule that holds decides, and a fact is read only by a rule that comes to it", () => {
  const refuse = () => {
    throw new Error("asked");
  };
  const rules = compiled([rule({ percent: 10 }), rule({ device: "mobile" }), rule({ country: "CH" })]);
  expect(decide(rules, facts({ country: refuse }))).toBe(1);
  expect(decide(compiled([rule({ percent: 10 })]), facts())).toBe(-1);
  expect(explainRules(rules, facts())).toEqual([
    { rule: 0, holds: false, because: [{ condition: "percent", holds: false, actual: "29.99" }] },
    { rule: 1, holds: true, because: [{ condition: "device", holds: true, actual: "mobile" }] },
  ]);
});

describe("hours", () => {
  const berlin = (hours: object) => ({ hours: { zone: "Europe/Berlin", ...hours } }) as Conditions;
  test.each<[object, string, boolean]>([
    [{ from: "09:00", to: "17:00" }, "2026-11-20T08:00:00Z", true],
    [{ from: "09:00", to: "17:00" }, "2026-11-20T07:59:59.999Z", false],
    [{ from: "09:00", to: "17:00" }, "2026-11-20T15:59:59.999Z", true],
    [{ from: "09:00", to: "17:00" }, "2026-11-20T16:00:00Z", false],
    // In summer an hour earlier.
    [{ from: "09:00", to: "17:00" }, "2026-07-20T07:00:00Z", true],
    // Friday night belongs to Friday.
    [{ days: ["fri"], from: "22:00", to: "06:00" }, "2026-11-20T21:00:00Z", true],
    [{ days: ["fri"], from: "22:00", to: "06:00" }, "2026-11-21T04:59:59Z", true],
    [{ days: ["fri"], from: "22:00", to: "06:00" }, "2026-11-21T05:00:00Z", false],
    [{ days: ["fri"], from: "22:00", to: "06:00" }, "2026-11-20T04:00:00Z", false],
    [{ days: ["mon"], from: "22:00", to: "06:00" }, "2026-11-24T02:00:00Z", true],
    [{ days: ["sun"], from: "22:00", to: "06:00" }, "2026-11-23T02:00:00Z", true],
    // Whole days, over the end of a month, a year and February.
    [{ days: ["fri"] }, "2026-11-20T22:59:59Z", true],
    [{ days: ["fri"] }, "2026-11-20T23:00:00Z", false],
    [{ days: ["sun"] }, "2026-02-28T23:00:00Z", true],
    [{ days: ["tue"] }, "2028-02-28T23:00:00Z", true],
    [{ days: ["wed"] }, "2028-02-29T23:00:00Z", true],
    [{ days: ["fri"] }, "2026-12-31T23:00:00Z", true],
    [{ from: "12:00" }, "2026-11-20T22:59:59Z", true],
    [{ to: "12:00" }, "2026-11-20T23:00:00Z", true],
    // 02:30 does not exist on 29 March, and comes twice on 25 October.
    [{ from: "02:00", to: "03:00" }, "2026-03-29T00:59:59Z", false],
    [{ from: "02:00", to: "03:00" }, "2026-03-29T01:00:00Z", false],
    [{ from: "03:00", to: "04:00" }, "2026-03-29T01:00:00Z", true],
    [{ from: "02:00", to: "03:00" }, "2026-10-25T00:30:00Z", true],
    [{ from: "02:00", to: "03:00" }, "2026-10-25T01:30:00Z", true],
    [{ from: "02:00", to: "03:00" }, "2026-10-25T02:00:00Z", false],
  ])("%j at %s: %p", (hours, instant, expected) => expect(holds(berlin(hours), at(instant))).toBe(expected));

  test.each([
    ["Asia/Kolkata", "2026-11-20T03:30:00Z", true],
    ["Asia/Kolkata", "2026-11-20T03:29:59Z", false],
    // Changes its clock by half an hour: 02:00 becomes 02:30 on 4 October.
    ["Australia/Lord_Howe", "2026-10-03T21:59:59Z", false],
    ["Australia/Lord_Howe", "2026-10-03T22:00:00Z", true],
    ["Australia/Lord_Howe", "2026-10-02T22:00:00Z", false],
    ["Australia/Lord_Howe", "2026-10-02T22:30:00Z", true],
    // Until 7 January 1972 it was 44 minutes and 30 seconds behind.
    ["Africa/Monrovia", "1971-06-01T09:44:29Z", false],
    ["Africa/Monrovia", "1971-06-01T09:44:30Z", true],
  ])("from 09:00 in %s at %s: %p", (zone, instant, expected) =>
    expect(holds({ hours: { from: "09:00", zone } }, at(instant))).toBe(expected),
  );

  test("agree with the calendar at every quarter of a year", () => {
    const zones = [
      "Europe/Berlin",
      "America/Sao_Paulo",
      "Australia/Lord_Howe",
      "Asia/Kathmandu",
      "Africa/Casablanca",
    ];
    const wrong: string[] = [];
    for (const zone of zones) {
      const rules = compiled([
        rule({ hours: { days: ["sat", "sun", "wed"], from: "21:15", to: "05:45", zone } }),
      ]);
      for (
        let now = Date.parse("2027-01-01T00:00:00Z");
        now < Date.parse("2028-01-01T00:00:00Z");
        now += 900_000
      ) {
        const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
        const clock = local.toPlainTime().toString().slice(0, 5);
        const begun = clock >= "21:15" ? local : local.toPlainDate().subtract({ days: 1 });
        const expected = (clock >= "21:15" || clock < "05:45") && [3, 6, 7].includes(begun.dayOfWeek);
        if ((decide(rules, facts(at(now))) === 0) !== expected) wrong.push(`${zone} ${local.toString()}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe("percent, for 1,000,000 visitors", () => {
  const VISITORS = 1_000_000;
  const draw = createDraw("key");
  const parts = (...percents: number[]) => compiled(percents.map((percent) => rule({ percent })));
  const splits = {
    before: parts(30, 50),
    grown: parts(40, 50),
    second: parts(30, 60),
  };
  const chosen = { before: [0, 0, 0], grown: [0, 0, 0], second: [0, 0, 0] };
  const moved = { grown: 0, second: 0 };
  const base = facts();
  for (let visitor = 0; visitor < VISITORS; visitor++) {
    const address = `198.${visitor & 127}.${(visitor >> 7) & 255}.${visitor >> 15}`;
    const visit = { ...base, draw: draw({ linkId: 7, address, agent: `Browser ${visitor % 97}` }) };
    const [was, grown, second] = [
      decide(splits.before, visit),
      decide(splits.grown, visit),
      decide(splits.second, visit),
    ];
    chosen.before[was + 1]!++;
    chosen.grown[grown + 1]!++;
    chosen.second[second + 1]!++;
    if (grown !== was) moved.grown++;
    if (second !== was) moved.second++;
  }
  const shares = (counts: readonly number[]) => counts.map((count) => (count / VISITORS) * 100);
  const isNear = (found: readonly number[], expected: readonly number[]): boolean =>
    found.every((share, index) => Math.abs(share - expected[index]!) < 0.2);

  test("each rule gets its share of those who come to it, within 0.2 points", () => {
    expect(shares(chosen.before)).toSatisfy((found) => isNear(found, [35, 30, 35]));
    expect(shares(chosen.grown)).toSatisfy((found) => isNear(found, [30, 40, 30]));
  });

  test("a change moves at most the share that was changed", () => {
    expect(moved.grown / VISITORS).toBeWithin(0.0975, 0.1002);
    // A tenth of the 70 % that come to the second rule.
    expect(moved.second / VISITORS).toBeWithin(0.0675, 0.0725);
  });

  test("it is sticky, differs by link, and joins the addresses of an IPv6 network", () => {
    const visitor = { linkId: 7, address: "2001:db8::1", agent: "Browser" };
    const numbers = (other: object = {}) =>
      Array.from({ length: 32 }, (_, k) => draw({ ...visitor, ...other })(k));
    expect(numbers()).toEqual(numbers());
    expect(numbers({ address: "2001:db8::2" })).toEqual(numbers());
    expect(new Set([numbers(), numbers({ linkId: 8 }), numbers({ agent: "x" })].flat()).size).toBe(96);
  });
});
