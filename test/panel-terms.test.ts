/** One word for one thing in each language of the panel. Each failure names the text with another word. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PANEL = join(import.meta.dir, "../panel/src");

/** Where the English text has the term, the translation has its word. */
const TERMS: [term: RegExp, words: Record<string, RegExp>][] = [
  [/\btags?\b/i, { de: /schlagw[oö]rt/i, fr: /étiquette/i, ja: /タグ/, zh: /标签/ }],
  [/\bdrop box/i, { de: /briefk[aä]st/i, fr: /boîtes? de dépôt/i, ja: /受付箱/, zh: /收件箱/ }],
  [/\btarget\b/i, { de: /ziel/i, fr: /cible/i, ja: /リンク先/, zh: /目标/ }],
  [/\btrash\b/i, { de: /papierkorb/i, fr: /corbeille/i, ja: /ゴミ箱/, zh: /回收站/ }],
  [/\baccounts?\b/i, { de: /kont/i, fr: /compte/i, ja: /アカウント/, zh: /账户/ }],
  [/\bsettings?\b/i, { de: /einstellung/i, fr: /réglage/i, ja: /設定/, zh: /设置/ }],
];

const textsIn = (language: string): [string, string][] =>
  [
    ...readFileSync(join(PANEL, `locales/${language}.po`), "utf8").matchAll(
      /^msgid (".*")\nmsgstr (".*")$/gm,
    ),
  ].map(([, english, translated]) => [JSON.parse(english!) as string, JSON.parse(translated!) as string]);

test.each(["de", "fr", "ja", "zh"])("%s has one word for one thing", (language) => {
  const other = textsIn(language).filter(([english, translated]) => {
    // Names in braces are values.
    const plain = english.replaceAll(/\{\w+\}/g, "");
    return TERMS.some(([term, words]) => term.test(plain) && !words[language]!.test(translated));
  });
  expect(other).toEqual([]);
});
