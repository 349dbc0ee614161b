import { type Actor, mayChangeFiles } from "../../lib/actor.ts";
import type { ServedFields } from "../../links/link/events.ts";
import type { PatchInput, ShownLink } from "../../links/link/link.ts";
import type { PlannedChange } from "../../links/write/internal-links.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ShareChangesRepository } from "./changes.repository.ts";
import { isGone, pastUse, servedThen } from "./past-use.ts";
import { type Plan, QUIET } from "./plan.ts";
import { isOwnerOf, refuseOthers } from "./rights.ts";
import { idsOfWanted, servedFields, type ShareRecord } from "./served.ts";

/** Links as an actor may reach them. */
export type LinksOfActor = {
  get(key: string): Promise<{ target: string }>;
  prepare(key: string, input: PatchInput): Promise<PlannedChange>;
  past(
    key: string,
    which: PastState,
    serves: ServedFields | null,
  ): Promise<{
    change: PlannedChange["change"] & { target: string };
    state: Readonly<Record<string, unknown>>;
  }>;
};

export type PastState = { eventId: number; state: "before" | "after" };

/** Brings back what a code served. */
export function createReversal({
  repository,
  linksOf,
  clock,
  carryOut,
}: {
  repository: Pick<ShareChangesRepository, "serving" | "ownerOf" | "linkWith">;
  linksOf(actor: Actor): LinksOfActor;
  clock: Clock;
  carryOut(key: string, prepared: PlannedChange, plan: Plan): Promise<ShareRecord>;
}) {
  /**
   * Sets a link to a state of its history in which it served something, or from one. Null if it redirects and did.
   * @throws NotFound, Conflict (what it served is gone, or another account's), Forbidden (it serves files of others), and
   * like `patch`
   */
  return async (
    accountId: number,
    key: string,
    which: PastState,
    { actor, mayShare }: { actor: Actor; mayShare(): void },
  ): Promise<ShownLink | null> => {
    const serves = await repository.serving(key);
    const past = await linksOf(actor).past(key, which, serves && servedFields(serves));
    const use = pastUse(past.change.target, past.state);
    if (use === null && serves === null) return null;
    const planned = { change: past.change, renamed: null, now: clock.now() };
    if (serves !== null) await refuseOthers(repository, key, actor);
    const tree = serves?.accountId ?? accountId;
    const isShare = serves !== null;
    const plan = { ...QUIET, actor, accountId: tree, isShare, isOwner: isOwnerOf(actor) };
    if (use === null) {
      return carryOut(key, planned, { ...plan, wanted: { kind: "url" }, maxDownloads: undefined });
    }
    mayShare();
    const owner = await repository.ownerOf(idsOfWanted(use.wanted));
    if (owner === null) throw servedThen("does not exist any more");
    if (!mayChangeFiles(actor, owner)) throw servedThen("belongs to another account");
    const back = { ...plan, ...use, says: () => use.says, accountId: owner };
    return carryOut(key, planned, back).catch((error: unknown) => {
      throw isGone(error) ? servedThen("does not exist any more") : error;
    });
  };
}
