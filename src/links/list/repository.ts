/** Queries find the ids or codes of a page, over narrow columns and indexes, then read its rows. */
import { type SelectQueryBuilder, sql } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import type { Schema } from "../../db/schema.ts";
import { keysOf } from "../link/key.ts";
import type { Link } from "../link/link.ts";
import { linksIn, readingTotal, readTotal } from "../link/query.repository.ts";
import { createTagging } from "../tags/tagging.repository.ts";
import { EVERYTHING, isEverything, type LinkFilter } from "./filter.ts";
import { matching } from "./matching.repository.ts";
import type { LinkOrder } from "./order.ts";
import {
  counting,
  countRows,
  createOrderedKeys,
  direction,
  type LinkKeys,
} from "./ordered-keys.repository.ts";
import { COUNTED, type SizedStart, type Start } from "./plan.ts";

/** Inclusive. */
export type IdRange = { from: number; to: number };

export type LinkListRepository = ReturnType<typeof createLinkListRepository>;

/** Candidates of a search whose ids are kept. */
const FEW = 1_000;
const KEYS = ["links.id", "links.code"] as const;

export type Starts = { filter: LinkFilter; starts: readonly SizedStart[] };

export type FoundKey = { id: number; code: string };

type Links = SelectQueryBuilder<Schema, "links", object>;

