/** A small chart of lines as SVG, legible on light and dark pages, with a logarithmic scale of values. */

export type LineChart = {
  title: string;
  x: { label: string; labels: readonly string[] };
  /** The unit. */
  y: string;
  /** Each with a value for each label of the x axis. */
  series: readonly { name: string; values: readonly number[] }[];
};

const WIDTH = 720;
const PLOT = { left: 74, right: 700, top: 40, bottom: 280 };
const ROW = 18;
/** Apart for the colour-blind, and in contrast with white and black. */
const COLOURS = ["#1f77d0", "#d9622b", "#2a9d63", "#a55fc4", "#b8860b", "#c2417c", "#7a7f87"];

export function lineChart({ title, x, y, series }: LineChart): string {
  const values = series.flatMap((one) => one.values).filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const atY = (value: number) =>
    PLOT.bottom - ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) * (PLOT.bottom - PLOT.top);
  const atX = (index: number) => PLOT.left + ((index + 0.5) / x.labels.length) * (PLOT.right - PLOT.left);
  const text = (left: number, top: number, content: string, more = "") =>
    `<text x="${left.toFixed(0)}" y="${top.toFixed(0)}"${more}>${escape(content)}</text>`;
  const decades = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
  const legendTop = PLOT.bottom + 60;
  const height = legendTop + Math.ceil(series.length / 2) * ROW;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" fill="#7a7f87">`,
    text(PLOT.left, 20, title, ' font-size="14" font-weight="bold"'),
    ...decades.flatMap((value) => [
      `<path d="M${PLOT.left} ${atY(value).toFixed(1)}H${PLOT.right}" stroke="#7a7f87" stroke-opacity="0.3"/>`,
      text(PLOT.left - 6, atY(value) + 4, `${value} ${y}`, ' text-anchor="end"'),
    ]),
    ...x.labels.map((label, at) => text(atX(at), PLOT.bottom + 18, label, ' text-anchor="middle"')),
    text((PLOT.left + PLOT.right) / 2, PLOT.bottom + 36, x.label, ' text-anchor="middle"'),
    ...series.flatMap(({ name, values: points }, at) => {
      const colour = COLOURS[at % COLOURS.length]!;
      const path = points.map((value, index) => `${atX(index).toFixed(1)},${atY(value).toFixed(1)}`);
      const [left, top] = [PLOT.left + (at % 2) * 320, legendTop + (at >> 1) * ROW];
      return [
        `<polyline points="${path.join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        ...path.map((point) => {
          const [cx, cy] = point.split(",");
          return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`;
        }),
        `<path d="M${left} ${top - 4}h16" stroke="${colour}" stroke-width="3"/>`,
        text(left + 22, top, name),
      ];
    }),
    "</svg>",
    "",
  ].join("\n");
}

const escape = (text: string): string => Bun.escapeHTML(text);
