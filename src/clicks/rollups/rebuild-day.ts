import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { RowFields } from "../../platform/db/schema.ts";
import { createClickValues } from "./values.repository.ts";
import {
  type AgentProfile,
  agentValue,
  type Dimension,
  DIMENSION_NAMES,
  DIMENSIONS,
  labelOfSource,
  OTHER,
  placeValue,
  byDimension,
  LINK_DAY_VALUES,
  TOTAL_VALUES,
} from "./dimensions.ts";
import { type RawClick, createRawRepository, createRebuildRepository } from "./rebuild.repository.ts";
import { type ClickSum, NO_CLICKS } from "../../lib/visitors.ts";
import { addTo, raiseTo, TOTAL, increase } from "./sums.ts";
import type { Calendar } from "./calendar.ts";
import { type Span, sequence } from "./time-buckets.ts";

export type RawDay = {
  day: number;
  calendar: Calendar;
  rollup: DayRollup;
  /** The day's user agents by id, parsed now. */
  agents: ReadonlyMap<number, Profile>;
};

type Profile = { value: string } & Pick<RowFields<"user_agents">, "valueId" | "seenDay">;

export type WrittenValues = {
  /** Counts that were too low. */
  raised: number;
  /** Links with rewritten values, and links with missing raw rows. */
  rewritten: number;
  kept: number;
};

type DayRebuildDeps = {
  database: Database;
  describeAgent(userAgent: string): AgentProfile;
  /** The click log has all details of the days, whatever their values say. */
  trustsLog: boolean;
};

export function createDayRebuild({ database, describeAgent, trustsLog }: DayRebuildDeps) {
  const rollups = createRebuildRepository(database);
  const raw = createRawRepository(database);
  const { writeValues, writeHourValues, writeAgents } = createValueWriter(database, trustsLog);

  async function loadAgents(agents: Map<number, Profile>, page: readonly RawClick[]) {
    const ids = new Set(page.map((click) => click.userAgentId).filter((id) => id !== null));
    const unknown = [...ids].filter((id) => !agents.has(id));
    if (unknown.length === 0) return;
    for (const { id, text, profile, ...agent } of await raw.userAgents(unknown)) {
      const described = text === "" ? profile : null;
      agents.set(id, { ...agent, value: described ?? agentValue(describeAgent(text)) });
    }
  }

  return {
    async add(db: Db, day: number, calendar: Calendar): Promise<RawDay> {
      const rollup = createDayRollup(calendar);
      const agents = new Map<number, Profile>();
      for await (const page of raw.clicks(db, spanOf(calendar, day))) {
        await loadAgents(agents, page);
        for (const click of page)
          rollup.add({
            linkId: click.linkId,
            atMs: click.clickedAt,
            isAutomated: click.automated === 1,
            values: valuesOf(click, agents),
          });
      }
      return { day, calendar, rollup: rollup.finish(), agents };
    },

    /** Whether the raw rows are unchanged. */
    isCurrent: async (tx: Db, { day, calendar, rollup }: RawDay): Promise<boolean> =>
      isSame(await raw.sumClicks(tx, spanOf(calendar, day)), rollup),

    /** `hours` are those that retention keeps. */
    async writeLinks(
      tx: Db,
      read: RawDay,
      links: readonly number[],
      hours: readonly number[],
    ): Promise<WrittenValues> {
      const { day, rollup } = read;
      const chosen = new Set(links);
      const isKept = new Set(hours);
      const hourly = rollup.hours.filter(({ linkId, hour }) => chosen.has(linkId) && isKept.has(hour));
      const known = await rollups.hourCounts(tx, hours, links);
      const knownHours = new Map(known.map(({ hour, linkId, ...sum }) => [`${hour} ${linkId}`, sum]));
      const changed = hourly.flatMap(({ hour, linkId, ...found }) => {
        const had = knownHours.get(`${hour} ${linkId}`) ?? NO_CLICKS;
        const sum = raiseTo(had, found);
        knownHours.set(`${hour} ${linkId}`, sum);
        return isSame(sum, had) ? [] : [{ hour, link_id: linkId, ...sum }];
      });
      await rollups.setHours(tx, changed);
      const ofHours = new Map<number, ClickSum>();
      for (const [key, { clicks, automated }] of knownHours)
        addTo(ofHours, Number(key.split(" ")[1]), clicks, automated);
      const hadDays = await rollups.dayCounts(tx, day, links);
      const days = rollup.days.flatMap(({ linkId, ...found }) => {
        const had = hadDays.get(linkId) ?? NO_CLICKS;
        const sum = raiseTo(raiseTo(had, found), ofHours.get(linkId) ?? NO_CLICKS);
        return !chosen.has(linkId) || isSame(sum, had) ? [] : [{ day, link_id: linkId, ...sum }];
      });
      await rollups.setDays(tx, days);
      const shares = await writeValues(tx, read, links);
      return { raised: changed.length + days.length, ...shares };
    },

    /** Writes the counts of all links together, the values by hour and the profiles. */
    async writeTotals(tx: Db, read: RawDay, hours: readonly number[]): Promise<WrittenValues> {
      const { day } = read;
      const sums = await rollups.hourSums(tx, hours);
      const known = await rollups.hourCounts(tx, hours, [TOTAL]);
      const totals = new Map<number, ClickSum>(known.map((row) => [row.hour, row]));
      const changed = [...sums].flatMap(([hour, found]) => {
        const had = totals.get(hour) ?? NO_CLICKS;
        const sum = raiseTo(had, found);
        totals.set(hour, sum);
        return isSame(sum, had) ? [] : [{ hour, link_id: TOTAL, ...sum }];
      });
      await rollups.setHours(tx, changed);
      const ofHours = { ...NO_CLICKS };
      for (const found of totals.values()) increase(ofHours, found);
      const had = (await rollups.dayCounts(tx, day, [TOTAL])).get(TOTAL) ?? NO_CLICKS;
      const sum = raiseTo(raiseTo(had, ofHours), await rollups.daySum(tx, day));
      const isChanged = !isSame(sum, had);
      if (isChanged) await rollups.setDays(tx, [{ day, link_id: TOTAL, ...sum }]);
      await writeHourValues(tx, read, hours);
      await writeAgents(tx, read);
      const shares = await writeValues(tx, read, [TOTAL]);
      return { raised: changed.length + (isChanged ? 1 : 0), ...shares };
    },
  };
}

