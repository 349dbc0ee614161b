/** States of a link in its history, and the change that restores one. */
import { z } from "zod";
import { appError } from "../../lib/errors.ts";
import type { FallbackLoops } from "../fallback/loops.ts";
import { type ServedFields, wholeState } from "../link/events.ts";
import { isInternal } from "../link/internal-target.ts";
import type { Link } from "../link/link.ts";
import type { CheckedUpdate } from "../write/writer.ts";
import { parseRfc3339 } from "../../lib/rfc3339.ts";
import { type LinkFields, linkFieldsView, restoredFields } from "../link/field-values.ts";

type Deps = { loops: FallbackLoops; events: LinkEvents };

export type PastState = { eventId: number; state: EventState };

export type PastChange = {
  change: CheckedUpdate & { target: string };
  /** The whole state, with the extra fields of what it served. */
  state: Readonly<Record<string, unknown>>;
  /** The password has surely not changed since. */
  hasPasswordOfState: boolean;
};

/**
 * The change that sets a link to a state of its history. Code and password stay, and the owner: `state` names one only
 * where the event changed it. @throws NotFound, Conflict (too far back)
 */
export async function pastChange(
  { loops, events }: Deps,
  link: Link & { serves?: ServedFields | null },
  which: PastState,
): Promise<PastChange> {
  const found = await pastState(events, link, which);
  const patch = found && patchOfState(found.state);
  if (found === null || patch === null) {
    throw appError(
      "NotFound",
      "The history of this link has no such state; use the id of one of its entries.",
    );
  }
  if (!isInternal(patch.target)) {
    const refusal = await loops.refusal(link.code, { ...patch, ...patch.options });
    if (refusal !== null) throw refusal;
  }
  return { change: { code: link.code, ...patch }, ...found };
}

/** The change, if the link redirects after it. @throws Conflict */
export function requireRedirect(change: PastChange["change"]): PastChange["change"] {
  if (!isInternal(change.target)) return change;
  throw appError(
    "Conflict",
    "In that state the code served a share or a report. Restore it in the panel or over the API.",
  );
}

type LinkEvent = { id: number; subjectId: number | null; before: string | null; after: string | null };

export type EventState = "before" | "after";

export type LinkEvents = {
  find(id: number): Promise<LinkEvent | null>;
  /** The events of the subject after an event, oldest first. */
  newer(subjectId: number, id: number, limit: number): Promise<LinkEvent[]>;
};

type State = Record<string, unknown>;

const PORTION = 1_000;
const MOST_PORTIONS = 100;

const state = z.record(z.string(), z.unknown());
const read = (json: string): State => state.parse(JSON.parse(json));

/** Events of earlier versions have whole states. */
const isWhole = (recorded: State): boolean => "code" in recorded;

/**
 * The whole state of a link before or after an event, or null if there is none. An event has only the changed fields
 * (link/events.ts). Every other field has the value from before the next event that changed it, or else the present one.
 *
 * @param link as it is now, read before this call, with the extra fields of what it serves
 * @throws Conflict if too much has happened since
 */
async function pastState(
  events: LinkEvents,
  link: Link & { serves?: ServedFields | null },
  { eventId, state: side }: { eventId: number; state: EventState },
): Promise<Pick<PastChange, "state" | "hasPasswordOfState"> | null> {
  const event = await events.find(eventId);
  const json = event?.subjectId === link.id ? event[side] : null;
  if (json === null) return null;
  const recorded = read(json);
  if (isWhole(recorded)) return { state: recorded, hasPasswordOfState: false };
  // An event without tags means that there were none.
  const past: State = { tags: [], ...recorded };
  let hasPasswordOfState = side === "after" || !("password" in recorded);
  for (let after = eventId, portions = 0; portions < MOST_PORTIONS; portions++) {
    const newer = await events.newer(link.id, after, PORTION);
    for (const { before } of newer) {
      const found = before === null ? {} : read(before);
      addMissing(past, found);
      hasPasswordOfState &&= !("password" in found) && !isWhole(found);
      if (isWhole(found)) return { state: past, hasPasswordOfState };
    }
    if (newer.length < PORTION) {
      addMissing(past, read(JSON.stringify(wholeState(link))));
      return { state: past, hasPasswordOfState };
    }
    after = newer.at(-1)!.id;
  }
  throw appError(
    "Conflict",
    "This link has changed too often since then; choose a newer state of its history.",
  );
}

function addMissing(past: State, found: State): void {
  for (const [name, value] of Object.entries(found))
    if (!(name in past) && name !== "owner") past[name] = value;
}

const stateShape = z
  .object({ ...linkFieldsView, expires_at: z.string().transform((text) => parseRfc3339(text)) })
  .partial()
  .extend({ target: z.string() });

/** Without code and password, which stay. Null for what no link has. */
export function patchOfState(
  past: Record<string, unknown>,
): (LinkFields & { target: string; expiresAt: number | null }) | null {
  const set = Object.entries(past).filter(([, value]) => value !== null);
  const parsed = stateShape.safeParse(Object.fromEntries(set));
  if (!parsed.success) return null;
  const { target, expires_at: expiresAt = null, ...fields } = parsed.data;
  return { target, expiresAt, ...restoredFields(fields) };
}
