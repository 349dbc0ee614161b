/**
 * Links, tags, domains and accounts by the clicks of their links, most clicks first. Two queries count half of the links
 * each, at once.
 */
import { type RawBuilder, type SelectQueryBuilder, sql, type ExpressionBuilder } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { TEAM_MARK } from "../../lib/owner.ts";
import { prefixOfKey } from "../../links/link/query.repository.ts";
import { type ClickSum, clickSumOf, countOf, NO_CLICKS, plus, type Visitors } from "../../lib/visitors.ts";
import {
  clicksOf,
  type Selection,
  isAmong,
  rawRows,
  sumRows,
  type Summed,
  summedOf,
} from "./click-columns.repository.ts";
import { type SumParts, SUM_UNITS } from "./range.ts";
import { TOTAL } from "../rollups/sums.ts";

export type RankingRepository = ReturnType<typeof createClickRanking>;

type Ranked = ({ value: string } & ClickSum)[];

type RankedTags = { ranked: Ranked } & ({ rest: ClickSum } | { rest: null; covered: ClickSum });

type Groups = SelectQueryBuilder<Schema, never, { value: string } & ClickSum>;
type LinkCounts = SelectQueryBuilder<Schema, never, { link_id: number } & ClickSum>;
type Owned = SelectQueryBuilder<Schema, never, { owner: number | null } & ClickSum>;

/** Links up to an id, or the others, for two queries at once. */
type LinkHalf = { side: "lower" | "upper"; middle: number };

/** The bound on groups of a half. More are counted as a whole. */
const MOST_GROUPS = 5_000;
/** No tag is empty. */
const UNTAGGED = "";

export function createClickRanking(database: Database) {
  const { read, dialect } = database;

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
      dialect.joinMany(read, (db) => rank(db, groupsOf(half), count, visitors));
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
    ...createRowDetails(database),

    /** Keys, which have the clicks of every link that has or had them; limit ≤ 1,000. */
    links: (cut: SumParts, limit: number, selection: Selection) =>
      ranked(createGroups(database, cut, selection).keys(sql<string>`code`), cut, limit, selection, true),

    /** Prefixes of keys. */
    domains: (cut: SumParts, limit: number, selection: Selection) =>
      ranked(createGroups(database, cut, selection).keys(prefixOfKey), cut, limit, selection),

    /** Names of accounts. Nobody owns links of commands and imports, nor those of accounts that were deleted. */
    owners: (cut: SumParts, limit: number, selection: Selection, adminName: string) =>
      ranked(createGroups(database, cut, selection).owners(adminName), cut, limit, selection),

    /** `rest`: the clicks of links that have none of these tags, or null; then `covered` are those of the others. */
    async tags(cut: SumParts, limit: number, selection: Selection): Promise<RankedTags> {
      const groups = createGroups(database, cut, selection);
      const found = await ranked(groups.tags, cut, limit + 1, selection);
      const tags = found.filter(({ value }) => value !== UNTAGGED).slice(0, limit);
      if (found.length <= limit) {
        return { ranked: tags, rest: found.find(({ value }) => value === UNTAGGED) ?? NO_CLICKS };
      }
      const shown = tags.map(({ value }) => value);
      const both = await halves(cut, selection, false);
      const sums = both?.map((half) => dialect.joinMany(read, (db) => groups.tagged(db, shown, half)));
      const covered = await Promise.all(sums ?? [groups.tagged(read, shown, null)]);
      return { ranked: tags, rest: null, covered: covered.reduce(plus) };
    },
  };
}

function createRowDetails(database: Database) {
  const { read } = database;
  return {
    /** Titles by the keys of at most 1,000 rows. A key may have come to a link that the selection does not have. */
    async titles(
      rows: readonly { value: string }[],
      { links }: Selection,
    ): Promise<ReadonlyMap<string, string>> {
      if (rows.length === 0) return new Map();
      const keys = rows.map(({ value }) => value);
      const titled = read
        .selectFrom("links")
        .select(["code", "title"])
        .where("code", "in", keys)
        .$if(links !== null, (query) => query.where(isAmong(links!, "links.id") as never));
      return new Map((await titled.execute()).flatMap(({ code, title }) => (title ? [[code, title]] : [])));
    },

    /** The visitors of these values, by link and day. */
    async visitors(
      by: "link" | "tag" | "domain" | "owner",
      values: readonly string[],
      days: readonly number[],
      { selection, adminName }: { selection: Selection; adminName: string },
    ): Promise<ReadonlyMap<string, ClickSum>> {
      const cut = { months: [], days: [...days], hours: [], spans: [] };
      const groups = createGroups(database, cut, { ...selection, of: "visitors" });
      const groupsOf = {
        link: groups.keys(sql<string>`code`),
        domain: groups.keys(prefixOfKey),
        owner: groups.owners(adminName),
        tag: groups.tags,
      }[by];
      const found = groupsOf(null);
      if (found === null || values.length === 0) return new Map();
      const rows = await read
        .selectFrom((found as Groups).as("sums"))
        .select(["value", "clicks", "automated"])
        .where("value", "in", values)
        .execute();
      return new Map(rows.map(({ value, ...sum }) => [value, clickSumOf(sum)]));
    },
  };
}

