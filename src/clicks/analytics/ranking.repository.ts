/**
 * Links, tags, domains and accounts by the clicks of their links, most clicks first. Two queries count half of the links
 * each, at once.
 */
import { type RawBuilder, type SelectQueryBuilder, sql, type ExpressionBuilder } from "kysely";
import type { Queries } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { TEAM_MARK } from "../../lib/owner.ts";
import { prefixOfKey } from "../../links/link/query.repository.ts";
import { type ClickSum, clickSumOf, countOf, NO_CLICKS, plus, type Visitors } from "../../lib/visitors.ts";
import { clicksOf, type Selection, isAmong, rawRows, sumRows } from "./click-columns.repository.ts";
import { type SumParts, SUM_UNITS } from "./range.ts";
import { TOTAL } from "../rollups/sums.ts";

export type RankingRepository = ReturnType<typeof createClickRanking>;

type Ranked = ({ value: string } & ClickSum)[];

type RankedTags = { ranked: Ranked } & ({ rest: ClickSum } | { rest: null; covered: ClickSum });

type Groups = SelectQueryBuilder<Schema, never, { value: string } & ClickSum>;
type Reading = Pick<Queries, "read" | "dialect">;
type GroupsOf = (half: LinkHalf | null) => object | null;

/** The bound on groups of a half. More are counted as a whole. */
const MOST_GROUPS = 5_000;
/** No tag is empty. */
const UNTAGGED = "";

export function createClickRanking(reading: Reading) {
  const { read } = reading;

  async function rank(db: Db, groups: object | null, limit: number, visitors: Visitors): Promise<Ranked> {
    if (groups === null) return [];
    const rows = await db
      .selectFrom((groups as Groups).as("sums"))
      .select(["value", "clicks", "automated"])
      .$if(visitors !== "all", (query) => query.where(sql<boolean>`${clicksOf(visitors)} > 0`))
      .orderBy(clicksOf(visitors), "desc")
      .orderBy("value")
      .limit(limit)
      .execute();
    return rows.map(({ value, ...sum }) => ({ value, ...clickSumOf(sum) }));
  }

  /** Finds the middle link of a day or month of the range, as popular links may have neighbouring ids. */
  async function middleOf({ days, months }: SumParts): Promise<number> {
    const [day, month = 0] = [days[days.length >> 1], months[months.length >> 1]];
    const rows =
      day === undefined
        ? sql`select link_id from click_months where month = ${month}`
        : sql`select link_id from click_days where day = ${day}`;
    const counted = await sql<{ n: number }>`select count(*) as n from (${rows}) as counted`.execute(read);
    const half = Math.floor(Number(counted.rows[0]?.n ?? 0) / 2);
    const found = await sql<{ link_id: number }>`${rows} order by link_id limit 1 offset ${half}`.execute(
      read,
    );
    return Number(found.rows[0]?.link_id ?? 0);
  }

  /** Whether links of both halves have or had one key. */
  async function sharesKeys(middle: number): Promise<boolean> {
    const link = sql`select 1 from deleted_links as gone join links on links.code = gone.code
      where (gone.link_id <= ${middle}) <> (links.id <= ${middle})`;
    const gone = sql`select 1 from deleted_links as gone join deleted_links as later on later.code = gone.code
      where gone.link_id <= ${middle} and later.link_id > ${middle}`;
    const found = await sql`select 1 where exists (${link}) or exists (${gone})`.execute(read);
    return found.rows.length > 0;
  }

  /** One whole if links of both halves have a key; null if little is counted. */
  async function halves(
    cut: SumParts,
    { links, details }: Selection,
    areKeys: boolean,
  ): Promise<(LinkHalf | null)[] | null> {
    if (details !== null || (links !== null && "ids" in links)) return null;
    const middle = await middleOf(cut);
    if (areKeys && (await sharesKeys(middle))) return [null];
    return (["lower", "upper"] as const).map((side) => ({ side, middle }));
  }

  /** @param areKeys each is counted in one half */
  async function ranked(
    groupsOf: GroupsOf,
    cut: SumParts,
    limit: number,
    selection: Selection,
    areKeys = false,
  ): Promise<Ranked> {
    const { visitors } = selection;
    const both = await halves(cut, selection, areKeys);
    const most = areKeys ? limit : MOST_GROUPS + 1;
    const rankMany = (half: LinkHalf | null, count: number) =>
      reading.dialect.joinMany(read, (db) => rank(db, groupsOf(half), count, visitors));
    if (both === null) return rank(read, groupsOf(null), limit, visitors);
    const found = await Promise.all(both.map((half) => rankMany(half, most)));
    if (!areKeys && found.some(({ length }) => length === most)) return rankMany(null, limit);
    const sums = new Map<string, ClickSum>();
    for (const { value, ...sum } of found.flat()) sums.set(value, plus(sums.get(value) ?? NO_CLICKS, sum));
    return [...sums]
      .map(([value, sum]) => ({ value, ...sum }))
      .sort((a, b) => countOf(b, visitors) - countOf(a, visitors) || (a.value < b.value ? -1 : 1))
      .slice(0, limit);
  }

  return {
    /** Keys, which have the clicks of every link that has or had them; limit ≤ 1,000. */
    links: (cut: SumParts, limit: number, selection: Selection) =>
      ranked(keyGroups(reading, sql<string>`code`, cut, selection), cut, limit, selection, true),

    /** Prefixes of keys. */
    domains: (cut: SumParts, limit: number, selection: Selection) =>
      ranked(keyGroups(reading, prefixOfKey, cut, selection), cut, limit, selection),

    /** Names of accounts. Nobody owns links of commands and imports, nor those of accounts that were deleted. */
    owners: (cut: SumParts, limit: number, selection: Selection, adminName: string) =>
      ranked(ownerGroups(reading, cut, selection, adminName), cut, limit, selection),

    /** `rest`: the clicks of links that have none of these tags, or null; then `covered` are those of the others. */
    async tags(cut: SumParts, limit: number, selection: Selection): Promise<RankedTags> {
      const found = await ranked(tagGroups(reading, cut, selection), cut, limit + 1, selection);
      const tags = found.filter(({ value }) => value !== UNTAGGED).slice(0, limit);
      if (found.length <= limit) {
        return { ranked: tags, rest: found.find(({ value }) => value === UNTAGGED) ?? NO_CLICKS };
      }
      const shown = tags.map(({ value }) => value);
      const both = await halves(cut, selection, false);
      const sums = both?.map((half) =>
        reading.dialect.joinMany(read, (db) => tagged({ ...reading, read: db }, cut, selection, shown, half)),
      );
      const covered = await Promise.all(sums ?? [tagged(reading, cut, selection, shown, null)]);
      return { ranked: tags, rest: null, covered: covered.reduce(plus) };
    },
  };
}

