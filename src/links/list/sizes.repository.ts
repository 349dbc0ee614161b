/** What a query of a filter may start with and how many links it finds, in bounded or cheap queries where possible. */
import { type SelectQueryBuilder, sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { countRows, extentOf } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { keysOf } from "../link/key.ts";
import { readingTotal, readTotal } from "../link/query.repository.ts";
import { EVERYTHING, isEverything, type LinkFilter } from "./filter.ts";
import { idsWith, matching } from "./matching.repository.ts";
import { COUNTED, type SizedStart, smallest, SORTED, type Start, TAGGED } from "./plan.ts";

/** `matches`: about how many links fulfil all conditions; null if that was not tried. */
export type Starts = { filter: LinkFilter; starts: readonly SizedStart[]; matches: number | null };

/** Candidates of a search whose ids are kept, from an index; without one, finding that there are more reads rows. */
const FEW_INDEXED = 5_000;
const FEW_SCANNED = 1_000;
/** Links of a start, half from each end, on which the other conditions are tried. */
const TRIED = 1_000;

/** Conditions with an index: their fields, and the column after which the index sorts their links. */
const INDEXED = {
  owner: { fields: ["owners"], column: "links.created_at" },
  owners: { fields: ["owners"], column: "links.owner_id" },
  domain: { fields: ["domain"], column: "links.code" },
  created: { fields: ["createdAfter", "createdBefore"], column: "links.created_at" },
  expired: { fields: ["state", "asOf"], column: "links.expires_at" },
  held: { fields: ["held"], column: "links.created_at" },
  dead: { fields: ["dead"], column: "links.dead_since" },
} as const satisfies Record<string, { fields: readonly (keyof LinkFilter)[]; column: string }>;
type Indexed = keyof typeof INDEXED;

/** The filter with one of its conditions only. */
const alone = (start: Indexed, filter: LinkFilter): LinkFilter => ({
  ...EVERYTHING,
  ...Object.fromEntries(INDEXED[start].fields.map((name) => [name, filter[name]])),
});

function countConditions({
  tags,
  notTags,
  createdAfter,
  createdBefore,
  dead,
  ...others
}: LinkFilter): number {
  const conditions = Object.values({
    ...others,
    asOf: null,
    created: createdAfter ?? createdBefore,
    dead: dead || null,
  });
  return tags.length + notTags.length + conditions.filter((one) => one !== null).length;
}

type Links = SelectQueryBuilder<Schema, "links", object>;

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
  ({ read, dialect }: Database) =>
  (filter: LinkFilter, ...starts: Start[]): Links =>
    read.selectFrom("links").where(matching(dialect, filter, starts));

export type CountBounds = { countedUpTo?: number; sortedUpTo?: number };

/** `countedUpTo`: links of a start. `sortedUpTo`: of one whose other conditions need not be tried. */
export function createStarts(
  database: Database,
  { countedUpTo = COUNTED, sortedUpTo = SORTED }: CountBounds,
) {
  const { read, dialect } = database;
  const matches = matchesIn(database);

  const sized = (start: Start, links: number, most = countedUpTo): SizedStart => ({
    start,
    links: links > most ? Number.POSITIVE_INFINITY : links,
  });

  /** Links within the range of an index. */
  async function startAt(start: Indexed, filter: LinkFilter): Promise<SizedStart> {
    const links = matches(alone(start, filter), start);
    const counted = await upTo(read, links, countedUpTo).executeTakeFirstOrThrow();
    return sized(start, Number(counted.n));
  }

  /** Ids of few candidates. */
  async function startOfSearch(search: string): Promise<SizedStart> {
    const within = (most: number) => dialect.linkCandidates(search, most);
    const few = within(FEW_INDEXED + 1);
    const most = few ? FEW_INDEXED : FEW_SCANNED;
    const { rows } = few
      ? await sql<{ id: number }>`select id from ${few} as candidates`.execute(read)
      : {
          rows: await matches({ ...EVERYTHING, search })
            .select("links.id")
            .limit(most + 1)
            .execute(),
        };
    if (rows.length <= most) return { start: { ids: rows.map(({ id }) => id) }, links: rows.length };
    if (few === null) return { start: "scan", links: Number.POSITIVE_INFINITY };
    const counted = await sql<{ n: number }>`
      select count(*) as n from ${within(countedUpTo + 1)} as candidates`.execute(read);
    return sized("search", Number(counted.rows[0]!.n));
  }

  /** Ids from both ends of an index: neighbours often have more in common. */
  async function someOf(start: Indexed | "tag" | "search", filter: LinkFilter): Promise<Set<number>> {
    const ends = await Promise.all(
      (["asc", "desc"] as const).map((way) => {
        if (start === "tag") {
          const ids = idsWith(filter.tags.slice(0, 1))
            .orderBy("started.link_id", way)
            .limit(TRIED / 2);
          return read.selectFrom(ids.as("some")).select("id").execute();
        }
        const links =
          start === "search"
            ? matches({ ...EVERYTHING, search: filter.search }, start)
            : matches(alone(start, filter), start).orderBy(INDEXED[start].column, way);
        return links
          .select("links.id")
          .limit(TRIED / 2)
          .execute();
      }),
    );
    return new Set(ends.flat().map(({ id }) => id));
  }

  /** About how many links match; null if the filter has one condition, or so few links that they are sorted anyway. */
  async function tried(filter: LinkFilter, { start, links }: SizedStart): Promise<number | null> {
    const isSmall = links <= sortedUpTo || links === Number.POSITIVE_INFINITY;
    if (isSmall || typeof start === "object" || start === "scan" || countConditions(filter) < 2) return null;
    const ids = [...(await someOf(start, filter))];
    const found = await countRows(matches(filter, { ids }));
    return (links * found) / Math.max(ids.length, 1);
  }

  /** With which a query of the filter may start, and the filter with its rarest tag first. */
  return async function starts(filter: LinkFilter): Promise<Starts> {
    const { owners, domain, createdAfter, createdBefore, state, search, held, dead } = filter;
    const sizes = filter.tags.length === 0 ? new Map<string, number>() : await sizesOf(read, filter.tags);
    const sizeOf = (tag: string) => sizes.get(tag) ?? 0;
    const tags = filter.tags.toSorted((a, b) => sizeOf(a) - sizeOf(b));
    const hasSpan = createdAfter !== null || createdBefore !== null;
    const found = await Promise.all([
      tags.length === 0 ? null : sized("tag", sizeOf(tags[0]!), countedUpTo * TAGGED),
      owners === null ? null : startAt(owners.length === 1 ? "owner" : "owners", filter),
      domain === null ? null : startAt("domain", filter),
      hasSpan ? startAt("created", filter) : null,
      state === "expired" ? startAt("expired", filter) : null,
      held === null ? null : startAt("held", filter),
      dead ? startAt("dead", filter) : null,
      search === null ? null : startOfSearch(search),
    ]);
    const usable = found.filter((start) => start !== null);
    const ranked = { ...filter, tags };
    const least = smallest(usable);
    return { filter: ranked, starts: usable, matches: least === null ? null : await tried(ranked, least) };
  };
}

export function createCounts(database: Database, { countedUpTo = COUNTED }: CountBounds) {
  const { read, dialect } = database;
  const matches = matchesIn(database);

  const bounded = (links: Links) => upTo(read, links, countedUpTo);

  /** Counts by the total of all links if the domain or the others have few. */
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

  const extent = () => extentOf(read.selectFrom("links").select("id as value"));

  /** Counts in two queries at once, for the two readers of a file database. */
  async function countAll(filter: LinkFilter): Promise<number> {
    const all = dialect.sharesScans ? null : await extent();
    if (all === null) return countRows(matches(filter));
    const middle = Math.floor((all.from + all.to) / 2);
    const halves = [matches(filter).where("id", "<=", middle), matches(filter).where("id", ">", middle)];
    const [first, second] = await Promise.all(halves.map(countRows));
    return first! + second!;
  }

  return {
    /** The range of ids, or null without links. */
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
        const all = matches({ ...filter, state: "expired" }, "expired");
        const expired = all.select(({ fn }) => fn.countAll<number>().as("n"));
        const difference = read.selectNoFrom((eb) => eb(readingTotal(read), "-", expired).as("n"));
        return Number((await difference.executeTakeFirstOrThrow()).n);
      }
      return start === null ? countAll(filter) : countRows(matches(filter, start));
    },
  };
}
