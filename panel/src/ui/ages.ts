import { useLingui } from "@lingui/react/macro";
import { formatTime } from "../base/i18n.ts";

const STEPS = [
  ["second", 1],
  ["minute", 60],
  ["hour", 3_600],
  ["day", 86_400],
] as const;

/** How long ago, in the largest unit that fits; the date beyond a week. */
export function useAge(): (time: string | null, now: string) => string {
  const { t, i18n } = useLingui();
  const format = new Intl.RelativeTimeFormat(i18n.locale, { numeric: "auto" });
  return (time, now) => {
    if (time === null) return t`Never yet`;
    const seconds = Math.max(0, (Date.parse(now) - Date.parse(time)) / 1000);
    if (seconds > 7 * 86_400) return formatTime(time);
    const [unit, length] = STEPS.findLast(([, least]) => seconds >= least) ?? STEPS[0];
    return format.format(-Math.floor(seconds / length), unit);
  };
}

/** Two units at most, such as 3 days, 4 hours. */
export function useDuration(): (seconds: number) => string {
  const { i18n } = useLingui();
  return (seconds) => {
    let left = Math.max(0, Math.floor(seconds));
    const parts: string[] = [];
    for (const [unit, length] of [...STEPS].toReversed()) {
      const count = Math.floor(left / length);
      left -= count * length;
      const isShown = count > 0 || (unit === "second" && parts.length === 0);
      if (!isShown || parts.length === 2) continue;
      parts.push(
        new Intl.NumberFormat(i18n.locale, { style: "unit", unit, unitDisplay: "long" }).format(count),
      );
    }
    return new Intl.ListFormat(i18n.locale, { type: "unit", style: "short" }).format(parts);
  };
}
