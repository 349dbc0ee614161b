/**
 * Clicks with details by value, from the rollups and, for spans, from raw rows. Only all links together have
 * hours, and months of other values than campaigns.
 */
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { asciiLower } from "../../lib/ascii-lower.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { type ClickSum, clickSumOf, type Visitors } from "../../lib/visitors.ts";
import type { LinkSet } from "../../links/list/link-set.repository.ts";
import {
  clicksOf,
  isSummed,
  rawRows,
  rawSums,
  type SelectedClicks,
  type Selection,
} from "./click-columns.repository.ts";
import type { SetDays } from "./set-days.repository.ts";
import { TOTAL } from "../rollups/sums.ts";
import { SUM_UNITS, type SumParts } from "./range.ts";
import { detailedClicksOf } from "../rollups/values.repository.ts";
import { COLUMN_OF, type Dimension, DIMENSIONS, isColumnDimension, OTHER } from "../rollups/dimensions.ts";
import type { Span } from "../rollups/time-buckets.ts";

export type ValueShare = {
  /** Most clicks of the visitors first, ties by text. */
  values: ({ value: string } & ClickSum)[];
  /** Their clicks with any value. */
  total: number;
  visitors: Visitors;
};

/** `kept`: days of the whole selection, beside those of its links. */
export type ValueParts = SumParts & { kept?: SetDays };

type ValueCounts = SelectQueryBuilder<Schema, never, { value_id: number } & ClickSum>;
/** A query for rows of ValueCounts. */
type Part = object;

export type ValueRepository = ReturnType<typeof createValueRepository>;

/** Undefined: any. */
type AgentParts = { browser?: string | undefined; os?: string | undefined; device?: string | undefined };
const MOST_AGENTS = 10_000;

/** The id for raw rows whose value is not in the dictionary. */
const NO_VALUE = 0;

export function createValueRepository({ read }: Database) {
  const partsOf = createValueParts(read);

  return {
    ...createValueFacts(read),

    /** Clicks with details. */
    async dayTotal(links: LinkSet | null, day: number): Promise<number> {
      const { clicks } = await read
        .selectFrom("click_dim_days")
        .select((eb) => eb.fn.sum<number | null>("clicks").as("clicks"))
        .where("day", "=", day)
        .where(isSummed(links) as never)
        .where("dimension", "=", DIMENSIONS.source)
        .executeTakeFirstOrThrow();
      return Number(clicks ?? 0);
    },

    hourTotals: (hours: readonly number[]): Promise<Map<number, number>> => detailedClicksOf(read, hours),

    /** Agents that may have these parts. */
    agents({ browser, os, device }: AgentParts): Promise<{ id: number; value: string }[]> {
      const pattern = [browser, os, device].map((part) =>
        part === undefined ? "%" : likeText(asciiLower(part)),
      );
      return read
        .selectFrom("click_values")
        .select(["id", "value"])
        .where("dimension", "=", DIMENSIONS.agent)
        .where(sql<boolean>`lower(value) like ${`${pattern.join("\t")}\t%`} escape '!'`)
        .limit(MOST_AGENTS)
        .execute();
    },

    /** Clicks of these visitors with any value of the dimension. */
    async total(
      dimension: Dimension,
      { visitors, ...selected }: Selection,
      cut: ValueParts,
    ): Promise<number> {
      const all = union(partsOf(dimension, selected, cut));
      if (all === null) return 0;
      const { clicks } = await read
        .selectFrom(all.as("part"))
        .select(sql<number | null>`sum(${clicksOf(visitors)})`.as("clicks"))
        .executeTakeFirstOrThrow();
      return Number(clicks ?? 0);
    },

    /** The most frequent values; limit ≤ 2,000. */
    async share(
      dimension: Dimension,
      { visitors, ...selected }: Selection,
      cut: ValueParts,
      limit: number,
    ): Promise<ValueShare> {
      const all = union(partsOf(dimension, selected, cut));
      if (all === null) return { values: [], total: 0, visitors };
      const sums = read
        .selectFrom(all.as("part"))
        .select((eb) => [
          "part.value_id",
          eb.fn.sum<number>("part.clicks").as("clicks"),
          eb.fn.sum<number>("part.automated").as("automated"),
        ])
        .groupBy("part.value_id");
      const rows = await read
        .selectFrom(sums.as("sums"))
        .leftJoin("click_values", "click_values.id", "sums.value_id")
        .select((eb) => [
          eb.fn.coalesce("click_values.value", eb.val(OTHER)).as("value"),
          "sums.clicks",
          "sums.automated",
          sql<number>`sum(${clicksOf(visitors)}) over ()`.as("total"),
        ])
        .$if(visitors !== "all", (query) => query.where(sql<boolean>`${clicksOf(visitors)} > 0`))
        .orderBy(clicksOf(visitors), "desc")
        .orderBy("value")
        .limit(limit)
        .execute();
      return {
        values: rows.map(({ value, ...sum }) => ({ value, ...clickSumOf(sum) })),
        total: Number(rows[0]?.total ?? 0),
        visitors,
      };
    },
  };
}

