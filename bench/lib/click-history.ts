/**
 * A synthetic history of clicks, written to the tables as the flush writes them: links of very uneven popularity, a
 * daily rhythm, thousands of referrers, places and user agents, few of them frequent. The same numbers give the same
 * history. Ten million clicks take a few minutes. Hours exist for the last seven days only, as after retention; raw
 * rows exist for all days, which is more than retention keeps, so that edges are computed from them.
 */
import type { Database } from "../../src/platform/db/database.ts";
import {
  agentValue,
  byDimension,
  type Dimension,
  DIMENSIONS,
  OTHER,
  placeValue,
} from "../../src/clicks/rollups/dimensions.ts";
import { createDayRollup, type DayRollup } from "../../src/clicks/rollups/rebuild-day.ts";
import { UTC } from "../../src/clicks/rollups/calendar.ts";
import { DAY_MS, monthOfDay } from "../../src/clicks/rollups/time-buckets.ts";
import { writeLinks } from "./click-links.ts";

export type History = {
  clicks: number;
  links: number;
  days: number;
  /** The time of the last click, epoch milliseconds. */
  end: number;
};

const HOURLY_DAYS = 7;
const REFERRERS = 3_000;
const COUNTRIES = "US DE FR GB IN BR JP CN CA AU ES IT NL SE PL MX AR ZA NG EG TR ID VN TH KR".split(" ");
const CITIES = 40;
const AGENTS = 2_000;
/** The rarest has some thousandths of the clicks. */
const CAMPAIGNS = 40;
const LANGUAGES = ["en-US", "en-US", "de", "fr", "ja"];
const CHANNELS = ["campaign", "direct", "search"];
const BROWSERS = ["Chrome", "Safari", "Firefox", "Microsoft Edge", "Opera", "Samsung Internet for Android"];
const SYSTEMS = ["Windows", "macOS", "Android", "iOS", "Linux", "Chrome OS"];

/** Mulberry32. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Draws 0 to count − 1; rank n has the weight 1 / (n + 1). */
export function createZipf(count: number, random: () => number): () => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) sums[rank] = sum += 1 / (rank + 1);
  return () => {
    const wanted = random() * sum;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

const referrers = Array.from({ length: REFERRERS }, (_, at) =>
  at === 0 ? "(direct)" : `site-${at}.example`,
);
const sources = referrers.map((label, at) => (at === 0 ? "direct" : `ref:${label}`));
const places = COUNTRIES.flatMap((country) =>
  Array.from({ length: CITIES }, (_, city) => ({ country, city: `City ${city}` })),
);
const placeValues = places.map(placeValue);
const agentTexts = Array.from(
  { length: AGENTS },
  (_, at) => `Mozilla/5.0 (Made up ${at}; rv:${at}.0) AppleWebKit/537.36 (KHTML, like Gecko) Browser/${at}.0`,
);
const isAutomated = (agent: number): boolean => agent % 11 === 5;
const agentValues = agentTexts.map((_, at) => {
  const isBot = isAutomated(at);
  return agentValue({
    browser: isBot ? `bot${at % 30}` : BROWSERS[at % BROWSERS.length]!,
    os: SYSTEMS[Math.floor(at / 7) % SYSTEMS.length]!,
    device: isBot ? "bot" : at % 3 === 0 ? "mobile" : "desktop",
    isBot,
  });
});

/** The id of each value. */
type Ids = Record<Dimension, Map<string, number>>;

export async function writeHistory(
  database: Database,
  history: History,
  onDay: (day: number) => void,
): Promise<void> {
  const { clicks, links, days, end } = history;
  const lastDay = Math.floor(end / DAY_MS);
  await writeLinks(database, links);
  const ids = await writeValues(database, lastDay);
  const random = createRandom(20_261_120);
  const draw = createClickDraw(links, random);
  for (let at = 0; at < days; at++) {
    const day = lastDay - days + 1 + at;
    const length = day === lastDay ? end - day * DAY_MS : DAY_MS;
    const count = Math.floor((clicks * (at + 1)) / days) - Math.floor((clicks * at) / days);
    const drawn = Array.from({ length: count }, () => draw(day * DAY_MS, length));
    drawn.sort((a, b) => a.atMs - b.atMs);
    await writeDay(database, { day, drawn, ids, withHours: day > lastDay - HOURLY_DAYS });
    onDay(at + 1);
  }
  await writeMonths(database);
}

type Drawn = { linkId: number; atMs: number; referrer: number; place: number; agent: number };

function createClickDraw(links: number, random: () => number): (start: number, length: number) => Drawn {
  const link = createZipf(links, random);
  const referrer = createZipf(REFERRERS, random);
  const place = createZipf(places.length, random);
  const agent = createZipf(AGENTS, random);
  return (start, length) => ({
    linkId: link() + 1,
    // More around midday.
    atMs: start + Math.floor(((random() + random()) / 2) * length),
    referrer: random() < 0.3 ? 0 : referrer(),
    place: place(),
    agent: agent(),
  });
}

async function writeValues(database: Database, seen_day: number): Promise<Ids> {
  let last = 0;
  const ids: Ids = byDimension(() => new Map());
  const rows: { id: number; dimension: number; value: string; seen_day: number }[] = [];
  const add = (name: Dimension, values: readonly string[]) => {
    for (const value of new Set([...values, OTHER])) {
      ids[name].set(value, ++last);
      rows.push({ id: last, dimension: DIMENSIONS[name], value, seen_day });
    }
  };
  add("source", referrers);
  add("place", placeValues);
  add("agent", agentValues);
  await database.dialect.insertMany(database.write, "click_values", rows);
  await database.dialect.insertMany(
    database.write,
    "user_agents",
    agentTexts.map((text, at) => ({
      id: at + 1,
      hash: new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32),
      text,
      value_id: ids.agent.get(agentValues[at]!)!,
      seen_day,
    })),
  );
  return ids;
}

