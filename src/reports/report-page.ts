/** The page of a report. It needs no script, fits phones and prints. What strangers wrote is escaped. */
import { filled } from "../lib/message.ts";
import { remembered } from "../lib/remembered.ts";
import type { Language } from "../lib/language.ts";
import { COLOURS, RADIUS, SPACE, TYPE } from "../lib/tokens.ts";
import { parsePlaceValue } from "../clicks/rollups/dimensions.ts";
import type { Look } from "../visitors/look.ts";
import { htmlPage, text, type VisitorPage } from "../visitors/page.ts";
import { countText, instantText } from "../visitors/quantity-text.ts";
import { inline } from "../visitors/style.ts";
import { chart } from "./chart.ts";
import { type FigureList, type Figures, type ListName, LISTS } from "./figures.ts";

/** A change against a smaller number says little. */
export const SMALLEST_BASE = 30;

const { light } = COLOURS;
const STYLE = inline(
  `
.page{max-width:60rem}
.head{display:flex;flex-wrap:wrap;gap:.25rem ${SPACE.xl};align-items:baseline;justify-content:space-between}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:${SPACE.md} ${SPACE.lg};margin:1.75rem 0 0}
.facts div{display:flex;flex-direction:column;justify-content:end}
.facts dt{color:var(--soft);font-size:${TYPE.size.sm}}
.facts dd{margin:0;font-size:${TYPE.size.xl};font-weight:600;font-variant-numeric:tabular-nums}
.facts .lead{grid-column:1/-1}.facts .lead dd{font-size:clamp(2.25rem,1.75rem + 2.5vw,3rem);line-height:1.15;letter-spacing:-.02em}
.facts .change{margin-top:.25rem;font-size:${TYPE.size.sm};font-weight:400;letter-spacing:0}
figure{margin:2rem 0 0}figcaption,h2{font-size:${TYPE.size.md};font-weight:600;margin:0 0 ${SPACE.sm}}
.plot{display:grid;grid-template-columns:auto 1fr;gap:.25rem .625rem;color:var(--soft);font-size:${TYPE.size.xs};font-variant-numeric:tabular-nums}
.plot svg{display:block;width:100%;height:13rem}
.plot line{stroke:var(--line);vector-effect:non-scaling-stroke}.plot .bar{fill:var(--accent-ink)}.plot .part{opacity:.5}
.plot g:hover .bar{opacity:.75}.plot .hit{fill:transparent}
.y,.x{display:flex;justify-content:space-between}.y{flex-direction:column;text-align:end;line-height:1}.y span{transform:translateY(-.4em)}.x{grid-column:2}
details{margin-top:${SPACE.sm};font-size:${TYPE.size.sm}}summary{color:var(--soft);cursor:pointer;padding:.25rem 0}
table{border-collapse:collapse;width:100%;max-width:24rem;margin-top:.25rem}th{text-align:start;font-weight:600}td,th{padding:.25rem 0;border-bottom:1px solid var(--line)}
td:last-child,th:last-child{text-align:end;font-variant-numeric:tabular-nums}
.lists{columns:19rem 2;column-gap:${SPACE.xl};margin:2.5rem 0 -2.25rem}
section{break-inside:avoid;padding-bottom:2.25rem}ol{list-style:none;margin:0;padding:0}
li{position:relative;display:flex;gap:1rem;align-items:center;justify-content:space-between;min-height:2.25rem;padding:.25rem .5rem;margin-bottom:.125rem}
li svg{position:absolute;inset:0;width:100%;height:100%}li rect{fill:var(--accent-ink);opacity:.13}
li>*{position:relative}li svg{position:absolute}li bdi{min-width:0;overflow-wrap:anywhere}li b{font-weight:600;font-variant-numeric:tabular-nums}.rest{color:var(--soft)}.rest b{font-weight:400}
.foot{margin-top:2.5rem;font-size:${TYPE.size.sm}}
@media print{@page{margin:1.5cm}
:root{color-scheme:light;--ground:${light.card};--card:${light.card};--ink:${light.ink};--soft:${light.soft};--line:${light.line};--right:${light.right};--warn:${light.warn}}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
.page{max-width:none;padding:0}.card{border:0;padding:0}details{display:none}figure{break-inside:avoid}
.lists{columns:2}}
`.replaceAll("\n", ""),
);
/** Bars of lists have round corners. */
const CORNER = Number.parseFloat(RADIUS.sm) * 16;
const STYLES = [STYLE];

const made = <T extends object>(make: (language: string) => T) => remembered(make, { most: 8 });
const percents = made(
  (language) => new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }),
);
const days = made((language) => new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }));
const shortDays = made(
  (language) => new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" }),
);
const regions = made((language) => new Intl.DisplayNames(language, { type: "region", fallback: "code" }));
const instants = remembered(
  (key) => {
    const [language, timeZone] = key.split(" ") as [string, string];
    return new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short", timeZone });
  },
  { most: 50 },
);

export const daysText = (language: Language, first: string, last: string): string =>
  first === last
    ? days(language).format(Date.parse(first))
    : days(language).formatRange(Date.parse(first), Date.parse(last));

/** Names a country; a code that is none stays. */
export function countryText(language: Language, code: string): string {
  try {
    return regions(language).of(code) ?? code;
  } catch {
    return code;
  }
}

