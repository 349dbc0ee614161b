/**
 * Links, tags, domains and accounts by the clicks of their links, most clicks first. Where a server does not spread one
 * query over cores, two count half of the links each.
 */
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import type { Schema } from "../../db/schema.ts";
import { prefixOfKey } from "../../links/link/query.repository.ts";
import { type ClickSum, countOf, plus, type Visitors } from "../../lib/visitors.ts";
import { clicksOf } from "./click-columns.repository.ts";
import { type LinkHalf, linkSums, namedSums } from "./link-sums.repository.ts";
import type { SumParts } from "./range.ts";
import type { Selection } from "./selection.ts";

export type RankingRepository = ReturnType<typeof createClickRanking>;

export type Ranked = ({ value: string } & ClickSum)[];

type RankedTags = { ranked: Ranked } & ({ rest: ClickSum } | { rest: null; covered: ClickSum });

type Groups = SelectQueryBuilder<Schema, never, { value: string } & ClickSum>;
type GroupsOf = (half: LinkHalf | null) => object | null;

/** Of a half. More are counted as a whole. */
const MOST_GROUPS = 5_000;
/** No tag is empty. */
const UNTAGGED = "";
const NONE: ClickSum = { clicks: 0, automated: 0 };

export function createClickRanking({ read, dialect }: Pick<Database, "read" | "dialect">) {
  async function rank(groups: object | null, limit: number, visitors: Visitors): Promise<Ranked> {
    if (groups === null) return [];
    const rows = await read
      .selectFrom((groups as Groups).as("sums"))
      .select(["value", "clicks", "automated"])
      .$if(visitors !== "all", (query) => query.where(sql<boolean>`${clicksOf(visitors)} > 0`))
      .orderBy(clicksOf(visitors), "desc")
      .orderBy("value")
      .limit(limit)
      .execute();
    return rows.map(({ value, ...sum }) => ({ value, ...numbersOf(sum) }));
  }

  /** Null if a whole is cheaper. */
  async function halves({ links, details }: Selection): Promise<LinkHalf[] | null> {
    if (dialect.sharesScans || details !== null || (links !== null && "ids" in links)) return null;
    const last = await read
      .selectFrom("links")
      .select("id")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    const middle = Math.floor((last?.id ?? 0) / 2);
    return (["lower", "upper"] as const).map((side) => ({ side, middle }));
  }

  /** @param isLinks no value is in both halves */
  async function ranked(
    groupsOf: GroupsOf,
    limit: number,
    selection: Selection,
    isLinks = false,
  ): Promise<Ranked> {
    const { visitors } = selection;
    const both = await halves(selection);
    const most = isLinks ? limit : MOST_GROUPS + 1;
    const found = both && (await Promise.all(both.map((half) => rank(groupsOf(half), most, visitors))));
    if (found === null || (!isLinks && found.some(({ length }) => length === most))) {
      return rank(groupsOf(null), limit, visitors);
    }
    const sums = new Map<string, ClickSum>();
    for (const { value, ...sum } of found.flat()) sums.set(value, plus(sums.get(value) ?? NONE, sum));
    return [...sums]
      .map(([value, sum]) => ({ value, ...sum }))
      .sort((a, b) => countOf(b, visitors) - countOf(a, visitors) || (a.value < b.value ? -1 : 1))
      .slice(0, limit);
  }

  return {
    /** Keys, which have the clicks of every link that has or had them; limit ≤ 1,000. */
    links: (cut: SumParts, limit: number, selection: Selection) =>
      ranked(keyGroups(read, sql<string>`code`, cut, selection), limit, selection, true),

    /** Prefixes of keys. */
    domains: (cut: SumParts, limit: number, selection: Selection) =>
      ranked(keyGroups(read, prefixOfKey, cut, selection), limit, selection),

    /** Names of accounts. Nobody owns links of commands and imports, nor those of accounts that were deleted. */
    owners: (cut: SumParts, limit: number, selection: Selection, adminName: string) =>
      ranked(ownerGroups(read, cut, selection, adminName), limit, selection),

    /** `rest`: the clicks of links that have none of these tags, or null; then `covered` are those of the others. */
    async tags(cut: SumParts, limit: number, selection: Selection): Promise<RankedTags> {
      const found = await ranked(tagGroups(read, cut, selection), limit + 1, selection);
      const tags = found.filter(({ value }) => value !== UNTAGGED).slice(0, limit);
      if (found.length <= limit) {
        return { ranked: tags, rest: found.find(({ value }) => value === UNTAGGED) ?? NONE };
      }
      const shown = tags.map(({ value }) => value);
      return { ranked: tags, rest: null, covered: await tagged(read, cut, selection, shown) };
    },
  };
}

