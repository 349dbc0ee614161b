import { Trans } from "@lingui/react/macro";
import { formatNumber } from "../../base/i18n.ts";
import type { Unit } from "../buckets.ts";
import classes from "../clicks.module.css";
import { bucketName } from "./bucket-name.ts";
import { LINE_WIDTH, type Look, LOOKS, useScheme } from "./looks.ts";
import { type Series, sum, shownValue } from "./series.ts";

type Props = {
  at: number;
  starts: readonly number[];
  unit: Unit;
  series: readonly Series[];
  open: number;
};

/** The values of a bucket, beside it. */
export function ChartTip({ at, starts, unit, series, open }: Props) {
  const middle = ((at + 0.5) / starts.length) * 100;
  const side = middle > 50 ? { right: `calc(${100 - middle}% + 10px)` } : { left: `calc(${middle}% + 10px)` };
  return (
    <>
      <div className={classes["line"]} style={{ left: `${middle}%` }} aria-hidden />
      <div className={classes["tip"]} style={side} aria-hidden>
        <strong>{bucketName(starts[at]!, unit, at === open)}</strong>
        {series.map(({ name, look, values }) => (
          <div key={look} className={classes["tipRow"]}>
            <Swatch look={look} />
            <span className={classes["name"]}>{name}</span>
            <span className={classes["count"]}>{shownValue(values[at])}</span>
          </div>
        ))}
      </div>
    </>
  );
}

export function Legend({ series, hasUnknown }: { series: readonly Series[]; hasUnknown: boolean }) {
  return (
    <ul className={classes["legend"]}>
      {series.map(({ name, look, values }) => (
        <li key={look}>
          <Swatch look={look} />
          <span className={classes["name"]}>{name}</span>
          <span className={classes["count"]}>{formatNumber(sum(values))}</span>
        </li>
      ))}
      {hasUnknown && (
        <li>
          <span className={classes["unknown"]} aria-hidden />
          <span className={classes["name"]}>
            <Trans>Not known: these details are not kept</Trans>
          </span>
        </li>
      )}
    </ul>
  );
}

function Swatch({ look }: { look: Look }) {
  const scheme = useScheme();
  const { dash, width = LINE_WIDTH, [scheme]: color } = LOOKS[look];
  return (
    <svg width="22" height="8" aria-hidden className={classes["swatch"]}>
      <line
        x1="0"
        y1="4"
        x2="22"
        y2="4"
        stroke={color}
        strokeWidth={width + 0.5}
        strokeDasharray={dash.join(" ")}
      />
    </svg>
  );
}
