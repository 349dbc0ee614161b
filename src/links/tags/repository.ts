import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { NOBODY } from "../../lib/owner.ts";
import { pagesAfter } from "../../lib/pages.ts";
import { createOwnerDeltas, createTagging, removeEmpty } from "./tagging.repository.ts";

export type TagCount = { tag: string; links: number };

export type TagRepository = ReturnType<typeof createTagRepository>;

/** Owners of the links; null: all. */
type Owners = readonly number[] | null;

const RENAMED_AT_ONCE = 10_000;

export function createTagRepository({ read, dialect }: Database) {
  const { lockTags, countOwned } = createTagging(dialect);

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

    /**
     * Returns the number of its links; null if the new name is taken or the old one has no tag. `renamed` receives the ids
     * of its links, in portions of up to 10,000.
     */
    async rename(
      tx: Db,
      { from, to }: { from: string; to: string },
      renamed: (ids: readonly number[]) => Promise<void>,
    ): Promise<number | null> {
      // While it is locked no link gets or loses it.
      const source = await tx
        .selectFrom("tags")
        .select("id")
        .where("tag", "=", from)
        .$call(dialect.forUpdate)
        .executeTakeFirst();
      if (source === undefined) return null;
      const taken = await tx.selectFrom("tags").select("id").where("tag", "=", to).executeTakeFirst();
      if (taken !== undefined) return null;
      let links = 0;
      const tagged = (after: number, limit: number) =>
        linksAfter(tx, source.id, { owners: null, after, limit });
      for await (const ids of pagesAfter(0, RENAMED_AT_ONCE, tagged, (last) => last)) {
        await renamed(ids);
        links += ids.length;
      }
      await tx.updateTable("tags").set({ tag: to }).where("id", "=", source.id).execute();
      return links;
    },

    /**
     * Up to `limit` ≤ 1,000 links with ids above `after` lose the tag and get `to`, if given. Returns which did, which of
     * these had `to` before, and the last id; null after the last portion.
     */
    async move(tx: Db, { from, to, owners, after, limit }: Move): Promise<Moved> {
      const source = await tx.selectFrom("tags").select("id").where("tag", "=", from).executeTakeFirst();
      const ids = source === undefined ? [] : await linksAfter(tx, source.id, { owners, after, limit });
      if (ids.length === 0) return { moved: [], had: [], last: null };
      const last = ids.length < limit ? null : ids.at(-1)!;
      const links = await tx
        .selectFrom("links")
        .select(["id", "owner_id"])
        .where("id", "in", ids)
        .orderBy("code")
        .$call(dialect.forUpdate)
        .execute();
      const ownerOf = new Map(links.map((link) => [link.id, link.owner_id]));
      const owned = createOwnerDeltas();
      const tags = await lockTags(tx, to === null ? [from] : [from, to]);
      const [fromId, toId] = [tags.get(from)!, to === null ? null : tags.get(to)!];
      // Read again now that the links are locked.
      const moved = await linksWith(tx, fromId, ids);
      const already = new Set(toId === null || moved.length === 0 ? [] : await linksWith(tx, toId, ids));
      if (toId !== null && moved.length > 0) {
        const added = moved.filter((id) => !already.has(id));
        await dialect.insertMany(
          tx,
          "link_tags",
          added.map((id) => ({ tag_id: toId, link_id: id })),
        );
        await count(tx, toId, added.length);
        for (const id of added) owned.add(ownerOf.get(id) ?? null, toId, 1);
      }
      if (moved.length > 0) {
        await untag(tx, fromId, moved);
        await count(tx, fromId, -moved.length);
        for (const id of moved) owned.add(ownerOf.get(id) ?? null, fromId, -1);
      }
      await countOwned(tx, owned);
      await removeEmpty(tx, [fromId, ...(toId === null ? [] : [toId])]);
      return { moved, had: moved.filter((id) => already.has(id)), last };
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

const taggedLinks = (db: Db, tagId: number, owners: Owners) =>
  db
    .selectFrom("link_tags")
    .innerJoin("links", "links.id", "link_tags.link_id")
    .where("link_tags.tag_id", "=", tagId)
    .$if(owners !== null, (query) => query.where("links.owner_id", "in", owners!));

/** Ids, in order. */
async function linksAfter(
  db: Db,
  tagId: number,
  { owners, after, limit }: { owners: Owners; after: number; limit: number },
): Promise<number[]> {
  const rows = await taggedLinks(db, tagId, owners)
    .select("link_tags.link_id")
    .where("link_tags.link_id", ">", after)
    .orderBy("link_tags.link_id")
    .limit(limit)
    .execute();
  return rows.map(({ link_id }) => link_id);
}

async function untag(tx: Db, tagId: number, linkIds: readonly number[]): Promise<void> {
  await tx.deleteFrom("link_tags").where("tag_id", "=", tagId).where("link_id", "in", linkIds).execute();
}

const count = (tx: Db, tagId: number, delta: number) =>
  tx
    .updateTable("tags")
    .set((eb) => ({ links: eb("links", "+", delta) }))
    .where("id", "=", tagId)
    .execute();

async function linksWith(tx: Db, tagId: number, linkIds: readonly number[]): Promise<number[]> {
  const rows = await tx
    .selectFrom("link_tags")
    .select("link_id")
    .where("tag_id", "=", tagId)
    .where("link_id", "in", linkIds)
    .execute();
  return rows.map(({ link_id }) => link_id);
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

type Moved = { moved: number[]; had: number[]; last: number | null };

type Move = {
  from: string;
  /** The tag that replaces it, or null. */
  to: string | null;
  owners: Owners;
  after: number;
  limit: number;
};
