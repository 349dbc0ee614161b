import type { Actor } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import type { FallbackLoops } from "../fallback/loops.ts";
import type { Link } from "../link/link.ts";
import type { LinkWriter, WriteOutcome, WrittenLink } from "../write/writer.ts";
import { type EventState, type LinkEvents, pastState } from "./past-state.ts";
import { patchOfState } from "./state.ts";

type Deps = {
  writer: Pick<LinkWriter, "update">;
  loops: FallbackLoops;
  events: LinkEvents;
};

/** Sets a link to a state of its history. Code and password stay. @throws NotFound, Conflict (too far back) */
export async function revertLink(
  { writer, loops, events }: Deps,
  link: Link,
  { eventId, state, ...by }: { eventId: number; state: EventState; actor: Actor; now: number },
): Promise<WriteOutcome<WrittenLink>> {
  const past = await pastState(events, link, { eventId, state });
  const patch = past && patchOfState(past);
  if (patch === null) {
    throw appError(
      "NotFound",
      "The history of this link has no such state; use the id of one of its entries.",
    );
  }
  const refusal = await loops.refusal(link.code, { ...patch, ...patch.options });
  if (refusal !== null) throw refusal;
  const [outcome] = await writer.update([{ code: link.code, ...patch }], by);
  return outcome!;
}