function createValueFacts(read: Db) {
  return {
    /** Days of a range that have any details. */
    async detailedDays({ from, to }: Span): Promise<Set<number>> {
      const rows = await read
        .selectFrom("click_dim_days")
        .select("day")
        .distinct()
        .where("day", ">=", from)
        .where("day", "<", to)
        .where("link_id", "=", TOTAL)
        .where("dimension", "=", DIMENSIONS.source)
        .execute();
      return new Set(rows.map(({ day }) => day));
    },

    /** The oldest month with sums of values. */
    async oldestMonth(): Promise<number | null> {
      const oldest = read.selectFrom("click_dim_months").select("month").orderBy("month").limit(1);
      return (await oldest.executeTakeFirst())?.month ?? null;
    },

    /** Months of a range that have any details. */
    async detailedMonths({ from, to }: Span): Promise<Set<number>> {
      const rows = await read
        .selectFrom("click_dim_months")
        .select("month")
        .distinct()
        .where("month", ">=", from)
        .where("month", "<", to)
        .where("link_id", "=", TOTAL)
        .where("dimension", "=", DIMENSIONS.source)
        .execute();
      return new Set(rows.map(({ month }) => month));
    },

    /** The oldest day with sums of values. */
    async oldestDay(): Promise<number | null> {
      const oldest = read.selectFrom("click_dim_days").select("day").orderBy("day").limit(1);
      return (await oldest.executeTakeFirst())?.day ?? null;
    },

    /** Those of the days on which values of the dimension were too many: not all of them were counted one by one. */
    async foldedDays(
      dimension: Dimension,
      links: LinkSet | null,
      days: readonly number[],
    ): Promise<number[]> {
      if (days.length === 0) return [];
      const other = read
        .selectFrom("click_values")
        .select("id")
        .where("dimension", "=", DIMENSIONS[dimension])
        .where("value", "=", OTHER);
      const rows = await read
        .selectFrom("click_dim_days")
        .select("day")
        .distinct()
        .where("day", "in", days)
        .where(isSummed(links) as never)
        .where("dimension", "=", DIMENSIONS[dimension])
        .where("value_id", "in", other)
        .execute();
      return rows.map(({ day }) => day);
    },

    /** Values of a dimension, at most MOST_AGENTS. `like`: patterns with `%`. */
    async among(
      dimension: Dimension,
      { texts, like = [] }: { texts: readonly string[]; like?: readonly string[] },
    ): Promise<{ id: number; value: string }[]> {
      return read
        .selectFrom("click_values")
        .select(["id", "value"])
        .where("dimension", "=", DIMENSIONS[dimension])
        .where((eb) =>
          eb.or([
            ...(texts.length > 0 ? [eb("value", "in", texts)] : []),
            ...like.map((pattern) => sql<boolean>`value like ${pattern} escape '!'`),
          ]),
        )
        .limit(MOST_AGENTS)
        .execute();
    },
  };
}

