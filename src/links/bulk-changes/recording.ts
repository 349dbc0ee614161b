import { type EventRecord, PART_OF_BULK } from "../../lib/event.ts";
import type { RecordLinkEvents } from "../link/events.ts";
import type { BulkChangeRepository } from "./repository.ts";

/** A state with the host of its domain. */
type Named = (state: object | null | undefined) => object | null;

/** Keeps each bulk change beside its events, which a call has of one change only. */
export const recordBulkChanges =
  (repository: Pick<BulkChangeRepository, "add">, record: RecordLinkEvents, named: Named): RecordLinkEvents =>
  async (db, events) => {
    await record(db, events);
    const [first] = events;
    if (first?.bulk === undefined) return;
    const { at, bulk, actor } = first;
    const { action, subject, before, after } = shownOf(first);
    await repository.add(db, {
      at,
      bulk,
      actor: actor.name.slice(0, NAME_LENGTH),
      via: actor.via,
      accountId: actor.accountId ?? null,
      action,
      subject: subject.slice(0, SUBJECT_LENGTH),
      before: jsonOf(named(before)),
      after: jsonOf(named(after)),
      links: events.reduce((sum, event) => sum + linksOf(event), 0),
    });
  };

const NAME_LENGTH = 140;
const SUBJECT_LENGTH = 300;

const jsonOf = (state: object | null): string | null => (state === null ? null : JSON.stringify(state));

/** A part of a change of a tag (tags/tag.ts). */
type Part = { from: string; to: string | null; moved: readonly number[] };

const linksOf = ({ action, before }: EventRecord): number =>
  action === PART_OF_BULK ? (before as Part).moved.length : 1;

function shownOf(event: EventRecord): Pick<EventRecord, "action" | "subject" | "before" | "after"> {
  if (event.action !== PART_OF_BULK) return event;
  const { from, to } = event.before as Part;
  return {
    action: to === null ? "tag.delete" : "tag.rename",
    subject: from,
    before: { tag: from },
    after: to === null ? null : { tag: to },
  };
}