const keyGroups =
  (reading: Reading, value: RawBuilder<string>, cut: SumParts, selection: Selection): GroupsOf =>
  (half) => {
    const sums = namedSums(reading, cut, selection, half);
    if (sums === null) return null;
    const named = reading.read
      .selectFrom(sums.as("named"))
      .select([value.as("value"), "clicks", "automated"])
      .where("code", "is not", null);
    return reading.read
      .selectFrom(named.as("named"))
      .select([
        "value",
        reading.dialect.sum("clicks").as("clicks"),
        reading.dialect.sum("automated").as("automated"),
      ])
      .groupBy("value");
  };

const ownerGroups =
  (reading: Reading, cut: SumParts, selection: Selection, adminName: string): GroupsOf =>
  (half) => {
    const sums = namedSums(reading, cut, selection, half);
    if (sums === null) return null;
    const owned = reading.read
      .selectFrom(sums.as("named"))
      .select([
        "owner",
        reading.dialect.sum("clicks").as("clicks"),
        reading.dialect.sum("automated").as("automated"),
      ])
      .where("owner", "is not", null)
      .groupBy("owner");
    return reading.read
      .selectFrom(owned.as("owned"))
      .leftJoin("users", "users.id", "owned.owner")
      .leftJoin("teams", (join) => join.on("teams.id", "=", sql<number>`-1 - owned.owner`))
      .select((eb) => [
        eb
          .case()
          .when("owner", "=", 0)
          .then(adminName)
          .when("owner", "<", 0)
          .then(eb.fn<string>("concat", [sql.lit(TEAM_MARK), "teams.name"]))
          .else(eb.ref("username"))
          .end()
          .as("value"),
        "clicks",
        "automated",
      ])
      .where((eb) =>
        eb.or([eb("owner", "=", 0), eb("username", "is not", null), eb("teams.name", "is not", null)]),
      );
  };