function createValueParts(read: Db) {
  const partsOf = (dimension: Dimension, selected: SelectedClicks, cut: ValueParts): ValueCounts[] => {
    const used = SUM_UNITS.filter((unit) => cut[`${unit}s`].length > 0);
    const found = used.map((unit): Part => {
      const rows = read
        .selectFrom(`click_dim_${unit}s` as "click_dim_days")
        .select(["value_id", "clicks", "automated"])
        .where(unit as "day", "in", cut[`${unit}s`])
        .where("dimension", "=", DIMENSIONS[dimension]);
      return unit === "hour" ? rows : rows.where(isSummed(selected.links) as never);
    });
    const { set, days } = cut.kept ?? { set: 0, days: [] };
    if (days.length > 0)
      found.push(
        read
          .selectFrom("click_set_values")
          .select(["value_id", "clicks", "automated"])
          .where("set_id", "=", set)
          .where("dimension", "=", DIMENSIONS[dimension])
          .where("day", "in", days),
      );
    for (const span of cut.spans) found.push(rawCountsOf(dimension, selected, span));
    return found as unknown as ValueCounts[];
  };

  /** Adds the id of the value that `text` finds. */
  const lookedUp = <G extends string>(
    dimension: Dimension,
    groups: SelectQueryBuilder<Schema, "click_log", Record<G | "clicks" | "automated", unknown>>,
    text: RawBuilder<string>,
  ) =>
    read
      .selectFrom(groups.as("raw"))
      .leftJoin("click_values as named", (join) =>
        join.on("named.dimension", "=", DIMENSIONS[dimension]).on("named.value", "=", text),
      )
      .leftJoin("click_values as other", (join) =>
        join.on("other.dimension", "=", DIMENSIONS[dimension]).on("other.value", "=", OTHER),
      )
      .select((eb) => [
        eb.fn.coalesce("named.id", "other.id", eb.lit(NO_VALUE)).as("value_id"),
        eb.ref("raw.clicks" as never).as("clicks"),
        eb.ref("raw.automated" as never).as("automated"),
      ]);

  const rawCountsOf = (dimension: Dimension, selected: SelectedClicks, span: Span): Part => {
    const rows = rawRows(read, selected, span).select(rawSums);
    if (isColumnDimension(dimension)) {
      const column = COLUMN_OF[dimension];
      const groups = rows.where(column, "is not", null).select(column).groupBy(column);
      return lookedUp(dimension, groups, sql<string>`${sql.ref(`raw.${column}`)}`);
    }
    if (dimension === "source") {
      const sources = rows.select(["source", "utm_source"]).groupBy(["source", "utm_source"]);
      return lookedUp("source", sources, LABEL_OF_SOURCE);
    }
    if (dimension === "place") {
      const places = rows.where("country", "is not", null).select(["country", "city"]);
      return lookedUp("place", places.groupBy(["country", "city"]), PLACE_VALUE);
    }
    const agents = rows
      .where("user_agent_id", "is not", null)
      .select("user_agent_id")
      .groupBy("user_agent_id");
    return read
      .selectFrom(agents.as("raw"))
      .leftJoin("user_agents", "user_agents.id", "raw.user_agent_id")
      .select((eb) => [
        eb.fn.coalesce("user_agents.value_id", eb.lit(NO_VALUE)).as("value_id"),
        "raw.clicks",
        "raw.automated",
      ]);
  };

  return partsOf;
}

/** For patterns of `like … escape '!'`. */
export const likeText = (text: string): string => text.replaceAll(/[!%_]/g, "!$&");

/** labelOfSource in SQL. */
const LABEL_OF_SOURCE = sql<string>`case when raw.source = raw.utm_source then raw.source
  when raw.source = 'direct' then '(direct)'
  when substr(raw.source, 1, 4) = 'ref:' then substr(raw.source, 5) else raw.source end`;

/** placeValue in SQL. */
const PLACE_VALUE = sql<string>`case when raw.city is null then raw.country
  else concat(raw.country, '/', raw.city) end`;

function union(parts: readonly ValueCounts[]): ValueCounts | null {
  const [first, ...others] = parts;
  if (first === undefined) return null;
  return others.reduce((query, part) => query.unionAll(part), first);
}
