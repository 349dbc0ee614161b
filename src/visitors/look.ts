/** What a page for a visitor depends on: language, and the instance's name, colour and logo. */
import type { Identity } from "./identity.ts";
import { createLanguageChoice, type Language } from "../lib/language.ts";
import de from "./texts/de.json";
import { en, type VisitorTexts } from "./texts/en.ts";
import fr from "./texts/fr.json";
import ja from "./texts/ja.json";
import zh from "./texts/zh.json";

const TEXTS: Readonly<Record<Language, VisitorTexts>> = { en, de, zh, ja, fr };

export type Look = {
  language: Language;
  texts: VisitorTexts;
  instanceName: string;
  /** `#` and six hexadecimal digits. */
  accentColor: string;
  /** Its version. Null: the mark. */
  logo: string | null;
  /** URLs of the imprint and the privacy notice; empty: none. */
  imprint: string;
  notice: string;
};

export type VisitorPages = ReturnType<typeof createVisitorPages>;

export function createVisitorPages(
  identity: Pick<Identity, "name" | "accentColor" | "logo" | "imprint" | "notice">,
) {
  const choose = createLanguageChoice();
  return {
    look({ headers }: { headers: Pick<Headers, "get"> }): Look {
      const language = choose(headers.get("accept-language"));
      return {
        language,
        texts: TEXTS[language],
        instanceName: identity.name(),
        accentColor: identity.accentColor(),
        logo: identity.logo()?.version ?? null,
        imprint: identity.imprint(),
        notice: identity.notice(),
      };
    },
  };
}
