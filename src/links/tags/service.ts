/**
 * All tags of the links that an actor may reach. A change handles link by link in bounded transactions; one that ends
 * early has changed some links and may be repeated. Renaming a tag to a new name is one step. Each change can be undone
 * like bulk work (query-batch/undo.ts).
 */
import type { Changes } from "../../platform/cluster/changes.ts";
import { isUniqueViolation } from "../../platform/db/failures.ts";
import { type Actor, mayChange, ownersReadBy } from "../../lib/actor.ts";
import { type BulkId, bulkText, newBulk } from "../bulk-id.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { appError } from "../../lib/errors.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { checkTag, MOST_OF_PART, partEvents } from "./tag.ts";
import type { TagCount, TagRepository } from "./repository.ts";

export type TagService = ReturnType<typeof createTagService>;

const MOST_TAGS_LISTED = 10_000;

/** `change`: for POST /links/batch/undo; undefined if nothing changed. */
export type TagChangeResult = TagCount & { change: string | undefined };

type Deps = {
  repository: TagRepository;
  changes: Pick<Changes, "write">;
  record: RecordEvents<Db>;
  clock: Clock;
};

export function createTagService({ repository, changes, record, clock }: Deps, actor: Actor) {
  const seen = ownersReadBy(actor);
  const owners = seen?.filter((id) => mayChange(actor, id)) ?? null;

  async function existing(text: string): Promise<TagCount> {
    const tag = checkTag(text);
    const found = await repository.find(tag, owners);
    if (found === null) throw appError("NotFound", `No link has the tag "${tag}".`);
    return found;
  }

  /** `to`: null if it was removed. */
  const recordChange = (db: Db, from: string, to: string | null, links: number): Promise<void> =>
    record(db, [
      {
        at: clock.now(),
        actor,
        action: to === null ? "tag.delete" : "tag.rename",
        subject: from,
        before: { tag: from, links },
        after: to === null ? null : { tag: to },
      },
    ]);

  /** The last portion records the event. Returns how many links lost the tag. */
  async function move(from: string, to: string | null, id: BulkId): Promise<number> {
    let links = 0;
    for (let after: number | null = 0; after !== null; ) {
      const start: number = after;
      const portion = await changes.write(async (tx) => {
        const found = await repository.move(tx.db, { from, to, owners, after: start, limit: MOST_OF_PART });
        tx.changed("tags", to === null ? [from] : [from, to]);
        const all = links + found.moved.length;
        await record(tx.db, partEvents(actor, id, { from, to, ...found }));
        if (found.last === null && all > 0) await recordChange(tx.db, from, to, all);
        return found;
      });
      links += portion.moved.length;
      after = portion.last;
    }
    return links;
  }

  /** Not for an actor who reaches only some links. Null if it was not done. */
  async function rename(from: string, to: string, id: BulkId): Promise<number | null> {
    if (owners !== null) return null;
    try {
      return await changes.write(async (tx) => {
        const links = await repository.rename(tx.db, { from, to }, (moved) =>
          record(tx.db, partEvents(actor, id, { from, to, moved, had: [] })),
        );
        if (links === null) return null;
        tx.changed("tags", [from, to]);
        await recordChange(tx.db, from, to, links);
        return links;
      });
    } catch (error) {
      if (isUniqueViolation(error)) return null;
      throw error;
    }
  }

  const changed = (count: TagCount, links: number, id: BulkId): TagChangeResult => ({
    ...count,
    change: links > 0 ? bulkText(id) : undefined,
  });
  const newId = (): BulkId => ({ at: clock.now(), bulk: newBulk() });

  return {
    /** The 10,000 that most links have. */
    list: (): Promise<TagCount[]> => repository.list(seen, MOST_TAGS_LISTED),

    /** Onto another tag: merges them. @throws NotFound, BadRequest */
    async rename(text: string, name: string): Promise<TagChangeResult> {
      const to = checkTag(name);
      const { tag } = await existing(text);
      const id = newId();
      const links = tag === to ? 0 : ((await rename(tag, to, id)) ?? (await move(tag, to, id)));
      return changed((await repository.find(to, owners)) ?? { tag: to, links: 0 }, links, id);
    },

    /** From all links. Returns how many had it. @throws NotFound, BadRequest */
    async remove(text: string): Promise<TagChangeResult> {
      const found = await existing(text);
      const id = newId();
      return changed(found, await move(found.tag, null, id), id);
    },
  };
}
