/**
 * Tags of links, with each tag's number of links, also by owner. Whoever changes the tags of a link has locked the
 * link. A tag's row is locked before its id is used, because the last link to lose a tag removes its row. The lock
 * covers the counts by owner.
 */
import type { Db, Dialect } from "../../platform/db/dialect.ts";
import { prepared } from "../../platform/db/prepared.ts";
import { chunked } from "../../lib/chunked.ts";

export type Retagging = {
  id: number;
  ownerId: number | null;
  before: readonly string[];
  after: readonly string[];
};

type TaggingDialect = Pick<Dialect, "forUpdate" | "insertMany" | "insertIgnore" | "addToCounters" | "upsert">;

/** Changes of counts by owner and tag. */
type OwnerDeltas = ReturnType<typeof createOwnerDeltas>;

const CHUNK = 1000;
const MOST_TRIES = 20;

export function createTagging(dialect: TaggingDialect) {
  /** Ids of tags. Missing ones are made; all are locked until the transaction ends. */
  async function lockTags(tx: Db, tags: readonly string[]): Promise<Map<string, number>> {
    const ids = new Map<string, number>();
    for (const chunk of chunked([...tags].sort(), CHUNK)) {
      let missing = chunk;
      for (let tries = 1; missing.length > 0; tries++) {
        const found = await tx
          .selectFrom("tags")
          .select(["id", "tag"])
          .where("tag", "in", missing)
          .orderBy("id")
          .$call(dialect.forUpdate)
          .execute();
        for (const { id, tag } of found) ids.set(tag, id);
        missing = missing.filter((tag) => !ids.has(tag));
        if (tries === MOST_TRIES && missing.length > 0) throw new Error("A tag could not be made.");
        const made = missing.map((tag) => ({ tag, links: 0 }));
        await dialect.insertIgnore(tx, "tags", ["tag"], made);
      }
    }
    return ids;
  }

  /** The tags must be locked. */
  async function countOwned(tx: Db, deltas: OwnerDeltas): Promise<void> {
    const rows = deltas.rows();
    const upsert = { table: "owner_tags", keys: ["owner_id", "tag_id"], add: ["links"] } as const;
    await dialect.upsert(tx, upsert, rows);
    const reduced = rows.filter(({ links }) => links < 0);
    for (const [ownerId, some] of Map.groupBy(reduced, (row) => row.owner_id)) {
      for (const chunk of chunked(some, CHUNK)) {
        const tagIds = chunk.map((row) => row.tag_id);
        await tx
          .deleteFrom("owner_tags")
          .where("owner_id", "=", ownerId)
          .where("tag_id", "in", tagIds)
          .where("links", "<=", 0)
          .execute();
      }
    }
  }

  return {
    lockTags,
    countOwned,
    tagsOf,

    /** Ids are distinct. */
    async retag(tx: Db, changes: readonly Retagging[]): Promise<void> {
      const added: Tagged[] = [];
      const removed: Tagged[] = [];
      const deltas = new Map<string, number>();
      for (const { id, ownerId, before, after } of changes) {
        for (const tag of after) if (!before.includes(tag)) added.push({ id, ownerId, tag });
        for (const tag of before) if (!after.includes(tag)) removed.push({ id, ownerId, tag });
      }
      for (const { tag } of added) deltas.set(tag, (deltas.get(tag) ?? 0) + 1);
      for (const { tag } of removed) deltas.set(tag, (deltas.get(tag) ?? 0) - 1);
      if (deltas.size === 0) return;
      const ids = await lockTags(tx, [...deltas.keys()]);
      const rowsOf = (list: typeof added) =>
        list.map(({ id, tag }) => ({ tag_id: ids.get(tag)!, link_id: id }));
      await untag(tx, rowsOf(removed));
      await dialect.insertMany(tx, "link_tags", rowsOf(added));
      const counted = [...deltas].filter(([, delta]) => delta !== 0);
      await dialect.addToCounters(
        tx,
        { table: "tags", key: "id", column: "links" },
        counted.map(([tag]) => ids.get(tag)!),
        counted.map(([, delta]) => delta),
      );
      const owned = createOwnerDeltas();
      for (const { ownerId, tag } of added) owned.add(ownerId, ids.get(tag)!, 1);
      for (const { ownerId, tag } of removed) owned.add(ownerId, ids.get(tag)!, -1);
      await countOwned(tx, owned);
      const emptied = counted.flatMap(([tag, delta]) => (delta < 0 ? ids.get(tag)! : []));
      await removeEmpty(tx, emptied);
    },

    /** Call it before at most 1,000 links are deleted, which are locked or have no tags. */
    async uncount(tx: Db, linkIds: readonly number[]): Promise<void> {
      if (linkIds.length === 0) return;
      const rows = await countsOfTags(tx, linkIds);
      const ids = [...new Set(rows.map(({ tagId }) => tagId))].sort((a, b) => a - b);
      await subtractLinks(tx, ids, linkIds);
      const owned = createOwnerDeltas();
      for (const { tagId, ownerId, n } of rows) owned.add(ownerId, tagId, -Number(n));
      await countOwned(tx, owned);
      await removeEmpty(tx, ids);
    },
  };
}

