import { expect, test } from "bun:test";
import { chooseLanguage, createLanguageChoice } from "./language.ts";

test("the language with the highest quality wins, of equal ones the first", () => {
  const cases: Record<string, string> = {
    de: "de",
    "de-AT": "de",
    "zh-Hant-TW, en;q=0.5": "zh",
    "ja;q=0.5, fr;q=0.9, en;q=0.1": "fr",
    "fr, de": "fr",
    "es, pt-BR;q=0.9, ja;q=0.3": "ja",
    "DE;Q=0.2 , FR ; q=0.30": "fr",
    "en;q=0, de;q=0.001": "de",
    "en-GB;q=0.1, de;q=0.5, en;q=0.9": "en",
  };
  for (const [header, language] of Object.entries(cases)) {
    expect([header, chooseLanguage(header)]).toEqual([header, language]);
  }
});

test("a wildcard stands for the languages that the header does not name", () => {
  expect(chooseLanguage("*")).toBe("en");
  expect(chooseLanguage("fr;q=0.5, *;q=0.9")).toBe("en");
  expect(chooseLanguage("en;q=0, *")).toBe("de");
  expect(chooseLanguage("es, *;q=0")).toBe("en");
});

test("English serves headers that name no language of ours", () => {
  for (const header of [
    "",
    " ",
    ",,,",
    "es",
    "tlh, xx-YY",
    "de;q=0",
    "de;q=2",
    "de;q=-1",
    "de;level=1",
    "d e",
  ]) {
    expect([header, chooseLanguage(header)]).toEqual([header, "en"]);
  }
});

test("hostile headers are read to their bound, and give a language", () => {
  for (const header of [
    "de;q=".padEnd(100_000, "0"),
    ",".repeat(100_000),
    "-".repeat(100_000),
    `${"a-".repeat(50_000)}b`,
    "\u0000ünï<script>",
    "__proto__, constructor",
  ]) {
    expect(createLanguageChoice()(header)).toBe("en");
  }
  expect(chooseLanguage(`${"xx,".repeat(40)}de`)).toBe("en");
  expect(chooseLanguage(`de,${"x".repeat(100_000)}`)).toBe("de");
});

test("a remembered header gives the same language, also after thousands of others", () => {
  const choose = createLanguageChoice();
  for (let n = 0; n < 2_500; n++)
    expect(choose(`x${n}, fr`.slice(0, 40))).toBe(n < 1e8 ? chooseLanguage(`x${n}, fr`) : "en");
  expect([choose("de"), choose("de"), choose(null)]).toEqual(["de", "de", "en"]);
});
