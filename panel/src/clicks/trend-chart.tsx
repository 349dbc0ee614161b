import "uplot/dist/uPlot.min.css";
import { i18n } from "@lingui/core";
import { useLingui } from "@lingui/react/macro";
import { useComputedColorScheme, useMantineTheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { formatNumber } from "../app/i18n.ts";
import classes from "./clicks.module.css";

type Props = {
  /** Days such as `2026-11-20`. */
  labels: readonly string[];
  values: readonly number[];
  height?: number;
};

const SECOND = 1000;

/** Clicks by day. A table says the same to those who can't see it. */
export function TrendChart({ labels, values, height = 220 }: Props) {
  const { t } = useLingui();
  const theme = useMantineTheme();
  const scheme = useComputedColorScheme("light");
  const { ref: box, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const color = scheme === "dark" ? theme.colors["brand"]![4] : theme.colors["brand"]![7];

  useEffect(() => {
    if (place.current === null || width === 0) return;
    const line = scheme === "dark" ? "#3a3f45" : "#e6e8eb";
    const ink = scheme === "dark" ? "#a3a7ad" : "#5c636a";
    const day = new Intl.DateTimeFormat(i18n.locale, { day: "numeric", month: "short", timeZone: "UTC" });
    const axis = {
      stroke: ink,
      grid: { stroke: line, width: 1 },
      ticks: { show: false },
      font: "12px system-ui",
    };
    const plot = new uPlot(
      {
        width,
        height,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * SECOND), "Etc/UTC"),
        cursor: { y: false, points: { size: 7, fill: color! } },
        legend: { show: true, live: true },
        scales: { y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            space: 64,
            values: (_, ticks) => ticks.map((tick) => day.format(tick * SECOND)),
          },
          {
            ...axis,
            size: 56,
            incrs: [
              1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7,
            ],
            values: (_, ticks) => ticks.map(formatNumber),
          },
        ],
        series: [
          { label: t`Day`, value: (_, seconds) => (seconds === null ? "–" : day.format(seconds * SECOND)) },
          {
            label: t`Clicks`,
            stroke: color!,
            fill: `${color}22`,
            width: 2,
            points: { show: labels.length <= 31, size: 5, fill: color! },
            value: (_, count) => (count === null ? "–" : formatNumber(count)),
          },
        ],
      },
      [labels.map((label) => Date.parse(label) / SECOND), [...values]],
      place.current,
    );
    return () => plot.destroy();
  }, [labels, values, width, height, scheme, color, t]);

  return (
    <figure className={classes["chart"]} ref={box} aria-label={t`Clicks by day`}>
      <div ref={place} aria-hidden style={{ minHeight: height }} />
      <table className={classes["spoken"]}>
        <tbody>
          {labels.map((label, at) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{formatNumber(values[at] ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
