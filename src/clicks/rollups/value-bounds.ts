/**
 * Bounds the values of a bucket (dimensions.ts): stored values stay, new ones enter while there is room, the rest goes
 * to OTHER. The month's lock makes the bounds hold for any number of processes. One count per group usually shows that
 * there is room.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { ClickSum } from "../../lib/visitors.ts";
import { type DetailSums, TOTAL, type ValueSums, type ValueIncrement, increase } from "./sums.ts";
import {
  byDimension,
  type Dimension,
  DIMENSION_NAMES,
  DIMENSIONS,
  LINK_DAY_VALUES,
  OTHER,
  TOTAL_VALUES,
  type Value,
} from "./dimensions.ts";
import type { BoundsRepository, GroupCount, GroupValue, ClickValues } from "./values.repository.ts";

/** Clicks by value of a bucket and link (0: all). */
type Group = { bucket: number; linkId: number; sums: ValueSums };
type Context = { tx: Db; ids: ValueLookup };
/** Queries of a table of rollups. */
type RollupQueries = {
  counts(groups: readonly Group[], except: readonly number[]): Promise<GroupCount[]>;
  existing(values: readonly GroupValue[]): Promise<GroupValue[]>;
};

const OTHERS: Record<Dimension, Value> = byDimension((dimension) => ({ dimension, text: OTHER }));

export type BoundedSums = { days: ValueIncrement[]; hours: ValueIncrement[] };

/** All returned values have ids. */
export async function boundSums(
  { days, hours }: DetailSums,
  repository: BoundsRepository,
  context: Context,
): Promise<BoundedSums> {
  const { tx, ids } = context;
  await ids.find(DIMENSION_NAMES.map((name) => OTHERS[name]));
  const ofDays = [...days].flatMap(([bucket, links]) =>
    [...links].map(([linkId, sums]): Group => ({ bucket, linkId, sums })),
  );
  const ofHours = [...hours].map(([bucket, sums]): Group => ({ bucket, linkId: TOTAL, sums }));
  const bounded = {
    days: await boundGroups(ofDays, context, {
      counts: (groups, except) => repository.dayCounts(tx, groups, except),
      existing: (values) => repository.existingDayValues(tx, values),
    }),
    hours: await boundGroups(ofHours, context, {
      counts: (groups, except) => repository.hourCounts(tx, groups, except),
      existing: (values) => repository.existingHourValues(tx, values),
    }),
  };
  await ids.intern(valuesOf([...bounded.days, ...bounded.hours]));
  return { days: rowsOf(bounded.days, ids), hours: rowsOf(bounded.hours, ids) };
}

async function boundGroups(
  groups: readonly Group[],
  { ids }: Context,
  queries: RollupQueries,
): Promise<Group[]> {
  const others = DIMENSION_NAMES.map((name) => ids.idOf(OTHERS[name])).filter((id) => id !== undefined);
  const stored = sumStored(await queries.counts(groups, others));
  const tight: Tight[] = [];
  for (const group of groups) {
    const held = stored.get(group.bucket)?.get(group.linkId) ?? NONE_STORED;
    // Usually there is room for all dimensions together.
    if (group.sums.size + held.all <= boundOf(group)) continue;
    const found = byDimension(() => 0);
    for (const { dimension, text } of group.sums.keys()) if (text !== OTHER) found[dimension]++;
    for (const dimension of DIMENSION_NAMES) {
      const room = boundOf(group) - held[dimension];
      if (found[dimension] > room) tight.push({ group, dimension, room });
    }
  }
  if (tight.length === 0) return [...groups];
  const existing = await readExisting(tight, ids, queries);
  const folded = new Map<Group, ValueSums>();
  for (const { group, dimension, room } of tight) {
    folded.set(
      group,
      fold(folded.get(group) ?? group.sums, dimension, room, (value) => {
        const id = ids.idOf(value);
        return id !== undefined && existing.has(`${group.bucket} ${group.linkId} ${id}`);
      }),
    );
  }
  return groups.map((group) => ({ ...group, sums: folded.get(group) ?? group.sums }));
}

const NAME_OF = Object.fromEntries(DIMENSION_NAMES.map((name) => [DIMENSIONS[name], name]));

/** The number of stored values of a bucket and link. */
type Stored = Record<Dimension | "all", number>;

const NONE_STORED: Stored = { ...byDimension(() => 0), all: 0 };

function sumStored(counts: readonly GroupCount[]): Map<number, Map<number, Stored>> {
  const buckets = new Map<number, Map<number, Stored>>();
  for (const { bucket, linkId, dimension, values } of counts) {
    const links = buckets.getOrInsertComputed(bucket, () => new Map<number, Stored>());
    const stored = links.getOrInsertComputed(linkId, () => ({ ...NONE_STORED }));
    stored[NAME_OF[dimension]!] = values;
    stored.all += values;
  }
  return buckets;
}

