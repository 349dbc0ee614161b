import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import { createOwnerDeltas, createTagging, removeEmpty } from "./tagging.repository.ts";

export type TagCount = { tag: string; links: number };

export type TagRepository = ReturnType<typeof createTagRepository>;

/** `ownerId`: of the links; null: all. */
type Owner = number | null;

export function createTagRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  const { lockTags, countOwned } = createTagging(dialect);

  const taggedLinks = (db: Db, tagId: number, ownerId: Owner) =>
    db
      .selectFrom("link_tags")
      .innerJoin("links", "links.id", "link_tags.link_id")
      .where("link_tags.tag_id", "=", tagId)
      .$if(ownerId !== null, (query) => query.where("links.owner_id", "=", ownerId));

  /** Returns how many links of the portion lost the tag. */
  async function untag(tx: Db, tagId: number, linkIds: readonly number[]): Promise<void> {
    await tx.deleteFrom("link_tags").where("tag_id", "=", tagId).where("link_id", "in", linkIds).execute();
  }

  const count = (tx: Db, tagId: number, delta: number) =>
    tx
      .updateTable("tags")
      .set((eb) => ({ links: eb("links", "+", delta) }))
      .where("id", "=", tagId)
      .execute();

  return {
    /** Most used first. */
    async list(ownerId: Owner, limit: number): Promise<TagCount[]> {
      if (ownerId === null) {
        return read
          .selectFrom("tags")
          .select(["tag", "links"])
          .where("links", ">", 0)
          .orderBy("links", "desc")
          .orderBy("tag")
          .limit(limit)
          .execute();
      }
      return read
        .selectFrom("owner_tags")
        .innerJoin("tags", "tags.id", "owner_tags.tag_id")
        .select(["tags.tag", "owner_tags.links"])
        .where("owner_tags.owner_id", "=", ownerId)
        .orderBy("owner_tags.links", "desc")
        .orderBy("tags.tag")
        .limit(limit)
        .execute();
    },

    async find(tag: string, ownerId: Owner): Promise<TagCount | null> {
      const row = await read
        .selectFrom("tags")
        .leftJoin("owner_tags", (join) =>
          join.onRef("owner_tags.tag_id", "=", "tags.id").on("owner_tags.owner_id", "=", ownerId ?? -1),
        )
        .select(["tags.links as all", "owner_tags.links as owned"])
        .where("tags.tag", "=", tag)
        .executeTakeFirst();
      const links = (ownerId === null ? row?.all : row?.owned) ?? 0;
      return links > 0 ? { tag, links } : null;
    },

    /** Returns the number of its links; null if a tag has that name already, or none the old one. */
    async rename(tx: Db, from: string, to: string): Promise<number | null> {
      const taken = await tx.selectFrom("tags").select("id").where("tag", "=", to).executeTakeFirst();
      if (taken !== undefined) return null;
      const { numUpdatedRows } = await tx
        .updateTable("tags")
        .set({ tag: to })
        .where("tag", "=", from)
        .executeTakeFirst();
      if (Number(numUpdatedRows) === 0) return null;
      return (await tx.selectFrom("tags").select("links").where("tag", "=", to).executeTakeFirstOrThrow())
        .links;
    },

    /**
     * Up to `limit` ≤ 1,000 links with ids above `after` lose the tag and get `to`, if given. Returns how many did, and
     * the last id; null after the last portion.
     */
    async move(tx: Db, { from, to, ownerId, after, limit }: Move): Promise<Moved> {
      const source = await tx.selectFrom("tags").select("id").where("tag", "=", from).executeTakeFirst();
      if (source === undefined) return { moved: 0, last: null };
      const candidates = await taggedLinks(tx, source.id, ownerId)
        .select("link_tags.link_id")
        .where("link_tags.link_id", ">", after)
        .orderBy("link_tags.link_id")
        .limit(limit)
        .execute();
      const last = candidates.length < limit ? null : candidates.at(-1)!.link_id;
      if (candidates.length === 0) return { moved: 0, last: null };
      const ids = candidates.map(({ link_id }) => link_id);
      const links = await tx
        .selectFrom("links")
        .select(["id", "owner_id"])
        .where("id", "in", ids)
        .orderBy("code")
        .$call(dialect.forUpdate)
        .execute();
      const owners = new Map(links.map((link) => [link.id, link.owner_id]));
      const owned = createOwnerDeltas();
      const tags = await lockTags(tx, to === null ? [from] : [from, to]);
      const [fromId, toId] = [tags.get(from)!, to === null ? null : tags.get(to)!];
      // As it is now that the links are locked.
      const having = async (tagId: number): Promise<number[]> => {
        const rows = await tx
          .selectFrom("link_tags")
          .select("link_id")
          .where("tag_id", "=", tagId)
          .where("link_id", "in", ids)
          .execute();
        return rows.map(({ link_id }) => link_id);
      };
      const moved = await having(fromId);
      if (toId !== null && moved.length > 0) {
        const already = new Set(await having(toId));
        const added = moved.filter((id) => !already.has(id));
        await dialect.insertMany(
          tx,
          "link_tags",
          added.map((id) => ({ tag_id: toId, link_id: id })),
        );
        await count(tx, toId, added.length);
        for (const id of added) owned.add(owners.get(id) ?? null, toId, 1);
      }
      if (moved.length > 0) {
        await untag(tx, fromId, moved);
        await count(tx, fromId, -moved.length);
        for (const id of moved) owned.add(owners.get(id) ?? null, fromId, -1);
      }
      await countOwned(tx, owned);
      await removeEmpty(tx, [fromId, ...(toId === null ? [] : [toId])]);
      return { moved: moved.length, last };
    },
  };
}

type Moved = { moved: number; last: number | null };

type Move = {
  from: string;
  /** Null: none. */
  to: string | null;
  ownerId: Owner;
  after: number;
  limit: number;
};
