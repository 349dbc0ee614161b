/** What a query of a filter may start with and how many links it finds, in bounded or cheap queries where possible. */
import { type SelectQueryBuilder, sql } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import type { Schema } from "../../db/schema.ts";
import { keysOf } from "../link/key.ts";
import { readingTotal, readTotal } from "../link/query.repository.ts";
import { EVERYTHING, isEverything, type LinkFilter } from "./filter.ts";
import { matching } from "./matching.repository.ts";
import { counting, countRows } from "./ordered-keys.repository.ts";
import type { SizedStart, Start } from "./plan.ts";

/** Inclusive. */
export type IdRange = { from: number; to: number };

export type Starts = { filter: LinkFilter; starts: readonly SizedStart[] };

/** Candidates of a search whose ids are kept. */
const FEW = 1_000;

type Links = SelectQueryBuilder<Schema, "links", object>;

type Reading = Pick<Database, "read" | "dialect">;

async function sizesOf(read: Db, tags: readonly string[]): Promise<Map<string, number>> {
  const found = await read.selectFrom("tags").select(["tag", "links"]).where("tag", "in", tags).execute();
  return new Map(found.map(({ tag, links }) => [tag, links]));
}

/** How many links, at most `most` + 1. */
const upTo = (read: Db, links: Links, most: number) =>
  read
    .selectFrom(
      links
        .select((eb) => eb.lit(1).as("one"))
        .limit(most + 1)
        .as("some"),
    )
    .select((eb) => eb.fn.countAll<number>().as("n"));

const matchesIn =
  ({ read, dialect }: Reading) =>
  (filter: LinkFilter, ...starts: Start[]): Links =>
    read.selectFrom("links").where(matching(dialect, filter, starts));

/** `countedUpTo`: links of a start. */
export function createStarts({ read, dialect }: Reading, countedUpTo: number) {
  const matches = matchesIn({ read, dialect });

  const sized = (start: Start, links: number): SizedStart => ({
    start,
    links: links > countedUpTo ? Number.POSITIVE_INFINITY : links,
  });

  /** Links within the range of an index. */
  async function startAt(start: Start, filter: Partial<LinkFilter>): Promise<SizedStart> {
    const counted = await upTo(
      read,
      matches({ ...EVERYTHING, ...filter }, start),
      countedUpTo,
    ).executeTakeFirstOrThrow();
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

  /** With which a query of the filter may start, and the filter with its rarest tag first. */
  return async function starts(filter: LinkFilter): Promise<Starts> {
    const { ownerId, domain, createdAfter, createdBefore, state, asOf, search } = filter;
    const sizes = filter.tags.length === 0 ? new Map<string, number>() : await sizesOf(read, filter.tags);
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
  };
}

export function createCounts({ read, dialect }: Reading, countedUpTo: number) {
  const matches = matchesIn({ read, dialect });

  const bounded = (links: Links) => upTo(read, links, countedUpTo);

  /** By the total of all links, if the domain or the others have few. */
  async function countDomain(domain: number): Promise<number> {
    const keys = keysOf(domain);
    const inside = read.selectFrom("links").where("code", ">=", keys.from).where("code", "<", keys.to);
    const sums = await read
      .selectNoFrom([
        readingTotal(read).as("all"),
        bounded(inside).as("own"),
        bounded(read.selectFrom("links").where("code", "<", keys.from)).as("before"),
        bounded(read.selectFrom("links").where("code", ">=", keys.to)).as("behind"),
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
    extent,

    /** From the start, or from all links. */
    async count(filter: LinkFilter, start: Start | null): Promise<number> {
      if (isEverything(filter)) return readTotal(read);
      const { tags, domain, state } = filter;
      if (tags.length === 1 && isEverything({ ...filter, tags: [] })) {
        return (await sizesOf(read, tags)).get(tags[0]!) ?? 0;
      }
      if (domain !== null && isEverything({ ...filter, domain: null })) return countDomain(domain);
      if (state === "active" && isEverything({ ...filter, state: null })) {
        const expired = counting(matches({ ...filter, state: "expired" }, "expired"));
        const difference = read.selectNoFrom((eb) => eb(readingTotal(read), "-", expired).as("n"));
        return Number((await difference.executeTakeFirstOrThrow()).n);
      }
      return start === null ? countAll(filter) : countRows(matches(filter, start));
    },
  };
}