/** `of`: instead of clicks. */
type Counted = Selection & { of?: Summed };

/** A query for rows of value, clicks and automated, of all links or a half of them; null if nothing is counted. */
type GroupsOf = (half: LinkHalf | null) => object | null;

/** The queries that group the clicks of a selection. Those of linkCounts have several rows for a link. */
function createGroups({ read, dialect }: Database, cut: SumParts, selection: Counted) {
  const { links, details, of = summedOf(selection) } = selection;
  const sums = [dialect.sum("clicks").as("clicks"), dialect.sum("automated").as("automated")] as const;

  function linkCounts(half: LinkHalf | null): LinkCounts | null {
    const chosen = links === null ? sql<boolean>`link_id > ${sql.lit(TOTAL)}` : isAmong(links);
    const isOwn = (eb: ExpressionBuilder<Schema, "click_days">) => {
      const isChosen = typeof chosen === "function" ? chosen(eb) : chosen;
      if (half === null) return isChosen;
      return eb.and([isChosen, eb("link_id", half.side === "lower" ? "<=" : ">", half.middle)]);
    };
    const columns = ["link_id", "clicks", "automated"] as const;
    const used = SUM_UNITS.filter((unit) => cut[`${unit}s`].length > 0);
    const parts: object[] = used.map((unit) =>
      sumRows(read, unit, cut[`${unit}s`], of)
        .where(isOwn as never)
        .select(columns),
    );
    for (const span of cut.spans) {
      const rows = rawRows(read, { links: null, details }, span).where(isOwn as never);
      const ofLinks = rows.select("link_id").groupBy("link_id");
      const all = ofLinks.select((eb) => eb.fn.countAll<number>().as("clicks"));
      parts.push(all.select(dialect.sum("automated").as("automated")));
    }
    const [first, ...others] = parts as LinkCounts[];
    return first === undefined ? null : others.reduce((query, part) => query.unionAll(part), first);
  }

  const linkSums = (half: LinkHalf | null) => {
    const all = linkCounts(half);
    return (
      all &&
      read
        .selectFrom(all.as("part"))
        .select(["link_id", ...sums])
        .groupBy("link_id")
    );
  };

  /** Links and deleted ones that have left a name. */
  const namedSums = (half: LinkHalf | null) => {
    const ofLinks = linkSums(half);
    return (
      ofLinks &&
      read
        .selectFrom(ofLinks.as("sums"))
        .leftJoin("links", "links.id", "sums.link_id")
        .leftJoin("deleted_links as deleted", "deleted.link_id", "sums.link_id")
        .select((eb) => [
          eb.fn.coalesce("links.code", "deleted.code").as("code"),
          eb.fn.coalesce("links.owner_id", "deleted.owner_id").as("owner"),
          "sums.clicks",
          "sums.automated",
        ])
    );
  };

  return {
    keys:
      (value: RawBuilder<string>): GroupsOf =>
      (half) => {
        const found = namedSums(half);
        if (found === null) return null;
        const named = read
          .selectFrom(found.as("named"))
          .select([value.as("value"), "clicks", "automated"])
          .where("code", "is not", null);
        return read
          .selectFrom(named.as("named"))
          .select(["value", ...sums])
          .groupBy("value");
      },

    owners:
      (adminName: string): GroupsOf =>
      (half) => {
        const found = namedSums(half);
        if (found === null) return null;
        const owned = read
          .selectFrom(found.as("named"))
          .select(["owner", ...sums])
          .where("owner", "is not", null)
          .groupBy("owner");
        return ownerNames(read, owned, adminName);
      },

    tags: ((half) => {
      const found = linkSums(half);
      if (found === null) return null;
      const groups = read
        .selectFrom(found.as("sums"))
        .leftJoin("link_tags", "link_tags.link_id", "sums.link_id")
        .select(["tag_id", ...sums])
        .groupBy("tag_id");
      return read
        .selectFrom(groups.as("groups"))
        .leftJoin("tags", "tags.id", "groups.tag_id")
        .select((eb) => eb.fn.coalesce("tags.tag", eb.val(UNTAGGED)).as("value"))
        .select(["groups.clicks", "groups.automated"]);
    }) satisfies GroupsOf,

    /** Counts the clicks of links with one of the tags. */
    async tagged(db: Db, tags: readonly string[], half: LinkHalf | null): Promise<ClickSum> {
      const all = linkCounts(half);
      if (all === null) return NO_CLICKS;
      const shown = read
        .selectFrom("link_tags")
        .innerJoin("tags", "tags.id", "link_tags.tag_id")
        .where("tags.tag", "in", tags)
        .select("link_tags.link_id");
      const isShown = sql<boolean>`${dialect.scanned("link_id")} in ${shown}`;
      return clickSumOf(
        await db.selectFrom(all.as("part")).select(sums).where(isShown).executeTakeFirstOrThrow(),
      );
    },
  };
}

/** Names accounts and teams; nobody owns links whose account was deleted. */
const ownerNames = (read: Db, owned: Owned, adminName: string) =>
  read
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
