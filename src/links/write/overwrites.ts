/** Stored links that a write changes, and its events. */
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { EventRecord } from "../../lib/event.ts";
import { changeEvents, type ReviewVerb } from "../link/events.ts";
import type { LinkContent } from "../link/link.ts";

type Stored<L> = ReadonlyMap<string, L>;

/** Those that `still` names, now that they are locked. */
export async function among<L>(
  db: Db,
  existing: Stored<L>,
  { still }: { still?: (db: Db, codes: readonly string[]) => Promise<ReadonlySet<string>> },
): Promise<Stored<L>> {
  if (still === undefined || existing.size === 0) return existing;
  const kept = await still(db, [...existing.keys()]);
  return new Map([...existing].filter(([code]) => kept.has(code)));
}

type Writing = { actor: Actor; now: number; bulk?: number; review?: { verb: ReviewVerb } };
type Written = LinkContent & { code: string; ownerId: number | null };

/** @param moves new keys by the old ones  @param named of owners, where they change */
export const overwriteEvents = (
  overwrites: readonly Written[],
  existing: Stored<Written & { id: number }>,
  by: Writing,
  {
    moves,
    named,
  }: { moves?: ReadonlyMap<string, string>; named?: (link: Written) => string | null | undefined } = {},
): EventRecord[] =>
  overwrites.flatMap((written) => {
    const stored = existing.get(written.code)!;
    const before = { ...stored, owner: named?.(stored) };
    const after = { ...written, owner: named?.(written), code: moves?.get(written.code) ?? written.code };
    return changeEvents({ ...by, verb: by.review?.verb ?? "update" }, { id: before.id, before, after });
  });