function createValueWriter(database: Database, trustsLog: boolean) {
  const rollups = createRebuildRepository(database);
  const values = createClickValues(database);

  /** Adds new ones. */
  async function internAll(tx: Db, rows: readonly ValueCount[], day: number) {
    const ids = {} as Record<Dimension, Map<string, number>>;
    for (const dimension of DIMENSION_NAMES) {
      const texts = new Set(rows.filter((row) => row.dimension === dimension).map((row) => row.value));
      ids[dimension] = await values.intern(tx, dimension, [...texts], day);
    }
    return ({ dimension, value, clicks, automated }: ValueCount) => ({
      dimension: DIMENSIONS[dimension],
      value_id: ids[dimension].get(value)!,
      clicks,
      automated,
    });
  }

  /** `links` (0: the total) have complete raw rows. */
  async function writeValues(tx: Db, { day, rollup }: RawDay, links: readonly number[]) {
    const chosen = new Set(links);
    const found = new Map(rollup.days.map(({ linkId, clicks }) => [linkId, clicks]));
    const recorded = await rollups.detailCounts(tx, day, links);
    const complete = new Set(
      links.filter((link) => trustsLog || (found.get(link) ?? 0) >= (recorded.get(link) ?? 0)),
    );
    const rows = rollup.dimDays.filter(({ linkId }) => chosen.has(linkId) && complete.has(linkId));
    const stored = await internAll(tx, rows, day);
    await rollups.replaceDayValues(
      tx,
      day,
      [...complete],
      rows.map((row) => ({ day, link_id: row.linkId, ...stored(row) })),
    );
    return { rewritten: complete.size, kept: links.length - complete.size };
  }

  async function writeHourValues(tx: Db, { day, rollup }: RawDay, hours: readonly number[]) {
    const found = sumBy(
      rollup.dimHours.filter((row) => row.dimension === "source"),
      (row) => row.hour,
    );
    const recorded = await rollups.hourDetailCounts(tx, hours);
    const complete = hours.filter((hour) => (found.get(hour) ?? 0) >= (recorded.get(hour) ?? 0));
    const rows = rollup.dimHours.filter(({ hour }) => complete.includes(hour));
    const stored = await internAll(tx, rows, day);
    await rollups.replaceHourValues(
      tx,
      complete,
      rows.map((row) => ({ hour: row.hour, ...stored(row) })),
    );
  }

  /** Profiles live as long as their user agents, which may have been seen later. */
  async function writeAgents(tx: Db, { agents }: RawDay): Promise<void> {
    const texts = new Set<string>();
    let seenDay = 0;
    for (const agent of agents.values()) {
      texts.add(agent.value);
      seenDay = Math.max(seenDay, agent.seenDay);
    }
    const ids = await values.intern(tx, "agent", [...texts], seenDay);
    const changed = [...agents]
      .map(([id, { value, valueId }]) => ({ id, value_id: ids.get(value)!, valueId }))
      .filter((agent) => agent.value_id !== agent.valueId);
    await rollups.setProfiles(
      tx,
      changed.map(({ id, value_id }) => ({ id, value_id })),
    );
  }

  return { writeValues, writeHourValues, writeAgents };
}

const isSame = (one: ClickSum, other: ClickSum): boolean =>
  one.clicks === other.clicks && one.automated === other.automated;

const spanOf = ({ day }: Calendar, number: number): Span => ({
  from: day.startOf(number),
  to: day.startOf(number + 1),
});

function valuesOf(
  { source, country, city, userAgentId, ...click }: RawClick,
  agents: ReadonlyMap<number, { value: string }>,
): Record<Dimension, string | null> {
  return {
    ...click,
    source: labelOfSource(source, click.utm_source),
    place: country === null ? null : placeValue({ country, city }),
    agent: userAgentId === null ? null : (agents.get(userAgentId)?.value ?? OTHER),
  };
}

