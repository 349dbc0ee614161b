import type { Language } from "./language.ts";

/** Such as `1 second` or `15 Minuten`: whole minutes from two on. */
export function waitText(language: Language, seconds: number): string {
  const [unit, count] = seconds < 120 ? ["second", seconds] : ["minute", Math.ceil(seconds / 60)];
  return new Intl.NumberFormat(language, { style: "unit", unit: unit as string, unitDisplay: "long" }).format(
    count as number,
  );
}