/** May exceed its bound. `room` is for values that are not stored. */
type Tight = { group: Group; dimension: Dimension; room: number };

/** As `bucket link id`. */
async function readExisting(
  tight: readonly Tight[],
  ids: ValueLookup,
  queries: RollupQueries,
): Promise<Set<string>> {
  await ids.find(new Set(tight.flatMap(({ group, dimension }) => named(group, dimension))));
  const candidates = tight.flatMap(({ group: { bucket, linkId, sums }, dimension }) =>
    named({ sums }, dimension).flatMap((value) => {
      const valueId = ids.idOf(value);
      return valueId === undefined ? [] : [{ bucket, linkId, dimension: DIMENSIONS[dimension], valueId }];
    }),
  );
  const rows = await queries.existing(candidates);
  return new Set(rows.map(({ bucket, linkId, valueId }) => `${bucket} ${linkId} ${valueId}`));
}

function fold(
  sums: ValueSums,
  dimension: Dimension,
  room: number,
  isStored: (value: Value) => boolean,
): ValueSums {
  const kept: ValueSums = new Map();
  let left = room;
  const rest: ClickSum = { clicks: 0, automated: 0 };
  for (const [value, sum] of sums) {
    const isFree = value.dimension !== dimension || (value.text !== OTHER && (isStored(value) || left-- > 0));
    if (isFree) kept.set(value, sum);
    else increase(rest, sum);
  }
  if (rest.clicks > 0) kept.set(OTHERS[dimension], rest);
  return kept;
}

/** Values of a dimension except OTHER. */
const named = ({ sums }: Pick<Group, "sums">, dimension: Dimension): Value[] =>
  [...sums.keys()].filter((value) => value.dimension === dimension && value.text !== OTHER);

const boundOf = ({ linkId }: Group): number => (linkId === TOTAL ? TOTAL_VALUES : LINK_DAY_VALUES);

function valuesOf(groups: readonly Group[]): Set<Value> {
  const values = new Set<Value>();
  for (const { sums } of groups) for (const value of sums.keys()) values.add(value);
  return values;
}

function rowsOf(groups: readonly Group[], ids: ValueLookup): ValueIncrement[] {
  return groups.flatMap(({ bucket, linkId, sums }) =>
    [...sums].map(([value, sum]) => ({
      bucket,
      linkId,
      dimension: DIMENSIONS[value.dimension],
      valueId: ids.idOf(value)!,
      ...sum,
    })),
  );
}

/** Within one transaction. */
type ValueLookup = {
  /** Looks up the ids of existing values. */
  find(values: Iterable<Value>): Promise<void>;
  /** Gives each value an id and marks it as seen. */
  intern(values: Iterable<Value>): Promise<void>;
  /** Undefined if it has none or was not looked up. */
  idOf(value: Value): number | undefined;
  /** Call it after the commit. */
  remember(): void;
};

type Known = { id: number; seenDay: number };

const REMEMBERED = 100_000;

/** Starts a transaction. `day` is the newest of its clicks. */
type ValueIds = (tx: Db, day: number) => ValueLookup;

/** Finds ids of values, and remembers them between flushes. */
export function createValueIds(values: ClickValues): ValueIds {
  const known = new Map<string, Known>();
  return (tx, day) => {
    const learned = new Map<string, Known>();
    const entryOf = (value: Value) => learned.get(keyOf(value)) ?? known.get(keyOf(value));
    const unknownOf = (some: Iterable<Value>, isKnown: (entry: Known | undefined) => boolean) => {
      const texts = new Map<Dimension, Set<string>>(DIMENSION_NAMES.map((name) => [name, new Set()]));
      for (const value of some) if (!isKnown(entryOf(value))) texts.get(value.dimension)!.add(value.text);
      return [...texts].filter(([, unknown]) => unknown.size > 0);
    };
    return {
      async find(some) {
        for (const [dimension, texts] of unknownOf(some, (entry) => entry !== undefined)) {
          const found = await values.find(tx, dimension, [...texts]);
          // The day of the value is unknown. Counting it marks it as seen.
          for (const [text, id] of found) learned.set(keyOf({ dimension, text }), { id, seenDay: -1 });
        }
      },
      async intern(some) {
        const isFresh = (entry: Known | undefined) => entry !== undefined && entry.seenDay >= day;
        for (const [dimension, texts] of unknownOf(some, isFresh)) {
          const ids = await values.intern(tx, dimension, [...texts], day);
          for (const [text, id] of ids) learned.set(keyOf({ dimension, text }), { id, seenDay: day });
        }
      },
      idOf: (value) => entryOf(value)?.id,
      remember() {
        if (known.size + learned.size > REMEMBERED) known.clear();
        for (const [key, entry] of learned) if (entry.seenDay >= 0) known.set(key, entry);
      },
    };
  };
}

const keyOf = ({ dimension, text }: Value): string => `${dimension} ${text}`;