/** The hours of a day from `firstHour` on. */
export const hoursOf = ({ hour, day }: Calendar, number: number, firstHour: number): number[] =>
  sequence(Math.max(hour.of(day.startOf(number)), firstHour), hour.of(day.startOf(number + 1)));

function sumBy<R extends { clicks: number }>(
  rows: readonly R[],
  keyOf: (row: R) => number,
): Map<number, number> {
  const sums = new Map<number, number>();
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + row.clicks);
  return sums;
}

/** Values as in dimensions.ts, null or absent for none. */
export type DetailedClick = {
  linkId: number;
  atMs: number;
  isAutomated: boolean;
  values: Partial<Record<Dimension, string | null>>;
};

type ValueCount = ClickSum & { dimension: Dimension; value: string };

export type DayRollup = {
  /** All links together. */
  clicks: number;
  automated: number;
  /** Link 0 is all links together. */
  days: (ClickSum & { linkId: number })[];
  hours: (ClickSum & { hour: number; linkId: number })[];
  dimDays: ({ linkId: number } & ValueCount)[];
  /** All links together. */
  dimHours: ({ hour: number } & ValueCount)[];
};

type Counts = Map<string, ClickSum>;
/** Per dimension, then per hour or link. */
type Tally = Record<Dimension, Map<number, Counts>>;

const newTally = (): Tally => byDimension(() => new Map());

/**
 * Adds up one day like the rollup tables, for rebuilds and tests of the flush. Beyond the bounds of
 * dimensions.ts the most frequent values stay (ties by text); in a flush the first ones do.
 */
export function createDayRollup(calendar: Calendar): {
  add(click: DetailedClick): void;
  finish(): DayRollup;
} {
  const all: ClickSum = { clicks: 0, automated: 0 };
  const links = new Map<number, ClickSum>();
  const hours = new Map<number, Map<number, ClickSum>>();
  const byLink = newTally();
  const byHour = newTally();

  return {
    add({ linkId, atMs, isAutomated, values }) {
      const hour = calendar.hour.of(atMs);
      const automated = isAutomated ? 1 : 0;
      all.clicks++;
      all.automated += automated;
      addTo(links, linkId, 1, automated);
      addTo(within(hours, hour), linkId, 1, automated);
      for (const dimension of DIMENSION_NAMES) {
        const value = values[dimension];
        if (value === null || value === undefined) continue;
        addTo(within(byLink[dimension], linkId), value, 1, automated);
        addTo(within(byLink[dimension], 0), value, 1, automated);
        addTo(within(byHour[dimension], hour), value, 1, automated);
      }
    },
    finish: () => ({
      ...all,
      days: [...links, ...(all.clicks > 0 ? [[0, all] as const] : [])].map(([linkId, sum]) => ({
        linkId,
        ...sum,
      })),
      hours: [...hours].flatMap(([hour, counts]) => hourRows(hour, counts)),
      dimDays: DIMENSION_NAMES.flatMap((dimension) =>
        [...byLink[dimension]].flatMap(([linkId, counts]) =>
          bounded(counts, linkId === 0 ? TOTAL_VALUES : LINK_DAY_VALUES).map(([value, sum]) => ({
            linkId,
            dimension,
            value,
            ...sum,
          })),
        ),
      ),
      dimHours: DIMENSION_NAMES.flatMap((dimension) =>
        [...byHour[dimension]].flatMap(([hour, counts]) =>
          bounded(counts, TOTAL_VALUES).map(([value, sum]) => ({ hour, dimension, value, ...sum })),
        ),
      ),
    }),
  };
}

function hourRows(hour: number, counts: ReadonlyMap<number, ClickSum>): DayRollup["hours"] {
  const total: ClickSum = { clicks: 0, automated: 0 };
  const rows: DayRollup["hours"] = [];
  for (const [linkId, sum] of counts) {
    rows.push({ hour, linkId, ...sum });
    increase(total, sum);
  }
  rows.push({ hour, linkId: 0, ...total });
  return rows;
}

/** At most `bound` values besides OTHER. */
function bounded(counts: Counts, bound: number): [string, ClickSum][] {
  const entries = [...counts];
  const isOver = counts.size - (counts.has(OTHER) ? 1 : 0) > bound;
  if (!isOver) return entries;
  const named = entries.filter(([value]) => value !== OTHER);
  named.sort(([a, m], [b, n]) => n.clicks - m.clicks || (a < b ? -1 : 1));
  const rest = { ...(counts.get(OTHER) ?? { clicks: 0, automated: 0 }) };
  for (const [, sum] of named.splice(bound)) {
    increase(rest, sum);
  }
  return [...named, [OTHER, rest]];
}

const within = <V>(outer: Map<number, Map<V, ClickSum>>, key: number): Map<V, ClickSum> =>
  outer.getOrInsertComputed(key, () => new Map());
