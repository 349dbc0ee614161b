import { labelOfSource } from "../rollups/dimensions.ts";
import { expect, test } from "bun:test";
import { cleanText, originOf } from "./origin.ts";

test.each([
  [null, null, null, "direct", "(direct)"],
  ["", "", null, "direct", "(direct)"],
  [
    "https://News.Example.com:8443/a?b=c#d",
    null,
    "https://News.Example.com:8443/a?b=c#d",
    "ref:news.example.com",
    "news.example.com",
  ],
  ["https://news.example.com/", "spring", "https://news.example.com/", "spring", "spring"],
  [null, "direct", null, "direct", "direct"],
  ["https://news.example.com/", "ref:x.com", "https://news.example.com/", "ref:x.com", "ref:x.com"],
  [
    "android-app://com.example.mail/",
    null,
    "android-app://com.example.mail/",
    "ref:com.example.mail",
    "com.example.mail",
  ],
  ["not a url", null, "not a url", "direct", "(direct)"],
  ["about:blank", null, "about:blank", "direct", "(direct)"],
  [
    "https://bücher.example/",
    null,
    "https://bücher.example/",
    "ref:xn--bcher-kva.example",
    "xn--bcher-kva.example",
  ],
] as const)("referer %p and utm_source %p", (referer, utm, referrer, source, label) => {
  const origin = originOf(referer, utm);
  expect({ ...origin, label: labelOfSource(origin.source, utm) }).toMatchObject({ referrer, source, label });
});

test.each([
  "a\r\nb\0c",
  "\u0085\u2028x",
  "é".repeat(3_000),
  "\ud83d".repeat(10),
  `https://${"a".repeat(5_000)}.example/`,
  "😀".repeat(1_000),
])("hostile text stays bounded and printable", (text) => {
  const origin = originOf(text, text);
  for (const part of [origin.referrer ?? "", origin.source, labelOfSource(origin.source, text)]) {
    expect(part).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    expect(part.isWellFormed()).toBe(true);
  }
  expect(Buffer.byteLength(origin.source)).toBeLessThanOrEqual(255);
  expect(Buffer.byteLength(origin.referrer ?? "")).toBeLessThanOrEqual(2_048);
});

test("a cut never splits a character", () => {
  expect(cleanText("é".repeat(5), 5)).toBe("éé");
  expect(cleanText("a😀", 4)).toBe("a");
});

test("the host of the referrer is known beside a utm_source", () => {
  expect(originOf("https://News.example.com/", "spring").host).toBe("news.example.com");
  expect(originOf(null, "spring").host).toBeNull();
});
