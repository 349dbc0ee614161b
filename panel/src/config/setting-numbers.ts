import { i18n } from "@lingui/core";

/** A number of a setting as people write it. Any other text stays. */
export const groupedNumber = (text: string): string =>
  /^\d+$/.test(text) ? new Intl.NumberFormat(i18n.locale).format(Number(text)) : text;

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

/** Seconds in the largest unit without a remainder, from two minutes on. */
export function longUnit(seconds: number): string | undefined {
  const fitting = LENGTHS.find(([, length]) => seconds >= length && seconds % length === 0);
  if (fitting === undefined || seconds < 120) return undefined;
  const [unit, length] = fitting;
  return new Intl.NumberFormat(i18n.locale, { style: "unit", unit, unitDisplay: "long" }).format(
    seconds / length,
  );
}
