import { useLingui } from "@lingui/react/macro";
import { formatNumber, formatShare } from "../base/i18n.ts";
import type { Unit } from "./buckets.ts";
import classes from "./clicks.module.css";

/** Changes against fewer clicks mean little. */
const FEW = 30;

type Props = {
  now: number;
  before: number;
  /** More is neither good nor bad, as of bots. */
  isNeutral?: boolean;
  /** The unit of what is not over and so counts in neither; undefined: all counts. */
  open?: Unit | undefined;
  /** Only the title says what counts in neither. */
  isShort?: boolean;
};

/** A change in words, in colour where its base is large enough to say something. Nothing against nothing. */
export function Change({ now, before, isNeutral, open, isShort }: Props) {
  const { t } = useLingui();
  if (before <= 0) return null;
  const percent = Math.round((now / before - 1) * 100);
  const share = formatShare(Math.abs(percent));
  const base = formatNumber(before);
  const change = percent === 0 ? t`unchanged` : percent > 0 ? t`${share} more` : t`${share} less`;
  const without: Record<Unit, () => string> = {
    hour: () => t`${change}, not counting this hour`,
    day: () => t`${change}, excluding today`,
    week: () => t`${change}, not counting this week`,
    month: () => t`${change}, not counting this month`,
  };
  const whole = open === undefined ? change : without[open]();
  return (
    <span
      className={classes["change"]}
      data-way={before < FEW || percent === 0 || isNeutral ? "none" : percent > 0 ? "up" : "down"}
      title={isShort && open !== undefined ? `${whole} · ${t`Before: ${base}`}` : t`Before: ${base}`}
    >
      {isShort ? change : whole}
    </span>
  );
}
