import type { Actor } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import type { FallbackLoops } from "../fallback/loops.ts";
import type { ServedFields } from "../link/events.ts";
import { isInternal } from "../link/internal-target.ts";
import type { Link } from "../link/link.ts";
import type { CheckedUpdate, LinkWriter, WriteOutcome, WrittenLink } from "../write/writer.ts";
import { type EventState, type LinkEvents, pastState } from "./past-state.ts";
import { patchOfState } from "./state.ts";

type Deps = {
  writer: Pick<LinkWriter, "update">;
  loops: FallbackLoops;
  events: LinkEvents;
};

export type PastChange = {
  change: CheckedUpdate & { target: string };
  /** The whole state, with the extra fields of what it served. */
  state: Readonly<Record<string, unknown>>;
};

/**
 * The change that sets a link to a state of its history. Code and password stay. @throws NotFound, Conflict (too far
 * back)
 */
export async function pastChange(
  { loops, events }: Pick<Deps, "loops" | "events">,
  link: Link & { serves?: ServedFields | null },
  which: { eventId: number; state: EventState },
): Promise<PastChange> {
  const state = await pastState(events, link, which);
  const patch = state && patchOfState(state);
  if (state === null || patch === null) {
    throw appError(
      "NotFound",
      "The history of this link has no such state; use the id of one of its entries.",
    );
  }
  if (!isInternal(patch.target)) {
    const refusal = await loops.refusal(link.code, { ...patch, ...patch.options });
    if (refusal !== null) throw refusal;
  }
  return { change: { code: link.code, ...patch }, state };
}

/** For states that redirect. @throws NotFound, Conflict (too far back, it served a share) */
export async function revertLink(
  deps: Deps,
  link: Link,
  { eventId, state, ...by }: { eventId: number; state: EventState; actor: Actor; now: number },
): Promise<WriteOutcome<WrittenLink>> {
  const { change } = await pastChange(deps, link, { eventId, state });
  if (isInternal(change.target)) {
    throw appError(
      "Conflict",
      "In that state the code served a file or folder. Restore it in the panel or over the API.",
    );
  }
  const [outcome] = await deps.writer.update([change], by);
  return outcome!;
}
