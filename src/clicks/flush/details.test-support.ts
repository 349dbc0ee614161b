/** Test support: what is stored about clicks with details, and the same sums made from the clicks. */
import type { Database } from "../../platform/db/database.ts";
import { parseAgent } from "../../lib/agents.ts";
import { languageOf } from "../../lib/accept-language.ts";
import { campaignOf, originOf } from "../details/origin.ts";
import { channelOf } from "../details/channels.ts";
import { agentValue, DIMENSIONS, labelOfSource, placeValue } from "../rollups/dimensions.ts";
import { createDayRollup } from "../rollups/rebuild-day.ts";
import { UTC } from "../rollups/calendar.ts";
import { DAY_MS, HOUR_MS } from "../rollups/time-buckets.ts";

export type SentVisit = {
  link: number;
  at: number;
  referrer?: string;
  utm?: string;
  agent?: string;
  address?: string;
  language?: string;
  campaign?: string;
  rule?: number;
  automated?: boolean;
};

export const PLACES = new Map([
  ["81.2.69.1", { country: "GB", city: "London" }],
  ["89.160.20.9", { country: "SE", city: null }],
]);
/** Clicks, and automated ones among them. */
type Pair = [clicks: number, automated: number];
const pairOf = ({ clicks, automated }: { clicks: number; automated: number }): Pair => [clicks, automated];
type Sums = Record<"hours" | "days" | "months" | "dimHours" | "dimDays" | "dimMonths", Record<string, Pair>>;

/** Stored counts and values, as `bucket link dimension value` with clicks and automated ones. */
export async function readSums(database: Database): Promise<Sums> {
  const [values, hours, days, months, dimHours, dimDays, dimMonths] = await Promise.all([
    database.read.selectFrom("click_values").select(["id", "dimension", "value"]).execute(),
    database.read.selectFrom("click_hours").selectAll().execute(),
    database.read.selectFrom("click_days").selectAll().execute(),
    database.read.selectFrom("click_months").selectAll().execute(),
    database.read.selectFrom("click_dim_hours").selectAll().execute(),
    database.read.selectFrom("click_dim_days").selectAll().execute(),
    database.read.selectFrom("click_dim_months").selectAll().execute(),
  ]);
  const texts = new Map(values.map(({ id, dimension, value }) => [id, `${dimension} ${value}`]));
  return {
    hours: Object.fromEntries(hours.map((row) => [`${row.hour} ${row.link_id}`, pairOf(row)])),
    days: Object.fromEntries(days.map((row) => [`${row.day} ${row.link_id}`, pairOf(row)])),
    months: Object.fromEntries(months.map((row) => [`${row.month} ${row.link_id}`, pairOf(row)])),
    dimHours: Object.fromEntries(
      dimHours.map((row) => [`${row.hour} ${texts.get(row.value_id)}`, pairOf(row)]),
    ),
    dimDays: Object.fromEntries(
      dimDays.map((row) => [`${row.day} ${row.link_id} ${texts.get(row.value_id)}`, pairOf(row)]),
    ),
    dimMonths: Object.fromEntries(
      dimMonths.map((row) => [`${row.month} ${row.link_id} ${texts.get(row.value_id)}`, pairOf(row)]),
    ),
  };
}

/** The same from the clicks, by the pure sums of `analytics rebuild`. */
export function sumsByHand(visits: readonly SentVisit[], plain: readonly SentVisit[] = []): Sums {
  const sums: Sums = {
    hours: {},
    days: {},
    months: {},
    dimHours: {},
    dimDays: {},
    dimMonths: {},
  };
  const add = (to: Record<string, Pair>, key: string, clicks: number, automated: number) => {
    const [had, hadAutomated] = to[key] ?? [0, 0];
    to[key] = [had + clicks, hadAutomated + automated];
  };
  for (const { link, at, automated } of [...visits, ...plain]) {
    const ofAutomated = automated ? 1 : 0;
    for (const id of [link, 0]) {
      add(sums.hours, `${Math.floor(at / HOUR_MS)} ${id}`, 1, ofAutomated);
      add(sums.days, `${Math.floor(at / DAY_MS)} ${id}`, 1, ofAutomated);
      add(sums.months, `${UTC.month.of(at)} ${id}`, 1, ofAutomated);
    }
  }
  for (const [day, members] of Map.groupBy(visits, ({ at }) => Math.floor(at / DAY_MS))) {
    const rollup = createDayRollup(UTC);
    for (const visit of members) {
      const { link: linkId, at: atMs, automated: isAutomated = false } = visit;
      rollup.add({ linkId, atMs, isAutomated, values: valuesOf(visit) });
    }
    const { dimHours, dimDays } = rollup.finish();
    for (const { hour, dimension, value, clicks, automated } of dimHours)
      add(sums.dimHours, `${hour} ${DIMENSIONS[dimension]} ${value}`, clicks, automated);
    for (const { linkId, dimension, value, clicks, automated } of dimDays) {
      add(sums.dimDays, `${day} ${linkId} ${DIMENSIONS[dimension]} ${value}`, clicks, automated);
      const month = UTC.month.of(day * DAY_MS);
      if (linkId === 0 || dimension === "utm_campaign")
        add(sums.dimMonths, `${month} ${linkId} ${DIMENSIONS[dimension]} ${value}`, clicks, automated);
    }
  }
  return sums;
}

function valuesOf({ referrer, utm, agent, address, language, campaign, rule }: SentVisit) {
  const place = PLACES.get(address ?? "");
  const { source, host } = originOf(referrer ?? null, utm === undefined ? null : decodeURIComponent(utm));
  const pairs = campaignOf(campaign ?? `utm_source=${utm ?? ""}`);
  const profile = agent === undefined ? null : parseAgent(agent);
  return {
    ...pairs,
    referrer: host,
    language: language === undefined ? null : languageOf(language),
    channel: channelOf(pairs, host, profile?.browser ?? null),
    rule: rule === undefined ? null : String(rule),
    source: labelOfSource(source, pairs.utm_source),
    agent: profile === null ? null : agentValue(profile),
    place: place === undefined ? null : placeValue(place),
  };
}
