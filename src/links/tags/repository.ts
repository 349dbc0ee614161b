import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { NOBODY } from "../../lib/owner.ts";

export type TagCount = { tag: string; links: number };

export type TagRepository = ReturnType<typeof createTagRepository>;

/** Owners of the links; null: all. */
type Owners = readonly number[] | null;

export function createTagRepository({ read }: Pick<Database, "read">) {
  return {
    keysOf,

    /** Most used first. */
    async list(owners: Owners, limit: number): Promise<TagCount[]> {
      if (owners === null) {
        return read
          .selectFrom("tags")
          .select(["tag", "links"])
          .where("links", ">", 0)
          .orderBy("links", "desc")
          .orderBy("tag")
          .limit(limit)
          .execute();
      }
      const rows = await read
        .selectFrom("owner_tags")
        .innerJoin("tags", "tags.id", "owner_tags.tag_id")
        .select((eb) => ["tags.tag", eb.fn.sum<number>("owner_tags.links").as("links")])
        .where("owner_tags.owner_id", "in", owners)
        .groupBy(["tags.id", "tags.tag"])
        .orderBy("links", "desc")
        .orderBy("tags.tag")
        .limit(limit)
        .execute();
      return rows.map(({ tag, links }) => ({ tag, links: Number(links) }));
    },

    find: (tag: string, owners: Owners): Promise<TagCount | null> => find(read, tag, owners),

    /** Ids of links with the tag, in order, above `after`. */
    async linksAfter(
      tx: Db,
      tag: string,
      { owners, after, limit }: { owners: Owners; after: number; limit: number },
    ): Promise<number[]> {
      const rows = await tx
        .selectFrom("link_tags")
        .innerJoin("tags", "tags.id", "link_tags.tag_id")
        .innerJoin("links", "links.id", "link_tags.link_id")
        .select("link_tags.link_id")
        .where("tags.tag", "=", tag)
        .$if(owners !== null, (query) => query.where("links.owner_id", "in", owners!))
        .where("link_tags.link_id", ">", after)
        .orderBy("link_tags.link_id")
        .limit(limit)
        .execute();
      return rows.map(({ link_id }) => link_id);
    },

    /** Dates at most 1,000 locked links, whose tags have changed. */
    async touch(tx: Db, ids: readonly number[], now: number): Promise<void> {
      if (ids.length > 0)
        await tx.updateTable("links").set({ updated_at: now }).where("id", "in", ids).execute();
    },
  };
}

async function find(read: Db, tag: string, owners: Owners): Promise<TagCount | null> {
  const row = await read
    .selectFrom("tags")
    .select((eb) => [
      "links as all",
      eb
        .selectFrom("owner_tags")
        .select((owned) => owned.fn.sum<number | null>("owner_tags.links").as("n"))
        .whereRef("owner_tags.tag_id", "=", "tags.id")
        .where("owner_tags.owner_id", "in", owners ?? [NOBODY])
        .as("owned"),
    ])
    .where("tags.tag", "=", tag)
    .executeTakeFirst();
  const links = Number((owners === null ? row?.all : row?.owned) ?? 0);
  return links > 0 ? { tag, links } : null;
}

/** Keys of existing or deleted links of the owners, at most 1,000, by id. */
async function keysOf(tx: Db, ids: readonly number[], owners: Owners): Promise<Map<number, string>> {
  const [deleted, existing] = [
    await tx
      .selectFrom("deleted_links")
      .select(["link_id as id", "code"])
      .where("link_id", "in", ids)
      .$if(owners !== null, (query) => query.where("owner_id", "in", owners!))
      .execute(),
    await tx
      .selectFrom("links")
      .select(["id", "code"])
      .where("id", "in", ids)
      .$if(owners !== null, (query) => query.where("owner_id", "in", owners!))
      .execute(),
  ];
  return new Map([...deleted, ...existing].map(({ id, code }) => [id, code]));
}
