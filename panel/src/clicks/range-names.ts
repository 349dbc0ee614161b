import { t } from "@lingui/core/macro";
import { RANGE_NAMES, type RangeName } from "./range.ts";

/** Spans that end now, and months. */
export function rangeNames(): { value: RangeName; label: string }[] {
  const names: Record<RangeName, string> = {
    "24h": t`24 hours`,
    "7d": t`7 days`,
    "30d": t`30 days`,
    "90d": t`90 days`,
    "1y": t`1 year`,
    month: t`This month`,
    last_month: t`Last month`,
  };
  return RANGE_NAMES.map((value) => ({ value, label: names[value] }));
}
