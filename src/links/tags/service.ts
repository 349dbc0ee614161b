/**
 * All tags of the links that an actor may reach. A change handles link by link in bounded transactions; one that ends
 * early has changed some links and may be repeated. Links that were taken down stay as they are. Each change can be
 * undone like bulk work (query-batch/undo.ts).
 */
import type { Changes } from "../../platform/cluster/changes.ts";
import { type Actor, mayChange, ownersReadBy } from "../../lib/actor.ts";
import { type BulkId, bulkText, newBulk } from "../bulk-id.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { type AppError, appError } from "../../lib/errors.ts";
import { NOBODY } from "../../lib/owner.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { checkTag, MOST_OF_PART, partEvents, sortedTags, type TagPart } from "./tag.ts";
import type { TagCount, TagRepository } from "./repository.ts";

export type TagService = ReturnType<typeof createTagService>;

const MOST_TAGS_LISTED = 10_000;

/** `change`: for POST /links/batch/undo; undefined if nothing changed. */
export type TagChangeResult = TagCount & { change: string | undefined };

type Deps<Link extends TaggedLink> = {
  repository: TagRepository;
  rows: {
    lockIds(tx: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Link>>;
    /** Why a link keeps its tags; null if it may change. */
    refusalOf(link: Link): AppError | null;
    /** See write/retagging.ts. */
    retag(tx: Db, changes: readonly { link: Link; after: readonly string[] }[]): Promise<void>;
  };
  changes: Pick<Changes, "write">;
  record: RecordEvents<Db>;
  clock: Clock;
};

type TaggedLink = { id: number; ownerId: number | null; tags: readonly string[] };
type Moved = Pick<TagPart, "moved" | "had"> & { last: number | null; refusal: AppError | undefined };

export function createTagService<Link extends TaggedLink>(
  { repository, rows, changes, record, clock }: Deps<Link>,
  actor: Actor,
) {
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

  /** One portion of the links with ids above `after`. */
  async function moveSome(db: Db, from: string, to: string | null, after: number): Promise<Moved> {
    const ids = await repository.linksAfter(db, from, { owners, after, limit: MOST_OF_PART });
    const last = ids.length < MOST_OF_PART ? null : ids.at(-1)!;
    // Now that they are locked they may have other tags, and another owner.
    const found = [...(await rows.lockIds(db, ids)).values()].filter(
      ({ tags, ownerId }) => tags.includes(from) && (owners?.includes(ownerId ?? NOBODY) ?? true),
    );
    const free = found.filter((link) => rows.refusalOf(link) === null);
    const retagged = free.map((link) => {
      const others = link.tags.filter((tag) => tag !== from);
      return { link, after: to === null ? others : sortedTags([...others, to]) };
    });
    await rows.retag(db, retagged);
    const idsOf = (links: readonly Link[]) => links.map(({ id }) => id).sort((a, b) => a - b);
    return {
      moved: idsOf(free),
      had: to === null ? [] : idsOf(free.filter(({ tags }) => tags.includes(to))),
      last,
      refusal: found.map(rows.refusalOf).find((refusal) => refusal !== null),
    };
  }

  /**
   * The last portion records the event. Returns how many links lost the tag. @throws Conflict if all of them were taken
   * down
   */
  async function move(from: string, to: string | null, id: BulkId): Promise<number> {
    let links = 0;
    let refused: AppError | undefined;
    for (let after: number | null = 0; after !== null; ) {
      const start: number = after;
      const portion = await changes.write(async (tx) => {
        const { last, refusal, ...found } = await moveSome(tx.db, from, to, start);
        tx.changed("tags", to === null ? [from] : [from, to]);
        const all = links + found.moved.length;
        await record(tx.db, partEvents(actor, id, { from, to, ...found }));
        if (last === null && all > 0) await recordChange(tx.db, from, to, all);
        return { last, refusal, count: found.moved.length };
      });
      links += portion.count;
      after = portion.last;
      refused ??= portion.refusal;
    }
    if (links === 0 && refused !== undefined) throw refused;
    return links;
  }

  const changed = (count: TagCount, links: number, id: BulkId): TagChangeResult => ({
    ...count,
    change: links > 0 ? bulkText(id) : undefined,
  });
  const newId = (): BulkId => ({ at: clock.now(), bulk: newBulk() });

  return {
    /** The 10,000 that most links have. */
    list: (): Promise<TagCount[]> => repository.list(seen, MOST_TAGS_LISTED),

    /** Onto another tag: merges them. @throws NotFound, BadRequest, Conflict (all its links were taken down) */
    async rename(text: string, name: string): Promise<TagChangeResult> {
      const to = checkTag(name);
      const { tag } = await existing(text);
      const id = newId();
      const links = tag === to ? 0 : await move(tag, to, id);
      return changed((await repository.find(to, owners)) ?? { tag: to, links: 0 }, links, id);
    },

    /** From all links. Returns how many had it. @throws NotFound, BadRequest, Conflict (all its links were taken down) */
    async remove(text: string): Promise<TagChangeResult> {
      const found = await existing(text);
      const id = newId();
      return changed(found, await move(found.tag, null, id), id);
    },
  };
}
