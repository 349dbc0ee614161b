/** The chart of a report: bars as SVG, whose texts are HTML, so that they stay legible on phones. */
import { filled } from "../lib/message.ts";
import { remembered } from "../lib/remembered.ts";
import type { Look } from "../visitors/look.ts";
import { text } from "../visitors/page.ts";
import { countText } from "../visitors/quantity-text.ts";
import type { Figures } from "./figures.ts";
import { zonedDayOf } from "./days.ts";

const HEIGHT = 100;
const WIDTH = 10;
const GAP = 1.5;
const MOST_LABELS = 5;

const dates = remembered(
  (key) => {
    const [language, unit] = key.split(" ") as [string, string];
    return new Intl.DateTimeFormat(language, {
      timeZone: "UTC",
      month: "short",
      ...(unit === "month" ? { year: "numeric" } : { day: "numeric" }),
    });
  },
  { most: 50 },
);

/** @param label as the reports of the API have it: `2026-11-20 13:00`, `2026-11-20`, `2026-11` */
function labelText(language: string, unit: Figures["unit"], label: string): string {
  if (unit === "hour") return label.slice(11, 16);
  return dates(`${language} ${unit}`).format(Date.parse(unit === "month" ? `${label}-01` : label));
}

/** The smallest round number that is no less, with a round half. */
export function roundUp(number: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(number, 1)));
  return [1, 2, 4, 6, 8, 10].map((factor) => factor * power).find((round) => round >= number)!;
}

export function chart(look: Look, { unit, labels, series, at, zone, lastDay }: Figures): string {
  const { language, texts } = look;
  const { report } = texts;
  const top = Math.max(roundUp(Math.max(...series)), 2);
  const isRunning = lastDay >= zonedDayOf(zone, at);
  const names = labels.map((label) => labelText(language, unit, label));
  const bars = series.map((clicks, nth) => {
    const height = (clicks / top) * HEIGHT;
    const isPart = isRunning && nth === series.length - 1;
    const name = isPart ? filled(report.soFar, { day: names[nth]! }) : names[nth]!;
    const x = nth * WIDTH;
    return `<g><title>${text(name)}: ${countText(language, clicks)}</title><rect class="hit" x="${x}" width="${WIDTH}" height="${HEIGHT}"/><rect class="bar${isPart ? " part" : ""}" x="${x + GAP / 2}" y="${(HEIGHT - height).toFixed(2)}" width="${WIDTH - GAP}" height="${height.toFixed(2)}"/></g>`;
  });
  const width = series.length * WIDTH;
  const lines = [0, HEIGHT / 2, HEIGHT].map((y) => `<line x2="${width}" y1="${y}" y2="${y}"/>`);
  const scale = [top, top / 2, 0].map((count) => `<span>${countText(language, count)}</span>`);
  const rows = names.map(
    (name, nth) => `<tr><td>${text(name)}</td><td>${countText(language, series[nth]!)}</td></tr>`,
  );
  return `<figure><figcaption>${text(report.per[unit])}</figcaption>
<div class="plot"><div class="y" aria-hidden="true">${scale.join("")}</div>
<svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${text(report.per[unit])}">${lines.join("")}${bars.join("")}</svg>
<div class="x" aria-hidden="true">${shownLabels(names)
    .map((name) => `<span>${text(name)}</span>`)
    .join("")}</div></div>
<details><summary>${text(report.table)}</summary><table><thead><tr><th scope="col">${text(report.time)}</th><th scope="col">${text(report.human)}</th></tr></thead><tbody>${rows.join("")}</tbody></table></details></figure>`;
}

/** Evenly spread, with the first and the last one. */
function shownLabels(names: readonly string[]): string[] {
  const count = Math.min(MOST_LABELS, names.length);
  if (count < 2) return [...names];
  return Array.from(
    { length: count },
    (_, nth) => names[Math.round((nth * (names.length - 1)) / (count - 1))]!,
  );
}
