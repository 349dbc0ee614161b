/** Links, tags, domains and accounts by the clicks of their links, most clicks first. */
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Schema } from "../../db/schema.ts";
import { prefixOfKey } from "../../links/link/query.repository.ts";
import type { ClickSum } from "../../lib/visitors.ts";
import { clicksOf } from "./click-columns.repository.ts";
import { linkSums, namedSums } from "./link-sums.repository.ts";
import type { SumParts } from "./range.ts";
import type { Selection } from "./selection.ts";

export type RankingRepository = ReturnType<typeof createClickRanking>;

export type Ranked = ({ value: string } & ClickSum)[];

type Groups = SelectQueryBuilder<Schema, never, { value: string } & ClickSum>;

export function createClickRanking({ read }: Pick<Database, "read">) {
  async function rank(groups: Groups, limit: number, { visitors }: Selection): Promise<Ranked> {
    const rows = await read
      .selectFrom(groups.as("sums"))
      .select(["value", "clicks", "automated"])
      .$if(visitors !== "all", (query) => query.where(sql<boolean>`${clicksOf(visitors)} > 0`))
      .orderBy(clicksOf(visitors), "desc")
      .orderBy("value")
      .limit(limit)
      .execute();
    return rows.map(({ value, clicks, automated }) => ({
      value,
      clicks: Number(clicks),
      automated: Number(automated),
    }));
  }

  async function rankedBy(
    value: RawBuilder<string>,
    cut: SumParts,
    limit: number,
    selection: Selection,
  ): Promise<Ranked> {
    const sums = namedSums(read, cut, selection);
    if (sums === null) return [];
    const named = read
      .selectFrom(sums.as("named"))
      .select([value.as("value"), "clicks", "automated"])
      .where("code", "is not", null);
    const groups = read
      .selectFrom(named.as("named"))
      .select((eb) => [
        "value",
        eb.fn.sum<number>("clicks").as("clicks"),
        eb.fn.sum<number>("automated").as("automated"),
      ])
      .groupBy("value");
    return rank(groups as unknown as Groups, limit, selection);
  }

  return {
    /** Keys, which have the clicks of every link that has or had them; limit ≤ 1,000. */
    links: (cut: SumParts, limit: number, selection: Selection) => rankedBy(KEY, cut, limit, selection),
    /** Prefixes of keys. */
    domains: (cut: SumParts, limit: number, selection: Selection) =>
      rankedBy(prefixOfKey, cut, limit, selection),

    /** Names of accounts. Nobody owns links of commands and imports, nor those of accounts that were deleted. */
    async owners(cut: SumParts, limit: number, selection: Selection, adminName: string): Promise<Ranked> {
      const sums = namedSums(read, cut, selection);
      if (sums === null) return [];
      const owned = read
        .selectFrom(sums.as("named"))
        .select((eb) => [
          "owner",
          eb.fn.sum<number>("clicks").as("clicks"),
          eb.fn.sum<number>("automated").as("automated"),
        ])
        .where("owner", "is not", null)
        .groupBy("owner");
      const groups = read
        .selectFrom(owned.as("owned"))
        .leftJoin("users", "users.id", "owned.owner")
        .select((eb) => [
          eb.case().when("owner", "=", 0).then(adminName).else(eb.ref("username")).end().as("value"),
          "clicks",
          "automated",
        ])
        .where((eb) => eb.or([eb("owner", "=", 0), eb("username", "is not", null)]));
      return rank(groups as unknown as Groups, limit, selection);
    },

    /** `covered`: the clicks of links that have one of these tags. */
    async tags(
      cut: SumParts,
      limit: number,
      selection: Selection,
    ): Promise<{ ranked: Ranked; covered: ClickSum }> {
      const sums = linkSums(read, cut, selection);
      const none = { ranked: [], covered: { clicks: 0, automated: 0 } };
      if (sums === null) return none;
      const groups = read
        .selectFrom(sums.as("sums"))
        .innerJoin("link_tags", "link_tags.link_id", "sums.link_id")
        .select((eb) => [
          "tag_id",
          eb.fn.sum<number>("clicks").as("clicks"),
          eb.fn.sum<number>("automated").as("automated"),
        ])
        .groupBy("tag_id");
      const named = read
        .selectFrom(groups.as("groups"))
        .innerJoin("tags", "tags.id", "groups.tag_id")
        .select(["tags.tag as value", "groups.clicks", "groups.automated"]);
      const ranked = await rank(named as unknown as Groups, limit, selection);
      if (ranked.length === 0) return none;
      const shown = read
        .selectFrom("tags")
        .innerJoin("link_tags", "link_tags.tag_id", "tags.id")
        .where(
          "tags.tag",
          "in",
          ranked.map(({ value }) => value),
        )
        .select("link_tags.link_id");
      const covered = await read
        .selectFrom(sums.as("sums"))
        .select((eb) => [
          eb.fn.sum<number | null>("clicks").as("clicks"),
          eb.fn.sum<number | null>("automated").as("automated"),
        ])
        .where("link_id", "in", shown)
        .executeTakeFirstOrThrow();
      return {
        ranked,
        covered: { clicks: Number(covered.clicks ?? 0), automated: Number(covered.automated ?? 0) },
      };
    },
  };
}

const KEY = sql<string>`code`;
