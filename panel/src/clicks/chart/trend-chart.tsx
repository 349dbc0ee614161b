import "uplot/dist/uPlot.min.css";
import { useLingui } from "@lingui/react/macro";
import { VisuallyHidden } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef } from "react";
import { localNow } from "../zone.ts";
import { endOfBucket, spanName, type Unit } from "../buckets.ts";
import { type Brush, useBrush } from "./brush.ts";
import { bucketName } from "./bucket-name.ts";
import { ChartTip, Legend } from "./chart-tip.tsx";
import classes from "../clicks.module.css";
import { useScheme } from "./looks.ts";
import { areaOf, drawTrend } from "./plot.ts";
import { type Series, shownValue } from "./series.ts";
import { TrendTable } from "./trend-table.tsx";

type Props = {
  label: string;
  /** What the axis counts. */
  counts: string;
  /** Whose days or hours it has. */
  zone: ReactNode;
  starts: readonly number[];
  unit: Unit;
  series: readonly Series[];
  /** Buckets of which nothing is known. */
  unknown?: readonly number[];
  brush?: Brush | null;
  onBrush?(brush: Brush | null): void;
  /** By a double click or the minus key, while no part is chosen. */
  onZoomOut?(): void;
};

export const CHART_HEIGHT = 240;

/** Clicks by time. Pointer and arrow keys show values; a table has all of them. */
export function TrendChart({
  label,
  counts,
  zone,
  starts,
  unit,
  series,
  unknown = [],
  brush = null,
  onBrush,
  onZoomOut,
}: Props) {
  const { t } = useLingui();
  const scheme = useScheme();
  const { ref: box, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const count = starts.length;
  const { at, chosen, surface } = useBrush({
    count,
    brush,
    onBrush: onBrush ?? (() => {}),
    onZoomOut: onZoomOut ?? (() => {}),
  });
  const area = areaOf(width, CHART_HEIGHT);
  const now = localNow();
  const open = starts.findIndex((start) => start <= now && now < endOfBucket(start, unit));

  useEffect(() => {
    if (place.current === null || width === 0 || starts.length === 0) return;
    return drawTrend(place.current, { width, height: CHART_HEIGHT, starts, unit, series, open, scheme });
  }, [starts, unit, series, open, width, scheme]);

  const announced = at === null ? count - 1 : at;
  const values = series.map(({ name, values: of }) => `${name}: ${shownValue(of[announced])}`);
  const part = chosen && spanName({ start: starts[chosen[0]]!, end: endOfBucket(starts[chosen[1]]!, unit) });
  const valueText = [
    starts[announced] === undefined ? "" : bucketName(starts[announced], unit, announced === open),
    ...values,
    ...(part === null ? [] : [t`Chosen: ${part}`]),
  ].join("; ");
  return (
    <figure className={classes["chart"]} aria-label={label}>
      <div ref={box} className={classes["canvas"]} style={{ height: CHART_HEIGHT }}>
        <div className={classes["counts"]}>
          <span>{counts}</span>
          <VisuallyHidden>. </VisuallyHidden>
          <span>{zone}</span>
        </div>
        <div ref={place} aria-hidden />
        {count > 0 && width > 0 && (
          <div
            className={classes["surface"]}
            style={area}
            role="slider"
            tabIndex={0}
            aria-label={t`Values by time`}
            aria-description={
              onBrush &&
              t`Arrow keys show values. Shift and arrow keys choose a part, Escape takes all, minus zooms out.`
            }
            aria-valuemin={0}
            aria-valuemax={count - 1}
            aria-valuenow={announced}
            aria-valuetext={valueText}
            {...surface}
          >
            {unknown.map((bucket) => (
              <div
                key={bucket}
                className={classes["unknown"]}
                style={{ left: `${(bucket / count) * 100}%`, width: `${100 / count}%` }}
              />
            ))}
            {chosen !== null && onBrush && (
              <div
                className={classes["chosen"]}
                style={{
                  left: `${(chosen[0] / count) * 100}%`,
                  width: `${((chosen[1] - chosen[0] + 1) / count) * 100}%`,
                }}
              />
            )}
            {at !== null && <ChartTip at={at} starts={starts} unit={unit} series={series} open={open} />}
          </div>
        )}
      </div>
      <Legend series={series} hasUnknown={unknown.length > 0} />
      <TrendTable label={label} starts={starts} unit={unit} series={series} open={open} />
    </figure>
  );
}
