/**
 * The whole state of a link before or after an event. An event has only the changed fields (link/events.ts).
 * Every other field has the value from before the next event that changed it, or else the present one.
 */
import { z } from "zod";
import { appError } from "../../lib/errors.ts";
import { type ServedFields, wholeState } from "../link/events.ts";
import type { Link } from "../link/link.ts";

export type LinkEvent = { id: number; subjectId: number | null; before: string | null; after: string | null };

export type EventState = "before" | "after";

export type LinkEvents = {
  find(id: number): Promise<LinkEvent | null>;
  /** Of the subject, after the event, oldest first. */
  newer(subjectId: number, id: number, limit: number): Promise<LinkEvent[]>;
};

type State = Record<string, unknown>;

const PORTION = 1_000;
const MOST_PORTIONS = 100;

const state = z.record(z.string(), z.unknown());
const read = (json: string): State => state.parse(JSON.parse(json));

/** Events of earlier versions have whole states. */
const isWhole = (told: State): boolean => "code" in told;

/**
 * Null if the link has no such event, or the event no such state. @param link as it is now, read before this call,
 * with the extra fields of what it serves
 * @throws Conflict if too much has happened since
 */
export async function pastState(
  events: LinkEvents,
  link: Link & { serves?: ServedFields | null },
  { eventId, state: side }: { eventId: number; state: EventState },
): Promise<State | null> {
  const event = await events.find(eventId);
  const json = event?.subjectId === link.id ? event[side] : null;
  if (json === null) return null;
  const told = read(json);
  if (isWhole(told)) return told;
  // An event without tags means that there were none.
  const past: State = { tags: [], ...told };
  for (let after = eventId, portions = 0; portions < MOST_PORTIONS; portions++) {
    const newer = await events.newer(link.id, after, PORTION);
    for (const { before } of newer) {
      const found = before === null ? {} : read(before);
      addMissing(past, found);
      if (isWhole(found)) return past;
    }
    if (newer.length < PORTION) {
      addMissing(past, read(JSON.stringify(wholeState(link))));
      return past;
    }
    after = newer.at(-1)!.id;
  }
  throw appError(
    "Conflict",
    "This link has changed too often since then; choose a newer state of its history.",
  );
}

function addMissing(past: State, found: State): void {
  for (const [name, value] of Object.entries(found)) if (!(name in past)) past[name] = value;
}
