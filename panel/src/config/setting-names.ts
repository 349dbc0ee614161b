import { i18n } from "@lingui/core";

const ACRONYMS = new Set(["ip", "jwt", "url"]);
/** Whose key says too little. */
const NAMES: Record<string, string> = {
  "cors.enabled": "Answer other sites",
  "utm.enable_passthrough": "Enable UTM passthrough",
};

/** What people call a setting, in English as its description: the end of its key in words. */
export function settingName(key: string): string {
  const words = key
    .slice(key.indexOf(".") + 1)
    .split("_")
    .map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word))
    .join(" ");
  return NAMES[key] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** A number of a setting as people write it. Any other text stays. */
export const groupedNumber = (text: string): string =>
  /^\d+$/.test(text) ? new Intl.NumberFormat(i18n.locale).format(Number(text)) : text;

/** Long numbers in an English sentence. */
export const groupNumbersIn = (sentence: string): string =>
  sentence.replaceAll(/\d{5,}/g, (digits) => new Intl.NumberFormat("en").format(Number(digits)));

/** Separators of the language, for fields. */
export function separators(): { thousandSeparator: string; decimalSeparator: string } {
  const parts = new Intl.NumberFormat(i18n.locale, { useGrouping: "always" }).formatToParts(12_345.6);
  const valueOf = (type: string, or: string) => parts.find((part) => part.type === type)?.value ?? or;
  return { thousandSeparator: valueOf("group", ","), decimalSeparator: valueOf("decimal", ".") };
}

const LENGTHS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Seconds in the largest unit that holds them without a rest, from two minutes on. */
export function longUnit(seconds: number): string | undefined {
  const fitting = LENGTHS.find(([, length]) => seconds >= length && seconds % length === 0);
  if (fitting === undefined || seconds < 120) return undefined;
  const [unit, length] = fitting;
  return new Intl.NumberFormat(i18n.locale, { style: "unit", unit, unitDisplay: "long" }).format(
    seconds / length,
  );
}
