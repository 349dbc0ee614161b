/** Data that positions.ts keeps in memory: ids of conditions, and the ends of segments. */
import type { Database } from "../../db/database.ts";
import { createSweeper, type Sweeper } from "../../lib/sweeper.ts";
import { createTagging } from "../tags/tagging.repository.ts";
import type { LinkFilter } from "./filter.ts";
import { rangesBetween, rangesOfRanks } from "./following.repository.ts";
import { matching } from "./matching.repository.ts";
import type { LinkOrder, SortKey } from "./order.ts";
import { createOrderedKeys, type Slice } from "./ordered-keys.repository.ts";
import type { ListPlace } from "./place.ts";

export type Placed = {
  id: number;
  code: string;
  createdAt: number;
  expiresAt: number | null;
  ranked: number;
  ownerId: number | null;
  tags: readonly string[];
};

/** `gone`: ids of the latest deletions. `isComplete`: they explain every code without a link. */
export type Changed = { links: readonly Placed[]; gone: readonly number[]; isComplete: boolean };

/** `last`: null if no more follow. */
export type OrderPart = { ids: number[]; last: ListPlace | null };

export type PositionsRepository = ReturnType<typeof createPositionsRepository>;

type Joined = { executeTakeFirstOrThrow(): Promise<{ ids: string | null }> };

/** Deletions read beyond the reported codes: some are reported with others. */
const MORE_GONE = 200;

/** Less than Dialect.joinTexts takes, for ids of any length. */
export const IDS_AT_ONCE = 50_000;
/** Texts of ids leave several times their length as garbage. */
const SWEPT_CHARACTERS = 512 * 1024;
/** In one text. */
const MOST_SEARCHED = 500_000;

