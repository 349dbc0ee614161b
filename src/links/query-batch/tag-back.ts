/**
 * Undoes a part of a change of a tag: each link gets the tag again and loses the one that replaced it. A link that has
 * since got the tag or lost its replacement stays as it is.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { LinkTransaction } from "../write/changes.ts";
import { linkNotFound } from "../link/code.ts";
import type { RecordLinkEvents } from "../link/events.ts";
import { codeOf } from "../link/key.ts";
import type { ExistingLink, LinkRepository } from "../write/repository.ts";
import { reaches } from "../write/reach.ts";
import { MOST_TAGS, sortedTags, tooManyTags } from "../tags/tag.ts";
import type { TagPart } from "../tags/tag-part.ts";
import type { TagRepository } from "../tags/repository.ts";
import type { Retagging } from "../tags/tagging.repository.ts";

type Deps = {
  repository: Pick<LinkRepository, "lockIds" | "retag">;
  tags: Pick<TagRepository, "keysOf">;
  record: RecordLinkEvents;
  clock: Clock;
  actor: Actor;
};

export type PartTakenBack = { restored: number; failed: { code: string; error: AppError }[] };

export const takePartBack =
  ({ repository, tags, record, clock, actor }: Deps) =>
  async (tx: LinkTransaction, part: TagPart): Promise<PartTakenBack> => {
    const links = await repository.lockIds(tx.db, part.moved);
    const had = new Set(part.had);
    const back: Retagging[] = [];
    const failed: PartTakenBack["failed"] = [];
    const gone: number[] = [];
    for (const id of part.moved) {
      const link = links.get(id);
      if (!reaches(actor, link)) {
        gone.push(id);
        continue;
      }
      const after = tagsBefore(link, part, had.has(id));
      if (after instanceof AppError) failed.push({ code: codeOf(link.code), error: after });
      else back.push({ id, ownerId: link.ownerId, before: link.tags, after });
    }
    await repository.retag(tx.db, back);
    tx.changed("tags", [part.from, ...(part.to === null ? [] : [part.to])]);
    if (back.length > 0) await tell(tx.db, part, back.length);
    const keys = gone.length === 0 ? new Map<number, string>() : await tags.keysOf(tx.db, gone);
    for (const id of gone) {
      const key = keys.get(id) ?? "";
      failed.push({ code: codeOf(key), error: linkNotFound(key) });
    }
    return { restored: back.length, failed };

    async function tell(db: Db, { from, to }: TagPart, count: number): Promise<void> {
      const states = { before: to === null ? null : { tag: to }, after: { tag: from, links: count } };
      await record(db, [{ at: clock.now(), actor, action: "tag.restore", subject: from, ...states }]);
    }
  };

function tagsBefore({ code, tags }: ExistingLink, { from, to }: TagPart, hadBoth: boolean) {
  const loses = to !== null && !hadBoth;
  if (tags.includes(from) || (loses && !tags.includes(to))) return changedSince(code);
  const before = sortedTags([...tags.filter((tag) => !(loses && tag === to)), from]);
  return before.length > MOST_TAGS ? tooManyTags(codeOf(code)) : before;
}

const changedSince = (key: string): AppError =>
  appError("Conflict", `The tags of "${codeOf(key)}" have been changed since and stay as they are.`);