const keyGroups =
  (read: Db, value: RawBuilder<string>, cut: SumParts, selection: Selection): GroupsOf =>
  (half) => {
    const sums = namedSums(read, cut, selection, half);
    if (sums === null) return null;
    const named = read
      .selectFrom(sums.as("named"))
      .select([value.as("value"), "clicks", "automated"])
      .where("code", "is not", null);
    return read
      .selectFrom(named.as("named"))
      .select((eb) => [
        "value",
        eb.fn.sum<number>("clicks").as("clicks"),
        eb.fn.sum<number>("automated").as("automated"),
      ])
      .groupBy("value");
  };

const ownerGroups =
  (read: Db, cut: SumParts, selection: Selection, adminName: string): GroupsOf =>
  (half) => {
    const sums = namedSums(read, cut, selection, half);
    if (sums === null) return null;
    const owned = read
      .selectFrom(sums.as("named"))
      .select((eb) => [
        "owner",
        eb.fn.sum<number>("clicks").as("clicks"),
        eb.fn.sum<number>("automated").as("automated"),
      ])
      .where("owner", "is not", null)
      .groupBy("owner");
    return read
      .selectFrom(owned.as("owned"))
      .leftJoin("users", "users.id", "owned.owner")
      .select((eb) => [
        eb.case().when("owner", "=", 0).then(adminName).else(eb.ref("username")).end().as("value"),
        "clicks",
        "automated",
      ])
      .where((eb) => eb.or([eb("owner", "=", 0), eb("username", "is not", null)]));
  };

const tagGroups =
  (read: Db, cut: SumParts, selection: Selection): GroupsOf =>
  (half) => {
    const sums = linkSums(read, cut, selection, half);
    if (sums === null) return null;
    const groups = read
      .selectFrom(sums.as("sums"))
      .leftJoin("link_tags", "link_tags.link_id", "sums.link_id")
      .select((eb) => [
        "tag_id",
        eb.fn.sum<number>("clicks").as("clicks"),
        eb.fn.sum<number>("automated").as("automated"),
      ])
      .groupBy("tag_id");
    return read
      .selectFrom(groups.as("groups"))
      .leftJoin("tags", "tags.id", "groups.tag_id")
      .select((eb) => [
        eb.fn.coalesce("tags.tag", eb.val(UNTAGGED)).as("value"),
        "groups.clicks",
        "groups.automated",
      ]);
  };

/** Of links with one of the tags. */
async function tagged(
  read: Db,
  cut: SumParts,
  selection: Selection,
  tags: readonly string[],
): Promise<ClickSum> {
  const all = linkSums(read, cut, selection, null);
  if (all === null) return NONE;
  const shown = read
    .selectFrom("link_tags")
    .innerJoin("tags", "tags.id", "link_tags.tag_id")
    .where("tags.tag", "in", tags)
    .select("link_tags.link_id");
  const sum = await read
    .selectFrom(all.as("part"))
    .select((eb) => [
      eb.fn.sum<number | null>("clicks").as("clicks"),
      eb.fn.sum<number | null>("automated").as("automated"),
    ])
    .where("link_id", "in", shown)
    .executeTakeFirstOrThrow();
  return numbersOf(sum);
}

const numbersOf = ({ clicks, automated }: { clicks: number | null; automated: number | null }): ClickSum => ({
  clicks: Number(clicks ?? 0),
  automated: Number(automated ?? 0),
});
