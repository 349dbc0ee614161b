import { t } from "@lingui/core/macro";
import { formatDate } from "../base/i18n.ts";
import { RANGE_NAMES, type RangeName, type ReportSearch } from "./range.ts";

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

/** What a search has chosen. */
export const rangeName = ({ from, to, range = "30d" }: ReportSearch): string =>
  from !== undefined && to !== undefined
    ? `${formatDate(from)} – ${formatDate(to)}`
    : rangeNames().find(({ value }) => value === range)!.label;
