/**
 * Creates with `reuse`: a link of the same domain that the actor may change, with the same target and nothing else set,
 * is the outcome instead of a new one. Creates with the same target take turns, so two at once make one link.
 */
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, ownersChangedBy } from "../../lib/actor.ts";
import type { CheckedCreate, WriteOutcome } from "./plans.ts";
import type { ReuseRepository } from "./reuse.repository.ts";
import { hashOfTarget } from "../link/target-hash.ts";

type Creating<T> = {
  db: Db;
  actor: Actor;
  create(fresh: readonly CheckedCreate[]): Promise<WriteOutcome<T>[]>;
};
type Asking = { entry: CheckedCreate; hash: number; target: string };

/** Creates what can't be reused. Per entry: the outcome of `create`, or the key of the reused link. */
export async function createUnlessReused<T>(
  repository: ReuseRepository,
  { db, actor, create }: Creating<T>,
  entries: readonly CheckedCreate[],
): Promise<WriteOutcome<T | string>[]> {
  const asking = entries
    .filter(({ reuse }) => reuse)
    .map(
      (entry): Asking => ({
        entry,
        hash: hashOfTarget(entry.domain, entry.target),
        target: entry.target,
      }),
    );
  if (asking.length === 0) return create(entries);
  await repository.takeTurns(
    db,
    asking.map(({ hash }) => hash),
  );
  const reused = await reusedKeys(repository, { db, actor }, asking);
  const doubles = doublesAmong(
    asking.filter(({ entry }) => !reused.has(entry)),
    actor,
  );
  const fresh = entries.filter((entry) => !reused.has(entry) && !doubles.has(entry));
  const made = fresh.length === 0 ? [] : await create(fresh);
  const outcomes = new Map(fresh.map((entry, at) => [entry, made[at]!]));
  return entries.map((entry) => reused.get(entry) ?? outcomes.get(doubles.get(entry) ?? entry)!);
}

async function reusedKeys(
  repository: ReuseRepository,
  { db, actor }: { db: Db; actor: Actor },
  asking: readonly Asking[],
): Promise<Map<CheckedCreate, string>> {
  const reused = new Map<CheckedCreate, string>();
  for (const [ownerId, those] of Map.groupBy(asking, ({ entry }) => entry.ownerId)) {
    const owners = ownerId === undefined ? ownersChangedBy(actor) : [ownerId];
    const keys = await repository.keys(db, those, owners);
    for (const [at, key] of keys.entries()) if (key !== null) reused.set(those[at]!.entry, key);
  }
  return reused;
}

/** Later entries that the link of an earlier one serves, with that one. */
function doublesAmong(asking: readonly Asking[], actor: Actor): Map<CheckedCreate, CheckedCreate> {
  const doubles = new Map<CheckedCreate, CheckedCreate>();
  for (const those of Map.groupBy(asking, ({ hash, target }) => `${hash} ${target}`).values()) {
    const first = new Map<number | null | undefined, CheckedCreate>();
    for (const { entry } of those) {
      const earlier = first.get(entry.ownerId);
      if (earlier !== undefined) doubles.set(entry, earlier);
      else {
        first.set(entry.ownerId ?? actor.accountId, entry);
        // An entry without an owner takes any link.
        if (!first.has(undefined)) first.set(undefined, entry);
      }
    }
  }
  return doubles;
}
