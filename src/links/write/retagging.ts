/** Gives links other tags, as a change of the tags themselves does. */
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { linkEvent, type RecordLinkEvents } from "../link/events.ts";
import type { TagRepository } from "../tags/repository.ts";
import type { ExistingLink, LinkRepository } from "./repository.ts";

export type RetagDeps = {
  repository: Pick<LinkRepository, "retag">;
  tags: Pick<TagRepository, "touch">;
  record: RecordLinkEvents;
  clock: Clock;
  actor: Actor;
};

/** Takes at most 1,000 links, which are locked. Each is dated and has an event, as with any other change. */
export const retagLinks =
  ({ repository, tags, record, clock, actor }: RetagDeps) =>
  async (db: Db, changes: readonly { link: ExistingLink; after: readonly string[] }[]): Promise<void> => {
    const now = clock.now();
    await repository.retag(
      db,
      changes.map(({ link: { id, ownerId, tags: before }, after }) => ({ id, ownerId, before, after })),
    );
    await tags.touch(
      db,
      changes.map(({ link }) => link.id),
      now,
    );
    const doing = { actor, now, verb: "update" } as const;
    await record(
      db,
      changes.map(({ link, after }) =>
        linkEvent(doing, { id: link.id, before: link, after: { ...link, tags: after } }),
      ),
    );
  };
