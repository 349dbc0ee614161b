import { expect, test } from "bun:test";
import { conditionText } from "../panel/src/links/form/condition-value.ts";
import { draftOf, rulesOf, valueOf } from "../panel/src/links/form/rule-text.ts";

test.each([
  ["device", "mobile", "mobile"],
  ["device", "mobile, tablet", ["mobile", "tablet"]],
  ["query", "ref=mail&lang&a%20b=x%26y", { ref: "mail", lang: true, "a b": "x&y" }],
  [
    "hours",
    "mon, tue 09:00-17:00 Europe/Berlin",
    { days: ["mon", "tue"], from: "09:00", to: "17:00", zone: "Europe/Berlin" },
  ],
  ["hours", "22:00- UTC", { from: "22:00", zone: "UTC" }],
  ["hours", "sat UTC", { days: ["sat"], zone: "UTC" }],
  ["percent", "33.3", 33.3],
  ["before", "2026-12-01T18:00:00Z", "2026-12-01T18:00:00Z"],
] as const)("%s %s is read and written", (name, text, value) => {
  expect(valueOf(name, text)).toEqual(value);
  expect(conditionText(name, value)).toBe(text);
});

test("rules come back from a form as they were", () => {
  const rules = [
    { if: { country: ["DE", "AT"], percent: 10 }, target: "https://a.example/" },
    { if: { query: { ref: true as const } }, target: "share:photos" },
  ];
  expect(rulesOf(draftOf(rules))).toEqual(rules);
});
