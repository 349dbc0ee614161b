/** Names and descriptions of settings in the reader's language. The server's texts are English. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { t } from "@lingui/core/macro";
import type { SettingDefinition } from "../../base/api.ts";
import { formatNumber, loadTexts } from "../../base/i18n.ts";
import { ACCESS_WORDS } from "./access.ts";
import { KEPT_WORDS } from "./kept.ts";
import { MAIL_WORDS } from "./mail.ts";
import { PRIVACY_WORDS } from "./privacy.ts";
import { OIDC_WORDS } from "./oidc.ts";
import { SERVICE_WORDS } from "./service.ts";

type Words = {
  name: MessageDescriptor;
  description: MessageDescriptor;
  /** For texts and lists. */
  allowed?: MessageDescriptor;
  options?: Readonly<Record<string, MessageDescriptor>>;
};

const WORDS: Readonly<Record<string, Words>> = {
  ...ACCESS_WORDS,
  ...SERVICE_WORDS,
  ...KEPT_WORDS,
  ...PRIVACY_WORDS,
  ...MAIL_WORDS,
  ...OIDC_WORDS,
};

const catalog = (language: string) => import(`../../locales/settings/${language}.po`);

/** Call it before any other function of this file. Rejects if a new build has replaced the file. */
export const loadSettingWords = (): Promise<void> => loadTexts(catalog);

export type SettingWords = {
  name: string;
  description: string;
  /** A sentence; undefined where the field shows the choices. */
  allowed: string | undefined;
  optionOf(value: string): string | null | undefined;
  /** Language of these texts if it differs from the page's. */
  lang: "en" | undefined;
};

/** For a setting unknown to the panel, its key and the server's texts. */
export function wordsOf({ key, description, allowed, ...more }: SettingDefinition): SettingWords {
  const words = Object.hasOwn(WORDS, key) ? WORDS[key] : undefined;
  const { value_type: type, enum_options: options } = more;
  const limits = numberLimits(allowed) ?? (words?.allowed === undefined ? allowed : i18n._(words.allowed));
  const optionOf = (value: string) => {
    const option = words?.options?.[value];
    return option ? i18n._(option) : options?.find((known) => known.value === value)?.description;
  };
  return {
    name: words === undefined ? key : i18n._(words.name),
    description: words === undefined ? description : i18n._(words.description),
    allowed: ["bool", "enum", "enumarray"].includes(type) ? undefined : sentence(limits),
    optionOf,
    lang: words === undefined ? "en" : undefined,
  };
}

const NUMBERS = /^(0 or )?a (?:whole )?number from (\d+) to (\d+)$/;

function numberLimits(allowed: string): string | undefined {
  const found = NUMBERS.exec(allowed);
  if (found === null) return undefined;
  const [zero, least, most] = [found[1], formatNumber(Number(found[2])), formatNumber(Number(found[3]))];
  return zero === undefined ? t`from ${least} to ${most}` : t`0, or from ${least} to ${most}`;
}

function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return t`${text}.`;
}

/** Whether all words of the search occur in its key, name, description or `more`, in English too. */
export function isSettingFound(search: string, definition: SettingDefinition, more = ""): boolean {
  const { name, description } = wordsOf(definition);
  const text = [definition.key, name, description, definition.description, more].join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** A text with a sign before each word, and before each letter of Chinese and Japanese. */
const withStarts = (text: string): string =>
  `.${text.toLowerCase()}`.replace(/[^\p{Script=Latin}\p{N}]/gu, "$&\0").slice(1);

/** Whether all words of the search begin words of its key or name. */
export function isSettingNamed(search: string, definition: SettingDefinition): boolean {
  const text = withStarts(`${definition.key} ${wordsOf(definition).name}`);
  return search.split(/\s+/).every((word) => text.includes(withStarts(word)));
}
