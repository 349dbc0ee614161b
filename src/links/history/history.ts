import type { Actor } from "../../lib/actor.ts";
import { type AppError, appError } from "../../lib/errors.ts";
import type { Link } from "../link.ts";
import type { LinkWriter, WriteOutcome, WrittenLink } from "../writer.ts";
import { patchOfState } from "./state.ts";

export type LinkEvent = { subjectId: number | null; before: string | null; after: string | null };

/** Which state of an event. */
export type EventState = "before" | "after";

export type FindLinkEvent = (id: number) => Promise<LinkEvent | null>;

type Deps = {
  writer: Pick<LinkWriter, "update">;
  loops: {
    refusal(code: string | null, fallbackUrl: string | null | undefined): Promise<AppError | null>;
  };
  findEvent: FindLinkEvent;
};

/** Sets a link to the state that an event of its history tells. Code and password stay. @throws NotFound */
export async function revertLink(
  { writer, loops, findEvent }: Deps,
  link: Pick<Link, "id" | "code">,
  { eventId, state, ...by }: { eventId: number; state: EventState; actor: Actor; now: number },
): Promise<WriteOutcome<WrittenLink>> {
  const event = await findEvent(eventId);
  const json = event?.subjectId === link.id ? event[state] : null;
  const patch = json === null ? null : patchOfState(json);
  if (patch === null) {
    throw appError("NotFound", "The history of this link has no such state; take an id from it.");
  }
  const refusal = await loops.refusal(link.code, patch.options.fallbackUrl);
  if (refusal !== null) throw refusal;
  const [outcome] = await writer.update([{ code: link.code, ...patch }], by);
  return outcome!;
}
