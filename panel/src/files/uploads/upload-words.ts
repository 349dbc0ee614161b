/** Percentages and times of uploads in words. */
import { i18n } from "@lingui/core";

const UNIT_SECONDS = [
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

export const percentText = (share: number): string =>
  new Intl.NumberFormat(i18n.locale, { style: "percent", maximumFractionDigits: 0 }).format(share);

/** In its largest unit, rounded up. */
export function durationText(seconds: number): string {
  const [unit, length] = UNIT_SECONDS.find(([, least]) => seconds >= least) ?? UNIT_SECONDS[2];
  const value = Math.max(1, Math.ceil(seconds / length));
  return new Intl.NumberFormat(i18n.locale, { style: "unit", unit, unitDisplay: "short" }).format(value);
}