/** How much more or fewer; null if the number before says too little. */
export function changeOf({ compared }: Pick<Figures, "compared">): number | null {
  if (compared === null || compared.before < SMALLEST_BASE) return null;
  return (compared.now - compared.before) / compared.before;
}

export function changeText(
  { language, texts: { report } }: Pick<Look, "language" | "texts">,
  change: number,
  { compared }: Pick<Figures, "compared">,
): string {
  const percent = percents(language).format(Math.abs(change));
  const isSame = Math.round(Math.abs(change) * 100) === 0;
  const sentence = isSame ? report.same : filled(change > 0 ? report.more : report.fewer, { percent });
  return compared?.isWhole ? sentence : filled(report.untilYesterday, { change: sentence });
}

/** A value of a list as people of the language read it. */
export function nameIn(
  { language, texts: { report } }: Pick<Look, "language" | "texts">,
  list: ListName,
  value: string,
): string {
  if (list === "countries") return countryText(language, value);
  if (list === "devices") return report.devices[value as keyof typeof report.devices] ?? value;
  if (list !== "cities") return value;
  const { country, city } = parsePlaceValue(value);
  return `${city ?? value}, ${countryText(language, country)}`;
}

export function reportPage(look: Look, title: string | null, figures: Figures): VisitorPage {
  const { language, texts } = look;
  const { report } = texts;
  const heading = title ?? report.title;
  const period = daysText(language, figures.firstDay, figures.lastDay);
  return htmlPage(look, {
    title: heading,
    description: period,
    width: "wide",
    content: `<div class="head"><h1><bdi>${text(heading)}</bdi></h1><p class="soft">${text(period)}</p></div>
${factsHtml(look, figures)}
${figures.human === 0 ? `<p class="foot soft">${text(report.nothing)}</p>` : chart(look, figures)}
${listsHtml(look, figures)}
<p class="foot soft">${text(footText(look, figures))}</p>`,
    styles: STYLES,
  });
}

function factsHtml(look: Look, figures: Figures): string {
  const { language, texts } = look;
  const { report } = texts;
  const { human, automated, visits, before, labels, series, unit } = figures;
  const change = changeOf(figures);
  const mark = change === null ? "" : change > 0 ? "right" : change < 0 ? "warn" : "";
  const lead =
    change === null
      ? ""
      : `<p class="change ${mark}">${change > 0 ? "▲ " : change < 0 ? "▼ " : ""}${text(changeText(look, change, figures))}</p>`;
  const most = Math.max(...series);
  const busiest = unit === "day" && most > 0 ? labels[series.indexOf(most)]! : null;
  const facts = [
    ...(visits === null ? [] : [[report.visits, countText(language, visits)]]),
    [report.before, countText(language, before)],
    [report.bots, countText(language, automated)],
    ...(busiest === null ? [] : [[report.busiest, shortDays(language).format(Date.parse(busiest))]]),
  ].map(([name, value]) => `<div><dt>${text(name!)}</dt><dd>${text(value!)}</dd></div>`);
  return `<dl class="facts"><div class="lead"><dt>${text(report.human)}</dt><dd>${countText(language, human)}${lead}</dd></div>${facts.join("")}</dl>`;
}

function listsHtml(look: Look, figures: Figures): string {
  const shown = LISTS.filter((name) => figures.lists[name].rows.length > 0);
  if (shown.length === 0) return "";
  return `<div class="lists">${shown.map((name) => listHtml(look, name, figures.lists[name])).join("\n")}</div>`;
}

function listHtml(look: Look, name: ListName, { rows, none, others }: FigureList): string {
  const { report } = look.texts;
  const most = Math.max(none, others, ...rows.map(({ clicks }) => clicks));
  const row = (shown: string, clicks: number, kind = ""): string =>
    `<li${kind}><svg aria-hidden="true"><rect width="${((clicks / most) * 100).toFixed(1)}%" height="100%" rx="${CORNER}"/></svg><bdi>${text(shown)}</bdi><b>${countText(look.language, clicks)}</b></li>`;
  const items = rows.map(({ name: value, clicks }) => row(nameIn(look, name, value), clicks));
  // Direct visits are a way to come, as sites are.
  const at = rows.findIndex(({ clicks }) => clicks < none);
  if (name === "sites" && none > 0) items.splice(at < 0 ? rows.length : at, 0, row(report.none[name], none));
  if (others > 0) items.push(row(report.others, others, ' class="rest"'));
  if (name !== "sites" && none > 0) items.push(row(report.none[name], none, ' class="rest"'));
  return `<section><h2>${text(report.lists[name])}</h2><ol>${items.join("")}</ol></section>`;
}

function footText({ language, texts: { report } }: Look, figures: Figures): string {
  const { at, zone, recordsDetails, detailsFrom } = figures;
  const time = zone === "UTC" ? instantText(language, at) : instants(`${language} ${zone}`).format(at);
  const since = detailsFrom === null ? "" : filled(report.since, { day: days(language).format(detailsFrom) });
  const details = recordsDetails ? since : report.noDetails;
  return [details, filled(report.asOf, { time, zone })].filter((part) => part !== "").join(" ");
}
