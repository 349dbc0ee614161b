import { expect, test } from "bun:test";
import { languageOf } from "../../lib/accept-language.ts";
import { campaignOf } from "./origin.ts";

const NONE = { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null };

test.each([
  ["", NONE],
  ["utm_source=a&utm_medium=b&utm_campaign=c&utm_term=d&utm_content=e", "abcde"],
  ["utm_source=a%20b+c&utm_medium=%C3%BC", { ...NONE, utm_source: "a b c", utm_medium: "ü" }],
  [
    "utm_source=own&utm_source=target&utm_medium=&utm_medium=x",
    { ...NONE, utm_source: "own", utm_medium: "x" },
  ],
  ["utm_campaign=a=b", { ...NONE, utm_campaign: "a=b" }],
  ["utm_id=1&utm_sourcex=2&utm_sourc=3&utm_source&utm_term=%00%ff", NONE],
])("the campaign of %s", (pairs, expected) => {
  const found = campaignOf(pairs);
  if (typeof expected === "string") expect(Object.values(found).join("")).toBe(expected);
  else expect(found).toEqual(expected);
});

test("values are bounded and printable", () => {
  const { utm_source, utm_term } = campaignOf(
    `utm_source=${"%F0%9F%98%80".repeat(200)}&utm_term=a%0d%0ab%1b%e2%80%a8`,
  );
  expect(Buffer.byteLength(utm_source!)).toBeLessThanOrEqual(255);
  expect(utm_source!.isWellFormed()).toBe(true);
  expect(utm_term).toBe("ab");
});

test.each([
  ["de-AT,de;q=0.9,en;q=0.8", "de-AT"],
  [" EN-us;q=0.5, fr", "en-US"],
  ["zh-hant-tw", "zh-Hant-TW"],
  ["iw", "he"],
  ["en-US-u-ca-buddhist,en", "en-US"],
  ["sr-Latn-RS", "sr-Latn-RS"],
  ["*", null],
  ["", null],
  ["C", null],
  ["en_US", null],
  [`en-${"abcdefgh-".repeat(20)}`, null],
  ["<script>", null],
])("the language of %p is %p", (header, language) => {
  expect(languageOf(header)).toBe(language);
});
