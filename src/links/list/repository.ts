/** Queries find the ids or codes of a page, over narrow columns and indexes, then read its rows. */
import type { Database } from "../../platform/db/database.ts";
import type { Extent } from "../../platform/db/queries.ts";
import type { Db, Dialect } from "../../platform/db/dialect.ts";
import { oncePer, prepared } from "../../platform/db/prepared.ts";
import type { Link } from "../link/link.ts";
import { linksIn, readTotal, taggedLinksIn, withTags } from "../link/query.repository.ts";
import { tagsOf } from "../tags/tagging.repository.ts";
import type { LinkFilter } from "./filter.ts";
import { matching } from "./matching.repository.ts";
import { isByClicks, type LinkOrder } from "./query.ts";
import { countInOrder, createOrderedKeys, direction, type LinkKeys } from "./ordered-keys.repository.ts";
import type { Start } from "./plan.ts";
import { type CountBounds, createCounts, createStarts } from "./sizes.repository.ts";

export type LinkListRepository = ReturnType<typeof createLinkListRepository>;

const KEYS = ["links.id", "links.code"] as const;

/** Links by their ids or codes, in an order. */
const loadingBy = oncePer((dialect: Dialect) =>
  oncePer(
    ({ column, sort, descending }: { column: "id" | "code" } & LinkOrder) =>
      prepared((db, values: readonly (number | string)[]) => {
        const way = direction(descending);
        const links = taggedLinksIn(db, dialect).where(`links.${column}`, "in", values as never);
        if (sort === "code") return links.orderBy("links.code", way);
        if (sort === "created_at")
          return links.orderBy("links.created_at", way).orderBy("links.code", direction(!descending));
        if (isByClicks(sort)) return links.orderBy(countInOrder(sort), way).orderBy("links.id", way);
        return links
          .orderBy((eb) => eb.case().when("links.expires_at", "is", null).then(1).else(0).end(), way)
          .orderBy("links.expires_at", way)
          .orderBy("links.id", way);
      }),
    ({ column, sort, descending }) => `${column} ${sort} ${descending}`,
  ),
);

export type FoundKey = { id: number; code: string };

export function createLinkListRepository(database: Database, bounds: CountBounds = {}) {
  const { read, dialect } = database;

  const matches = (filter: LinkFilter, ...starts: Start[]) =>
    read.selectFrom("links").where(matching(dialect, filter, starts));

  const pageKeys = createOrderedKeys(read, dialect);

  return {
    total: (): Promise<number> => readTotal(read),
    starts: createStarts(database, bounds),
    ...createCounts(database, bounds),

    /** The first matches, by id; `limit` ≤ 1,001. */
    keysWithin: (filter: LinkFilter, { from, to }: Extent, limit: number): Promise<FoundKey[]> =>
      // The range first: a server tests equally expensive conditions in order.
      read
        .selectFrom("links")
        .where((eb) => eb.between("links.id", from, to))
        .where(matching(dialect, filter))
        .select(KEYS)
        .orderBy("links.id")
        .limit(limit)
        .execute(),

    /** The matches of at most 1,000 ids, by id. */
    keysAmong: (filter: LinkFilter, ids: readonly number[]): Promise<FoundKey[]> =>
      matches(filter, { ids }).select(KEYS).orderBy("links.id").execute(),

    /** The ids of at most 1,000 codes, in any order. */
    async idsOfCodes(codes: readonly string[]): Promise<number[]> {
      const rows = await read
        .selectFrom("links")
        .select("links.id")
        .where("links.code", "in", codes)
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Which of at most 1,000 codes still match. */
    async stillMatching(filter: LinkFilter, codes: readonly string[], db: Db): Promise<Set<string>> {
      const rows = await db
        .selectFrom("links")
        .select("links.code")
        .where("links.code", "in", codes)
        .where(matching(dialect, filter))
        .execute();
      return new Set(rows.map(({ code }) => code));
    },

    pageKeys,

    /** The links of at most 1,000 keys, in order. */
    async load(keys: LinkKeys, order: LinkOrder): Promise<Link[]> {
      const [column, values] = "ids" in keys ? (["id", keys.ids] as const) : (["code", keys.codes] as const);
      if (values.length === 0) return [];
      return (await loadingBy(dialect)({ column, ...order })(read, values)).map(withTags);
    },

    /** Matches by code after `after` (null: from the start); limit ≤ 1,000. Reads all links up to the last match. */
    async after(filter: LinkFilter, after: string | null, limit: number): Promise<Link[]> {
      const links = await linksIn(read)
        .where(matching(dialect, filter, ["domain"]))
        .$if(after !== null, (query) => query.where("links.code", ">", after!))
        .orderBy("links.code")
        .limit(limit)
        .execute();
      const ids = links.map(({ id }) => id);
      const tags = await tagsOf(read, ids);
      return links.map((link) => ({ ...link, tags: tags.get(link.id) ?? [] }));
    },
  };
}