const countsOfTags = prepared((db, linkIds: readonly number[]) =>
  db
    .selectFrom("link_tags")
    .innerJoin("links", "links.id", "link_tags.link_id")
    .select(["link_tags.tag_id as tagId", "links.owner_id as ownerId"])
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("link_tags.link_id", "in", linkIds)
    .groupBy(["link_tags.tag_id", "links.owner_id"]),
);

/** Moves the counts of links that get another owner. */
export async function recount(
  { lockTags, countOwned }: Pick<ReturnType<typeof createTagging>, "lockTags" | "countOwned">,
  tx: Db,
  links: readonly { ownerId: number | null; tags: readonly string[] }[],
  ownerId: number | null,
): Promise<void> {
  const ids = await lockTags(tx, [...new Set(links.flatMap(({ tags }) => tags))]);
  const owned = createOwnerDeltas();
  for (const link of links) {
    for (const tag of link.tags) {
      owned.add(link.ownerId, ids.get(tag)!, -1);
      owned.add(ownerId, ids.get(tag)!, 1);
    }
  }
  await countOwned(tx, owned);
}

const tagsOfLinks = prepared((db, linkIds: readonly number[]) =>
  db
    .selectFrom("link_tags")
    .innerJoin("tags", "tags.id", "link_tags.tag_id")
    .select(["link_tags.link_id", "tags.tag"])
    .where("link_tags.link_id", "in", linkIds),
);

/** Sorted, of those links that have any. */
export async function tagsOf(db: Db, linkIds: readonly number[]): Promise<Map<number, string[]>> {
  const tags = new Map<number, string[]>();
  for (const chunk of chunked(linkIds, CHUNK)) {
    for (const { link_id: id, tag } of await tagsOfLinks(db, chunk)) {
      const known = tags.get(id);
      if (known === undefined) tags.set(id, [tag]);
      else known.push(tag);
    }
  }
  for (const list of tags.values()) list.sort();
  return tags;
}

async function untag(tx: Db, removed: readonly { tag_id: number; link_id: number }[]): Promise<void> {
  for (const chunk of chunked(removed, CHUNK)) {
    for (const [tagId, links] of Map.groupBy(chunk, ({ tag_id }) => tag_id)) {
      const linkIds = links.map(({ link_id }) => link_id);
      await tx.deleteFrom("link_tags").where("tag_id", "=", tagId).where("link_id", "in", linkIds).execute();
    }
  }
}

type Tagged = { id: number; ownerId: number | null; tag: string };

async function subtractLinks(tx: Db, tagIds: readonly number[], linkIds: readonly number[]): Promise<void> {
  for (const chunk of chunked(tagIds, CHUNK)) {
    await tx
      .updateTable("tags")
      .set((eb) => ({
        links: eb(
          "links",
          "-",
          eb
            .selectFrom("link_tags")
            .select((tagged) => tagged.fn.countAll<number>().as("n"))
            .whereRef("link_tags.tag_id", "=", "tags.id")
            .where("link_tags.link_id", "in", linkIds),
        ),
      }))
      .where("id", "in", chunk)
      .execute();
  }
}

function createOwnerDeltas() {
  const byOwner = new Map<number, Map<number, number>>();
  return {
    add(ownerId: number | null, tagId: number, delta: number): void {
      if (ownerId === null) return;
      const byTag = byOwner.get(ownerId) ?? new Map<number, number>();
      byOwner.set(ownerId, byTag.set(tagId, (byTag.get(tagId) ?? 0) + delta));
    },
    rows: (): { owner_id: number; tag_id: number; links: number }[] =>
      [...byOwner].flatMap(([owner_id, byTag]) =>
        [...byTag].flatMap(([tag_id, links]) => (links === 0 ? [] : { owner_id, tag_id, links })),
      ),
  };
}

/** The tags must be locked. */
async function removeEmpty(tx: Db, tagIds: readonly number[]): Promise<void> {
  for (const chunk of chunked(tagIds, CHUNK)) {
    await tx.deleteFrom("tags").where("id", "in", chunk).where("links", "<=", 0).execute();
  }
}
