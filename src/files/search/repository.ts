import type { SelectQueryBuilder } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Schema } from "../../db/schema.ts";
import { chunked } from "../../lib/chunked.ts";

/** The order of search: by folder, then by the bytes of the name. The index of names has it. */
export type NamePlace = { parentId: number; name: string };

export type FoundEntry = NamePlace & {
  id: number;
  kind: "folder" | "file";
  /** Null for folders, like the type. */
  size: number | null;
  mimeType: string | null;
  createdAt: number;
  updatedAt: number;
};

export type SearchRepository = ReturnType<typeof createSearchRepository>;

const CHUNK = 1_000;

type Names = SelectQueryBuilder<Schema, "entries", object>;
/** A piece of the order that is one range of the index. */
type Segment = (query: Names) => Names;

export function createSearchRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  const names = (accountId: number, segment: Segment): Names =>
    segment(read.selectFrom("entries").where("account_id", "=", accountId));

  /** Ascending, from an offset. */
  const placesIn = (query: Names, limit: number, offset = 0): Promise<NamePlace[]> =>
    query
      .select(["parent_id as parentId", "name"])
      .orderBy("parent_id")
      .orderBy("name")
      .limit(limit)
      .offset(offset)
      .execute();

  async function countIn(query: Names, most: number): Promise<number> {
    const row = await read
      .selectFrom(query.select("name").limit(most).as("some"))
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow();
    return Number(row.n);
  }

  return {
    /** The place so many entries on; null if there are fewer. */
    async placeAfter(accountId: number, from: NamePlace, entries: number): Promise<NamePlace | null> {
      let left = entries;
      for (const segment of segments(from, null)) {
        const [place] = await placesIn(names(accountId, segment), 1, left - 1);
        if (place !== undefined) return place;
        left -= await countIn(names(accountId, segment), left);
      }
      return null;
    },

    /** Names with the needle in (from, to], in order; null: to the end. Reads the index only. */
    async matches(
      accountId: number,
      needle: string,
      { from, to }: { from: NamePlace; to: NamePlace | null },
      limit: number,
    ): Promise<NamePlace[]> {
      const found: NamePlace[] = [];
      for (const segment of segments(from, to)) {
        if (found.length === limit) break;
        const query = names(accountId, segment).where(dialect.nameContains(needle));
        found.push(...(await placesIn(query, limit - found.length)));
      }
      return found;
    },

    /** All names with the needle, in any order; null if an index does not tell, or of more than `most`. */
    async indexed(accountId: number, needle: string, most: number): Promise<NamePlace[] | null> {
      const ids = await dialect.nameCandidates(read, needle, most + 1);
      if (ids === null || ids.length > most) return null;
      const found: NamePlace[] = [];
      for (const chunk of chunked(ids, CHUNK)) {
        const rows = await read
          .selectFrom("entries")
          .select(["parent_id as parentId", "name", "account_id as owner"])
          .where("id", "in", chunk)
          .where(dialect.nameContains(needle))
          .execute();
        // Here, because a database may prefer to read all entries of the account.
        found.push(...rows.filter(({ owner }) => owner === accountId));
      }
      return found;
    },

    /** In their order, without those that are gone. At most 1,000. */
    async load(accountId: number, places: readonly NamePlace[]): Promise<FoundEntry[]> {
      if (places.length === 0) return [];
      const rows = places.map(({ parentId, name }) => ({ account_id: accountId, parent_id: parentId, name }));
      const found = await read
        .selectFrom(dialect.valuesTable("entries", ["account_id", "parent_id", "name"], rows))
        .innerJoin("entries", (join) =>
          join
            .onRef("entries.account_id", "=", "v.account_id")
            .onRef("entries.parent_id", "=", "v.parent_id")
            .onRef("entries.name", "=", "v.name"),
        )
        .select([
          "entries.id",
          "entries.kind",
          "entries.parent_id as parentId",
          "entries.name",
          "entries.size",
          "entries.mime_type as mimeType",
          "entries.created_at as createdAt",
          "entries.updated_at as updatedAt",
        ])
        .execute();
      const byPlace = new Map(found.map((row) => [keyOf(row), row]));
      return places.flatMap((place) => {
        const row = byPlace.get(keyOf(place));
        if (row === undefined) return [];
        const isFolder = row.kind === "folder";
        return [{ ...row, kind: isFolder ? "folder" : "file", size: isFolder ? null : row.size }];
      });
    },
  };
}

const keyOf = ({ parentId, name }: NamePlace): string => `${parentId}/${name}`;

/** (from, to] in ranges of the index: no server finds a pair of values in one as fast. */
function segments(from: NamePlace, to: NamePlace | null): Segment[] {
  const isOneFolder = from.parentId === to?.parentId;
  const first: Segment = (query) =>
    query
      .where("parent_id", "=", from.parentId)
      .where("name", ">", from.name)
      .$if(isOneFolder, (one) => one.where("name", "<=", to!.name));
  if (isOneFolder) return [first];
  const between: Segment = (query) =>
    query
      .where("parent_id", ">", from.parentId)
      .$if(to !== null, (one) => one.where("parent_id", "<", to!.parentId));
  if (to === null) return [first, between];
  const last: Segment = (query) => query.where("parent_id", "=", to.parentId).where("name", "<=", to.name);
  return [first, between, last];
}
