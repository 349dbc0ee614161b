/** Conditions and locks of a change: checked before its body is read, and in its transaction, which holds the tree. */
import type { Db } from "../../db/dialect.ts";
import { isNotModified, isPreconditionFailed } from "../../lib/conditional-request.ts";
import { appError } from "../../lib/errors.ts";
import { beforeFirstWrite } from "../../lib/first-write.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import type { Entry } from "../tree/entry.ts";
import { type ConditionList, holds, tokensOf } from "./if-header.ts";
import { covers, type DavLocks, requireTokens, type Touch } from "./locks.ts";
import { type DavPlace, pathOf, type Spot, type SpotOf } from "./places.ts";
import { etagOf, modifiedAt } from "./properties.ts";

export type DavChange = {
  place: DavPlace;
  callerId: number;
  header(name: string): string | undefined;
  conditions: readonly ConditionList[];
  /** Of an address in the header If; null for another tree. */
  placeOf(resource: string): DavPlace | null;
};

/** Runs what writes, with the checks and the plan at the start of its transaction. */
export type Finish = <R>(write: () => Promise<R>) => Promise<R>;

export type Checks = ReturnType<typeof createChecks>;

export function createChecks({
  tree,
  spotOf,
  locks,
}: {
  tree: AccountTree;
  spotOf: SpotOf;
  locks: DavLocks;
}) {
  async function check(change: DavChange, reach: Touch["reach"], db?: Db): Promise<Spot> {
    const { place } = change;
    const spot = await spotOf(place, db);
    const held = await locks.of(place.tree, db);
    const stateAt = (path: string, entry: Entry | null) => {
      const around = held.filter((lock) => covers(lock, path));
      return { tokens: new Set(around.map(({ token }) => token)), etag: entry && etagOf(entry) };
    };
    const own = stateAt(pathOf(place), spot.entry);
    const stateOf = async (resource: string | null) => {
      if (resource === null) return own;
      const where = change.placeOf(resource);
      if (where === null) return { tokens: new Set<string>(), etag: null };
      return stateAt(pathOf(where), (await spotOf(where, db)).entry);
    };
    if (!(await holds(change.conditions, stateOf))) throw failed("The header If does not hold.");
    requireMatch(change.header, spot.entry);
    const isNew = spot.entry === null && reach === "self";
    requireTokens(held, { path: pathOf(place), reach: isNew ? "member" : reach }, holderOf(change));
    return spot;
  }

  return {
    /** @throws PreconditionFailed, 423 */
    async checked<T>(
      change: DavChange,
      reach: Touch["reach"],
      run: (spot: Spot, finish: Finish) => Promise<T>,
      plan?: (tx: Db) => Promise<unknown>,
    ): Promise<T> {
      const spot = await check(change, reach);
      const before = async (tx: Db): Promise<void> => {
        await tree.lock(tx, change.place.tree);
        await check(change, reach, tx);
        await plan?.(tx);
      };
      return run(spot, (write) => beforeFirstWrite((tx) => before(tx as Db), write).result);
    },
  };
}

export const holderOf = ({ callerId, conditions }: DavChange) => ({
  id: callerId,
  tokens: tokensOf(conditions),
});

/** @throws PreconditionFailed */
function requireMatch(header: DavChange["header"], entry: Entry | null): void {
  if (entry === null) {
    if (header("If-Match") !== undefined) throw failed("There is nothing that matches If-Match.");
    return;
  }
  const validators = { etag: etagOf(entry) ?? "", modifiedAt: modifiedAt(entry) };
  if (isPreconditionFailed(header, validators)) throw failed("It was changed since you read it.");
  const ofWrites = (name: string) => (name === "If-Modified-Since" ? undefined : header(name));
  if (isNotModified(ofWrites, validators)) throw failed("It exists as If-None-Match names it.");
}

export const failed = (message: string) => appError("PreconditionFailed", message);
export const missing = () => appError("FileNotFound", "There is nothing at this address.");
export const fixed = () => appError("Forbidden", "This folder stays as it is.");

/** @throws Conflict */
export function existing(parentId: number | null): number {
  if (parentId !== null) return parentId;
  throw appError("Conflict", "There is no such folder. Make it first.");
}
