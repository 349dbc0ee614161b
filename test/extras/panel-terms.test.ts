/** One word for one thing in each language of the panel. Each failure names the text with another word. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { policyView } from "../../src/files/policies/policy.ts";
import { domainView } from "../../src/links/domains/domain.ts";
import { OPTIONS } from "../../src/links/link/fields.ts";
import { REASON_OF } from "../../src/extras/mail/mail.ts";
import { product } from "../support/source-files.ts";

const PANEL = join(import.meta.dir, "../../panel/src");

const LANGUAGES = ["de", "fr", "ja", "zh"] as const;
type Term = { term: RegExp; words: Record<string, readonly string[]> };

const formsIn = (cell: string): string[] => cell.split("/").map((form) => form.trim().toLowerCase());

/** The rows of panel/GLOSSARY.md. */
const TERMS: readonly Term[] = readFileSync(join(PANEL, "../GLOSSARY.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| English"))
  .map((line) => {
    const [english = "", ...others] = line.split("|").slice(1, -1);
    return {
      term: new RegExp(`\\b(?:${formsIn(english).join("|")})\\b`, "i"),
      words: Object.fromEntries(LANGUAGES.map((language, at) => [language, formsIn(others[at] ?? "")])),
    };
  });

type Text = { context: string; english: string; translated: string };

const CATALOGS = ["", "mail/", "moves/", "security/", "settings/", "webhooks/"];
const textsIn = (language: string, catalog: string): Text[] =>
  [
    ...readFileSync(join(PANEL, `locales/${catalog}${language}.po`), "utf8").matchAll(
      /^(?:msgctxt (".*")\n)?msgid (".*")\nmsgstr (".*")$/gm,
    ),
  ].map(([, context = '""', english, translated]) => ({
    context: JSON.parse(context) as string,
    english: JSON.parse(english!) as string,
    translated: JSON.parse(translated!) as string,
  }));

/** Contexts of texts with little room, which may leave out a part of the term. */
const SHORT = new Set(["column", "short"]);

test("the glossary has each term in five languages", () => {
  expect(TERMS.length).toBeGreaterThan(10);
  expect(TERMS.filter(({ words }) => Object.values(words).flat().includes(""))).toEqual([]);
});

test.each(LANGUAGES)("%s has one word for one thing", (language) => {
  const other = ["", "mail/"]
    .flatMap((catalog) => textsIn(language, catalog))
    .filter((text) => {
      const { context, english, translated } = text;
      if (SHORT.has(context)) return false;
      // Names in braces are values.
      const plain = english.replaceAll(/\{\w+\}/g, "");
      const said = translated.toLowerCase();
      return TERMS.some(
        ({ term, words }) => term.test(plain) && !words[language]!.some((word) => said.includes(word)),
      );
    });
  expect(other).toEqual([]);
});

test.each(LANGUAGES)(
  "%s translates a text of two catalogs alike, for the last one loaded counts",
  (language) => {
    const translations = Map.groupBy(
      CATALOGS.flatMap((catalog) => textsIn(language, catalog)),
      ({ context, english }) => `${context} ${english}`,
    );
    const unlike = [...translations].filter(([, all]) => new Set(all.map((one) => one.translated)).size > 1);
    expect(unlike.map(([text]) => text)).toEqual([]);
  },
);

/** What French typography has a special character for: spaces that don't break before and in, and apostrophes. */
const PLAIN_FRENCH = / [:;?!%»]|« |\d \d{3}|'/;

test("French has its own spaces and apostrophes, in the panel and on the pages and mails of visitors", () => {
  const texts = [...CATALOGS, "health/"].flatMap((catalog) => textsIn("fr", catalog));
  const pages = ["visitors", "extras/mail", "extras/privacy"].flatMap((room) => {
    const json = readFileSync(join(PANEL, `../../src/${room}/texts/fr.json`), "utf8");
    return [...json.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => text);
  });
  expect(Math.min(texts.length, pages.length)).toBeGreaterThan(100);
  const plain = [...texts.map(({ translated }) => translated), ...pages].filter((text) =>
    PLAIN_FRENCH.test(text),
  );
  expect(plain).toEqual([]);
});

/** The keys of the tables of texts in a file of the panel. */
const namesIn = (file: string): string[] =>
  [...readFileSync(join(PANEL, file), "utf8").matchAll(/^ {4}"?([a-z\d_.]+)"?: /gm)].map(([, name]) => name!);

test("the panel has a name for each kind of mail, and each action and field of events", () => {
  const kinds = new Set(namesIn("mail/mail-texts.ts"));
  expect(Object.keys(REASON_OF).filter((kind) => !kinds.has(kind))).toEqual([]);

  const names = new Set(["events/event-texts.ts", "links/form/field-texts.ts"].flatMap(namesIn));
  const actions = product.flatMap(({ text }) =>
    [...text.matchAll(/action: "(\w+\.\w+)"/g)].map(([, action]) => action!),
  );
  expect(actions.length).toBeGreaterThan(10);
  const fields = [policyView.shape, domainView.shape, OPTIONS].flatMap((of) => Object.keys(of));
  const others = ["email", "items", "members", "message", "recipients", "transfer_to", "verify"];
  expect([...actions, ...fields, ...others].filter((name) => !names.has(name))).toEqual([]);
});