const tagGroups =
  (reading: Reading, cut: SumParts, selection: Selection): GroupsOf =>
  (half) => {
    const sums = linkSums(reading, cut, selection, half);
    if (sums === null) return null;
    const groups = reading.read
      .selectFrom(sums.as("sums"))
      .leftJoin("link_tags", "link_tags.link_id", "sums.link_id")
      .select([
        "tag_id",
        reading.dialect.sum("clicks").as("clicks"),
        reading.dialect.sum("automated").as("automated"),
      ])
      .groupBy("tag_id");
    return reading.read
      .selectFrom(groups.as("groups"))
      .leftJoin("tags", "tags.id", "groups.tag_id")
      .select((eb) => [
        eb.fn.coalesce("tags.tag", eb.val(UNTAGGED)).as("value"),
        "groups.clicks",
        "groups.automated",
      ]);
  };

/** Counts the clicks of links with one of the tags. */
async function tagged(
  reading: Reading,
  cut: SumParts,
  selection: Selection,
  tags: readonly string[],
  half: LinkHalf | null,
): Promise<ClickSum> {
  const all = linkCounts(reading, cut, selection, half);
  if (all === null) return NO_CLICKS;
  const shown = reading.read
    .selectFrom("link_tags")
    .innerJoin("tags", "tags.id", "link_tags.tag_id")
    .where("tags.tag", "in", tags)
    .select("link_tags.link_id");
  const sum = await reading.read
    .selectFrom(all.as("part"))
    .select([reading.dialect.sum("clicks").as("clicks"), reading.dialect.sum("automated").as("automated")])
    .where(sql<boolean>`${reading.dialect.scanned("link_id")} in ${shown}`)
    .executeTakeFirstOrThrow();
  return clickSumOf(sum);
}

type LinkCounts = SelectQueryBuilder<Schema, never, { link_id: number } & ClickSum>;

/** Links up to an id, or the others, for two queries at once. */
type LinkHalf = { side: "lower" | "upper"; middle: number };

/** Several rows for a link. */
function linkCounts(
  { read, dialect }: Reading,
  cut: SumParts,
  { links, details }: Selection,
  half: LinkHalf | null,
) {
  const chosen = links === null ? sql<boolean>`link_id > ${sql.lit(TOTAL)}` : isAmong(links);
  const isOwn = (eb: ExpressionBuilder<Schema, "click_days">) => {
    const isChosen = typeof chosen === "function" ? chosen(eb) : chosen;
    if (half === null) return isChosen;
    return eb.and([isChosen, eb("link_id", half.side === "lower" ? "<=" : ">", half.middle)]);
  };
  const columns = ["link_id", "clicks", "automated"] as const;
  const used = SUM_UNITS.filter((unit) => cut[`${unit}s`].length > 0);
  const parts: object[] = used.map((unit) =>
    sumRows(read, unit, cut[`${unit}s`])
      .where(isOwn as never)
      .select(columns),
  );
  for (const span of cut.spans) {
    const rows = rawRows(read, { links: null, details }, span).where(isOwn as never);
    const sums = rows.select("link_id").groupBy("link_id");
    const all = sums.select((eb) => eb.fn.countAll<number>().as("clicks"));
    parts.push(all.select(dialect.sum("automated").as("automated")));
  }
  const [first, ...others] = parts as LinkCounts[];
  if (first === undefined) return null;
  return others.reduce((query, part) => query.unionAll(part), first);
}

/** One row for each link. */
function linkSums(reading: Reading, cut: SumParts, selection: Selection, half: LinkHalf | null) {
  const all = linkCounts(reading, cut, selection, half);
  if (all === null) return null;
  const { read, dialect } = reading;
  return read
    .selectFrom(all.as("part"))
    .select([
      "part.link_id",
      dialect.sum("part.clicks").as("clicks"),
      dialect.sum("part.automated").as("automated"),
    ])
    .groupBy("part.link_id");
}

/** Links and deleted ones that have left a name. */
function namedSums(reading: Reading, cut: SumParts, selection: Selection, half: LinkHalf | null) {
  const sums = linkSums(reading, cut, selection, half);
  return (
    sums &&
    reading.read
      .selectFrom(sums.as("sums"))
      .leftJoin("links", "links.id", "sums.link_id")
      .leftJoin("deleted_links as deleted", "deleted.link_id", "sums.link_id")
      .select((eb) => [
        eb.fn.coalesce("links.code", "deleted.code").as("code"),
        eb.fn.coalesce("links.owner_id", "deleted.owner_id").as("owner"),
        "sums.clicks",
        "sums.automated",
      ])
  );
}
