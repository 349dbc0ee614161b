/** Which links an actor may see and change. */
import { type Actor, mayChange, mayRead } from "../../lib/actor.ts";
import type { AppError } from "../../lib/errors.ts";
import { linkNotFound, mentionedBefore, viewersOnly } from "../link/code.ts";
import type { Link } from "../link/link.ts";
import { servedRefusal } from "./served-links.ts";
import { takenDownRefusal } from "./allowed-targets.ts";

type Owned = Pick<Link, "id" | "code" | "ownerId" | "options">;

export const reaches = <L extends Pick<Link, "ownerId">>(actor: Actor, link: L | undefined): link is L =>
  link !== undefined && mayRead(actor, link.ownerId);

/** @param filesOwners of links that serve files, by id. Per code: itself, or why it may not be removed. */
export function planRemoval(
  codes: readonly string[],
  existing: ReadonlyMap<string, Owned>,
  actor: Actor,
  filesOwners: ReadonlyMap<number, number>,
): (string | AppError)[] {
  const claimed = new Set<string>();
  const servedBy = ({ id, code }: Owned) => servedRefusal(actor, code, filesOwners.get(id));
  return codes.map((code) => {
    const stored = existing.get(code);
    if (!reaches(actor, stored)) return linkNotFound(code);
    if (!mayChange(actor, stored.ownerId)) return viewersOnly(code);
    if (claimed.has(code)) return mentionedBefore(code);
    const takenDown = takenDownRefusal(stored);
    // Administrators delete what they took down.
    const refusal = actor.ownOnly || takenDown === null ? (takenDown ?? servedBy(stored)) : null;
    if (refusal !== null) return refusal;
    claimed.add(code);
    return code;
  });
}