type Day = { day: number; drawn: readonly Drawn[]; ids: Ids; withHours: boolean };

async function writeDay(database: Database, { day, drawn, ids, withHours }: Day): Promise<void> {
  const rollup = createDayRollup(UTC);
  for (const { linkId, atMs, referrer, place, agent } of drawn) {
    const values = {
      source: referrers[referrer]!,
      place: placeValues[place]!,
      agent: agentValues[agent]!,
    };
    rollup.add({ linkId, atMs, isAutomated: isAutomated(agent), values });
  }
  const added = rollup.finish();
  await database.transaction(
    async (tx) => {
      await database.dialect.insertMany(tx, "click_log", drawn.map(logRow));
      await database.dialect.insertMany(
        tx,
        "click_days",
        added.days.map(({ linkId, ...sum }) => ({ day, link_id: linkId, ...sum })),
      );
      await database.dialect.insertMany(tx, "click_dim_days", dimRows(day, added, ids));
      if (!withHours) return;
      await database.dialect.insertMany(
        tx,
        "click_hours",
        added.hours.map(({ hour, linkId, ...sum }) => ({ hour, link_id: linkId, ...sum })),
      );
      await database.dialect.insertMany(
        tx,
        "click_dim_hours",
        added.dimHours.map(({ hour, dimension, value, ...sum }) => ({
          hour,
          dimension: DIMENSIONS[dimension],
          value_id: ids[dimension].get(value)!,
          ...sum,
        })),
      );
    },
    { long: true },
  );
}

const logRow = ({ linkId, atMs, referrer, place, agent }: Drawn) => ({
  link_id: linkId,
  clicked_at: atMs,
  referrer: referrer === 0 ? null : `https://${referrers[referrer]}/some/page?id=${atMs % 997}`,
  source: sources[referrer]!,
  ip_address: `198.51.${linkId % 256}.${atMs % 256}`,
  ...places[place]!,
  user_agent_id: agent + 1,
  automated: isAutomated(agent) ? 1 : 0,
  referrer_host: referrer === 0 ? null : referrers[referrer]!,
  utm_campaign: atMs % 3 === 0 ? `campaign ${linkId % CAMPAIGNS}` : null,
  language: LANGUAGES[atMs % 5]!,
  channel: CHANNELS[atMs % 3]!,
});

/** In key order, as a flush writes them. */
function dimRows(day: number, { dimDays }: DayRollup, ids: Ids) {
  const rows = dimDays.map(({ linkId, dimension, value, ...sum }) => ({
    day,
    link_id: linkId,
    dimension: DIMENSIONS[dimension],
    value_id: ids[dimension].get(value)!,
    ...sum,
  }));
  return rows.sort((a, b) => a.link_id - b.link_id || a.dimension - b.dimension || a.value_id - b.value_id);
}

async function writeMonths(database: Database): Promise<void> {
  const first = await database.read
    .selectFrom("click_days")
    .select("day")
    .orderBy("day")
    .limit(1)
    .executeTakeFirst();
  const last = await database.read
    .selectFrom("click_days")
    .select("day")
    .orderBy("day", "desc")
    .limit(1)
    .executeTakeFirst();
  for (let month = monthOfDay(first!.day); month <= monthOfDay(last!.day); month++) {
    const from = Date.UTC(1970, month, 1) / DAY_MS;
    const to = Date.UTC(1970, month + 1, 1) / DAY_MS;
    await database.slow
      .insertInto("click_months")
      .columns(["month", "link_id", "clicks", "automated"])
      .expression((eb) =>
        eb
          .selectFrom("click_days")
          .select((e) => [
            e.lit(month).as("month"),
            "link_id",
            e.fn.sum<number>("clicks").as("clicks"),
            e.fn.sum<number>("automated").as("automated"),
          ])
          .where("day", ">=", from)
          .where("day", "<", to)
          .groupBy("link_id"),
      )
      .execute();
    await database.slow
      .insertInto("click_dim_months")
      .columns(["month", "link_id", "dimension", "value_id", "clicks", "automated"])
      .expression((eb) =>
        eb
          .selectFrom("click_dim_days")
          .select((e) => [
            e.lit(month).as("month"),
            "link_id",
            "dimension",
            "value_id",
            e.fn.sum<number>("clicks").as("clicks"),
            e.fn.sum<number>("automated").as("automated"),
          ])
          .where("day", ">=", from)
          .where("day", "<", to)
          .where("link_id", "=", 0)
          .groupBy(["link_id", "dimension", "value_id"]),
      )
      .execute();
  }
}