export function createPositionsRepository(
  { read, dialect }: Pick<Database, "read" | "dialect">,
  sweeper: Sweeper = createSweeper(SWEPT_CHARACTERS),
) {
  const pageKeys = createOrderedKeys(read, dialect);
  const { tagsOf } = createTagging(dialect);
  const joined = dialect.joinTexts("links.id").as("ids");

  function idsIn(text: string | null): number[] {
    if (text === null) return [];
    sweeper.worked(text.length);
    return numbersIn(text);
  }

  /** Ascending, after `from`, up to and with `to`. */
  async function idsBetween(filter: LinkFilter, sort: SortKey, from: ListPlace | null, to: ListPlace | null) {
    const links = read.selectFrom("links").select(joined).where(matching(dialect, filter));
    const ids: number[] = [];
    const add = async (query: Joined): Promise<void> => {
      ids.push(...idsIn((await query.executeTakeFirstOrThrow()).ids));
    };
    if (sort === "click_count") {
      for (const range of rangesOfRanks(from, to)) {
        await add(range(ranks()).select(dialect.joinTexts("link_clicks.link_id").as("ids")));
      }
      return ids;
    }
    if (sort === "code") {
      await add(
        links
          .$if(from !== null, (query) => query.where("links.code", ">", String(from!.tie)))
          .$if(to !== null, (query) => query.where("links.code", "<=", String(to!.tie))),
      );
      return ids;
    }
    const isDated = from === null || from.value !== null;
    const last = to !== null && to.value !== null ? to : null;
    if (isDated) {
      for (const range of rangesBetween(sort, from, last)) {
        await add(
          links.where(range).$if(sort === "expires_at", (dated) => dated.where("expires_at", "is not", null)),
        );
      }
    }
    if (sort === "created_at" || last !== null || filter.state === "expired") return ids;
    await add(
      links
        .where("links.expires_at", "is", null)
        .$if(!isDated, (query) => query.where("links.id", ">", Number(from!.tie)))
        .$if(to !== null, (query) => query.where("links.id", "<=", Number(to!.tie))),
    );
    return ids;
  }

  /** At most 50,000 ids. */
  async function idsOfTagWithin(tag: string, from: number, to: number): Promise<number[]> {
    const { ids } = await read
      .selectFrom("link_tags")
      .select(dialect.joinTexts("link_id").as("ids"))
      .where("tag_id", "=", (id) => id.selectFrom("tags").select("tags.id").where("tags.tag", "=", tag))
      .where((eb) => eb.between("link_id", from, to))
      .executeTakeFirstOrThrow();
    return idsIn(ids);
  }

  const ranks = () => read.selectFrom("link_clicks");

  /** The place `size` links further; null if there are fewer. */
  async function rankAfter(from: ListPlace | null, size: number): Promise<ListPlace | null> {
    let left = size;
    for (const range of rangesOfRanks(from, null)) {
      const row = await range(ranks())
        .select(["ranked as value", "link_id as tie"])
        .orderBy("ranked")
        .orderBy("link_id")
        .offset(left - 1)
        .limit(1)
        .executeTakeFirst();
      if (row !== undefined) return row;
      const counted = range(ranks()).select((eb) => eb.fn.countAll<number>().as("n"));
      left -= Number((await counted.executeTakeFirstOrThrow()).n);
    }
    return null;
  }

  /** Of at most 1,000 codes or ids. */
  async function placed<K extends "id" | "code">(key: K, values: readonly Placed[K][]): Promise<Placed[]> {
    const rows = await read
      .selectFrom("links")
      .leftJoin("link_clicks", "link_clicks.link_id", "links.id")
      .select([
        "links.id",
        "links.code",
        "links.created_at as createdAt",
        "links.expires_at as expiresAt",
        "links.owner_id as ownerId",
      ])
      .select((eb) => eb.fn.coalesce("link_clicks.ranked", eb.lit(0)).as("ranked"))
      .where(`links.${key}`, "in", values as never)
      .execute();
    const tags = await tagsOf(
      read,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({ ...row, tags: tags.get(row.id) ?? [] }));
  }

  /** Each link's id if it matches (with `others`, if it does not), else null. */
  const tested = (search: string, others: boolean, hints: { likely?: boolean } = {}) =>
    read.selectFrom("links").select((eb) => {
      const id = eb.ref("links.id");
      const test = eb.case().when(dialect.linkContains(search, hints));
      return (others ? test.then(eb.lit(null)).else(id) : test.then(id).else(eb.lit(null))).end().as("id");
    });

  return {
    placed,

    /** What happened to at most 1,000 codes. */
    async changesOf(codes: readonly string[]): Promise<Changed> {
      const gone = await read
        .selectFrom("deleted_links")
        .select(["link_id", "code"])
        .orderBy("deleted_at", "desc")
        .orderBy("link_id", "desc")
        .limit(codes.length + MORE_GONE)
        .execute();
      const links = await placed("code", codes);
      const explained = new Set([...links, ...gone].map(({ code }) => code));
      return {
        links,
        gone: gone.map((row) => row.link_id),
        isComplete: codes.every((code) => explained.has(code)),
      };
    },

    /** Every match in portions of `size` ≤ 50,000, ascending. An order by clicks takes no filter. */
    async *parts(filter: LinkFilter, sort: SortKey, size = IDS_AT_ONCE): AsyncGenerator<OrderPart> {
      const order: LinkOrder = { sort, descending: false };
      for (let from: ListPlace | null = null; ; ) {
        const place: Slice = { order, offset: size - 1, limit: 1, after: from };
        const last: ListPlace | null =
          sort === "click_count"
            ? await rankAfter(from, size)
            : ((await pageKeys(filter, place, "walk")).places[0] ?? null);
        yield { ids: await idsBetween(filter, sort, from, last), last };
        if (last === null) return;
        from = last;
      }
    },

    /** Portions of the ids of a tag's links; two are read at once. */
    async *idsOfTag(tag: string, all: { from: number; to: number }): AsyncGenerator<number[]> {
      const portion = (from: number, to: number): Promise<number[]> => idsOfTagWithin(tag, from, to);
      for (let from = all.from; from <= all.to; from += 2 * IDS_AT_ONCE) {
        const middle = from + IDS_AT_ONCE;
        const portions = [portion(from, middle - 1)];
        if (middle <= all.to) portions.push(portion(middle, middle + IDS_AT_ONCE - 1));
        yield* await Promise.all(portions);
      }
    },

    /** Ids of expired links, and up to which instant. Null if there are more than a portion. */
    async expiredBetween(after: number, upTo: number): Promise<number[] | null> {
      const portion = read
        .selectFrom("links")
        .select("id")
        .where("expires_at", ">", after)
        .where("expires_at", "<=", upTo)
        .limit(IDS_AT_ONCE + 1);
      const found = await read
        .selectFrom(portion.as("portion"))
        .select(dialect.joinTexts("id").as("ids"))
        .executeTakeFirstOrThrow();
      const ids = idsIn(found.ids);
      return ids.length > IDS_AT_ONCE ? null : ids;
    },

    /**
     * Ids of all matches, or of the other links, for a server that spreads one scan over its cores. Null for more than
     * half a million.
     */
    async idsOfSearch(search: string, others: boolean): Promise<number[] | null> {
      const all = others
        ? tested(search, true, { likely: true })
        : tested(search, false).where(dialect.linkContains(search));
      const some = read
        .selectFrom(all.as("tested"))
        .select("id")
        .where("id", "is not", null)
        .limit(MOST_SEARCHED + 1);
      const found = await read
        .selectFrom(some.as("found"))
        .select(dialect.joinTexts("id").as("ids"))
        .executeTakeFirstOrThrow();
      const ids = idsIn(found.ids);
      return ids.length > MOST_SEARCHED ? null : ids;
    },

    /** Among at most 50,000 ids. `others`: the links that do not match. `links`: how many exist. */
    async searchedWithin(search: string, { from, to }: { from: number; to: number }, others: boolean) {
      const { ids, links } = await read
        .selectFrom(
          tested(search, others)
            .where((eb) => eb.between("links.id", from, to))
            .as("tested"),
        )
        .select((eb) => [dialect.joinTexts("id").as("ids"), eb.fn.countAll<number>().as("links")])
        .executeTakeFirstOrThrow();
      return { ids: idsIn(ids), links: Number(links) };
    },

    /** At most 50,000. */
    async idsWithin({ from, to }: { from: number; to: number }): Promise<number[]> {
      const found = await read
        .selectFrom("links")
        .select(joined)
        .where((eb) => eb.between("links.id", from, to))
        .executeTakeFirstOrThrow();
      return idsIn(found.ids);
    },

    /** Which of at most 1,000 ids. */
    async matchingAmong(filter: LinkFilter, ids: readonly number[]): Promise<Set<number>> {
      if (ids.length === 0) return new Set();
      const rows = await read
        .selectFrom("links")
        .select("links.id")
        .where("links.id", "in", ids)
        .where(matching(dialect, filter))
        .execute();
      return new Set(rows.map(({ id }) => id));
    },

    sharesScans: dialect.sharesScans,
  };
}

function numbersIn(text: string): number[] {
  const ids: number[] = [];
  let id = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char !== 32) {
      id = id * 10 + char - 48;
      continue;
    }
    ids.push(id);
    id = 0;
  }
  ids.push(id);
  return ids;
}
