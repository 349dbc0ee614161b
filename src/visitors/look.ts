/** What a page for a visitor depends on: language, and the instance's name and colour. */
import { createLanguageChoice, type Language } from "./language.ts";
import { de } from "./texts/de.ts";
import { en, type VisitorTexts } from "./texts/en.ts";
import { fr } from "./texts/fr.ts";
import { ja } from "./texts/ja.ts";
import { zh } from "./texts/zh.ts";

const TEXTS: Readonly<Record<Language, VisitorTexts>> = { en, de, zh, ja, fr };

export type Look = {
  language: Language;
  texts: VisitorTexts;
  instanceName: string;
  /** `#` and six hexadecimal digits. */
  accentColor: string;
};

export type VisitorPages = ReturnType<typeof createVisitorPages>;

type InstanceLook = { instanceName(): string; accentColor(): string };

export function createVisitorPages({ instanceName, accentColor }: InstanceLook) {
  const choose = createLanguageChoice();
  return {
    look({ headers }: { headers: Pick<Headers, "get"> }): Look {
      const language = choose(headers.get("accept-language"));
      return {
        language,
        texts: TEXTS[language],
        instanceName: instanceName(),
        accentColor: accentColor(),
      };
    },
  };
}