export function createLinkListRepository(
  { read, dialect }: Pick<Database, "read" | "dialect">,
  { countedUpTo = COUNTED } = {},
) {
  const { tagsOf } = createTagging(dialect);
  async function tagged(links: readonly Omit<Link, "tags">[]): Promise<Link[]> {
    const tags = await tagsOf(
      read,
      links.map(({ id }) => id),
    );
    return links.map((link) => ({ ...link, tags: tags.get(link.id) ?? [] }));
  }

  const matches = (filter: LinkFilter, ...starts: Start[]) =>
    read.selectFrom("links").where(matching(dialect, filter, starts));

  const pageKeys = createOrderedKeys(read, dialect);

  async function sizesOf(tags: readonly string[]): Promise<Map<string, number>> {
    const found = await read.selectFrom("tags").select(["tag", "links"]).where("tag", "in", tags).execute();
    return new Map(found.map(({ tag, links }) => [tag, links]));
  }

  const upTo = (links: Links) =>
    read
      .selectFrom(
        links
          .select((eb) => eb.lit(1).as("one"))
          .limit(countedUpTo + 1)
          .as("some"),
      )
      .select((eb) => eb.fn.countAll<number>().as("n"));

  const sized = (start: Start, links: number): SizedStart => ({
    start,
    links: links > countedUpTo ? Number.POSITIVE_INFINITY : links,
  });

  /** Links within the range of an index. */
  async function startAt(start: Start, filter: Partial<LinkFilter>): Promise<SizedStart> {
    const counted = await upTo(matches({ ...EVERYTHING, ...filter }, start)).executeTakeFirstOrThrow();
    return sized(start, Number(counted.n));
  }

  /** Ids of few candidates. */
  async function startOfSearch(search: string): Promise<SizedStart> {
    const within = (most: number) => dialect.linkCandidates(search, most);
    const few = within(FEW + 1);
    const { rows } = few
      ? await sql<{ id: number }>`select id from ${few} as candidates`.execute(read)
      : {
          rows: await matches({ ...EVERYTHING, search })
            .select("links.id")
            .limit(FEW + 1)
            .execute(),
        };
    if (rows.length <= FEW) return { start: { ids: rows.map(({ id }) => id) }, links: rows.length };
    if (few === null) return { start: "scan", links: Number.POSITIVE_INFINITY };
    const counted = await sql<{ n: number }>`
      select count(*) as n from ${within(countedUpTo + 1)} as candidates`.execute(read);
    return sized("search", Number(counted.rows[0]!.n));
  }

  /** By the total of all links, if the domain or the others have few. */
  async function countDomain(domain: number): Promise<number> {
    const keys = keysOf(domain);
    const inside = read.selectFrom("links").where("code", ">=", keys.from).where("code", "<", keys.to);
    const sums = await read
      .selectNoFrom([
        readingTotal(read).as("all"),
        upTo(inside).as("own"),
        upTo(read.selectFrom("links").where("code", "<", keys.from)).as("before"),
        upTo(read.selectFrom("links").where("code", ">=", keys.to)).as("behind"),
      ])
      .executeTakeFirstOrThrow();
    const [own, before, behind] = [Number(sums.own), Number(sums.before), Number(sums.behind)];
    if (own <= countedUpTo) return own;
    if (before <= countedUpTo && behind <= countedUpTo) return Number(sums.all ?? 0) - before - behind;
    return countRows(inside);
  }

  /** Null without links. */
  async function extent(): Promise<IdRange | null> {
    const ends = await Promise.all(
      (["asc", "desc"] as const).map((way) =>
        read.selectFrom("links").select("id").orderBy("id", way).limit(1).executeTakeFirst(),
      ),
    );
    return ends[0] && ends[1] ? { from: ends[0].id, to: ends[1].id } : null;
  }

  /** In two queries at once, for the two readers of a file database. */
  async function countAll(filter: LinkFilter): Promise<number> {
    const all = dialect.sharesScans ? null : await extent();
    if (all === null) return countRows(matches(filter));
    const middle = Math.floor((all.from + all.to) / 2);
    const halves = [matches(filter).where("id", "<=", middle), matches(filter).where("id", ">", middle)];
    const [first, second] = await Promise.all(halves.map(countRows));
    return first! + second!;
  }

  return {
    total: (): Promise<number> => readTotal(read),

    /** With which a query of the filter may start, and the filter with its rarest tag first. */
    async starts(filter: LinkFilter): Promise<Starts> {
      const { ownerId, domain, createdAfter, createdBefore, state, asOf, search } = filter;
      const sizes = filter.tags.length === 0 ? new Map<string, number>() : await sizesOf(filter.tags);
      const sizeOf = (tag: string) => sizes.get(tag) ?? 0;
      const tags = filter.tags.toSorted((a, b) => sizeOf(a) - sizeOf(b));
      const hasSpan = createdAfter !== null || createdBefore !== null;
      const found = await Promise.all([
        tags.length === 0 ? null : sized("tag", sizeOf(tags[0]!)),
        ownerId === null ? null : startAt("owner", { ownerId }),
        domain === null ? null : startAt("domain", { domain }),
        hasSpan ? startAt("created", { createdAfter, createdBefore }) : null,
        state === "expired" ? startAt("expired", { state, asOf }) : null,
        search === null ? null : startOfSearch(search),
      ]);
      return { filter: { ...filter, tags }, starts: found.filter((start) => start !== null) };
    },

    /** From the start, or from all links. */
    async count(filter: LinkFilter, start: Start | null): Promise<number> {
      if (isEverything(filter)) return readTotal(read);
      const { tags, domain, state } = filter;
      if (tags.length === 1 && isEverything({ ...filter, tags: [] })) {
        return (await sizesOf(tags)).get(tags[0]!) ?? 0;
      }
      if (domain !== null && isEverything({ ...filter, domain: null })) return countDomain(domain);
      if (state === "active" && isEverything({ ...filter, state: null })) {
        const expired = counting(matches({ ...filter, state: "expired" }, "expired"));
        const difference = read.selectNoFrom((eb) => eb(readingTotal(read), "-", expired).as("n"));
        return Number((await difference.executeTakeFirstOrThrow()).n);
      }
      return start === null ? countAll(filter) : countRows(matches(filter, start));
    },

    /** The first matches, by id; `limit` ≤ 1,001. */
    keysWithin: (filter: LinkFilter, { from, to }: IdRange, limit: number): Promise<FoundKey[]> =>
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

    /** Of at most 1,000 codes, in any order. */
    async idsOfCodes(codes: readonly string[]): Promise<number[]> {
      const rows = await read
        .selectFrom("links")
        .select("links.id")
        .where("links.code", "in", codes)
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Of at most 1,000 codes. */
    async stillMatching(filter: LinkFilter, codes: readonly string[], db: Db): Promise<Set<string>> {
      const rows = await db
        .selectFrom("links")
        .select("links.code")
        .where("links.code", "in", codes)
        .where(matching(dialect, filter))
        .execute();
      return new Set(rows.map(({ code }) => code));
    },

    extent,

    pageKeys,

    /** Of at most 1,000 keys, in order. */
    async load(keys: LinkKeys, order: LinkOrder): Promise<Link[]> {
      const [column, values] = "ids" in keys ? (["id", keys.ids] as const) : (["code", keys.codes] as const);
      if (values.length === 0) return [];
      const way = direction(order.descending);
      const links = linksIn(read).where(`links.${column}`, "in", values as never);
      const sorted =
        order.sort === "created_at"
          ? links.orderBy("links.created_at", way).orderBy("links.code", direction(!order.descending))
          : order.sort === "code"
            ? links.orderBy("links.code", way)
            : order.sort === "click_count"
              ? links.orderBy("link_clicks.clicks", way).orderBy("links.id", way)
              : links
                  .orderBy((eb) => eb.case().when("links.expires_at", "is", null).then(1).else(0).end(), way)
                  .orderBy("links.expires_at", way)
                  .orderBy("links.id", way);
      return tagged(await sorted.execute());
    },

    /** By code, after `after` (null: from the start); limit ≤ 1,000. Reads all links up to the last match. */
    async after(filter: LinkFilter, after: string | null, limit: number): Promise<Link[]> {
      const links = linksIn(read).where(matching(dialect, filter, ["domain"]));
      return tagged(
        await links
          .$if(after !== null, (query) => query.where("links.code", ">", after!))
          .orderBy("links.code")
          .limit(limit)
          .execute(),
      );
    },

    /** Of all matches, in order. For a start with few links. */
    async codesFrom(start: Start, filter: LinkFilter): Promise<string[]> {
      const rows = await matches(filter, start).select("links.code").orderBy("links.code").execute();
      return rows.map(({ code }) => code);
    },
  };
}
