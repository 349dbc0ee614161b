/**
 * Bulk changes of links, as the events have them, and their undo by a job, which goes on after the end of a process: each
 * portion notes in its transaction how far it came.
 */
import type { Changes } from "../../platform/cluster/changes.ts";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import type { Role, Teams } from "../../lib/access.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { rest } from "../../lib/rest.ts";
import { type BulkId, bulkText } from "../bulk-id.ts";
import type { BulkChange, BulkChangeRepository } from "./repository.ts";

export type BulkChanges = ReturnType<typeof createBulkChanges>;

export type ShownBulkChange = BulkChange & { isUndoable: boolean };

type Account = { role: Role; teams?: Teams | undefined };

type Deps = {
  repository: BulkChangeRepository;
  changes: Pick<Changes, "write">;
  /** Undoes a portion after an event. Returns the event after which to continue; null at the end. */
  undoPortion(actor: Actor, change: BulkChange, after: number): Promise<number | null>;
  /** Null when deleted or disabled. */
  findAccount(id: number): Promise<Account | null>;
  restoreDays(): number;
  retentionDays(): number;
  clock: Clock;
};

export const BULK_UNDO = "links-bulk-undo";
const DAY_MS = 86_400_000;
const LOOK_MS = 60_000;
/** The part of the time that is left to others. */
const REST = 0.1;

export function createBulkChanges(deps: Deps) {
  const { repository, changes, clock } = deps;

  const shown = (change: BulkChange): ShownBulkChange => {
    const isKept =
      !change.action.endsWith(".delete") ||
      change.action === "tag.delete" ||
      change.at >= clock.now() - deps.restoreDays() * DAY_MS;
    return {
      ...change,
      isUndoable: change.state !== "undoing" && change.restored < change.links && isKept,
    };
  };

  const reached = (actor: Actor, change: BulkChange | null): BulkChange => {
    if (change !== null && (!actor.ownOnly || change.accountId === actor.accountId)) return change;
    throw appError("NotFound", "There is no such bulk change.");
  };

  /** As who the undo runs; null if the account may not do so any more. */
  async function undoerOf({ undoneBy, undoneVia, undoneAccount: id }: BulkChange): Promise<Actor | null> {
    if (id === null) return COMMAND;
    const account = await deps.findAccount(id);
    if (account === null || account.role === "user") return null;
    const { role, teams } = account;
    return {
      name: undoneBy ?? "",
      via: undoneVia ?? "panel",
      accountId: id,
      ownOnly: role !== "admin",
      role,
      teams,
    };
  }

  async function undoWhole(change: BulkChange, signal: AbortSignal): Promise<void> {
    const actor = await undoerOf(change);
    if (actor === null) {
      const refusal = "The account that undid it is disabled, deleted or no editor any more.";
      await changes.write((tx) => repository.update(tx.db, change, { state: "done", refusal }));
      return;
    }
    for (let after: number | null = change.undoPlace; after !== null && !signal.aborted; ) {
      const start = performance.now();
      after = await deps.undoPortion(actor, change, after);
      await rest((performance.now() - start) * REST, signal);
    }
  }

  async function undoAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = await repository.undoing();
      if (next === null) return;
      await undoWhole(next, signal);
    }
  }

  return {
    /** Newest first: those of the account, of all for an administrator. */
    async page(actor: Actor, after: BulkId | null, limit: number) {
      const account = actor.ownOnly ? (actor.accountId ?? -1) : null;
      const found = await repository.page(account, after, limit + 1);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return { found: page.map(shown), next: last === undefined ? null : { at: last.at, bulk: last.bulk } };
    },

    /** @throws NotFound */
    find: async (actor: Actor, id: BulkId): Promise<ShownBulkChange> =>
      shown(reached(actor, await repository.find(id))),

    /** The job begins it at once. @throws NotFound, Conflict for one that can't be undone */
    undo: (actor: Actor, id: BulkId): Promise<ShownBulkChange> =>
      changes.write(async (tx) => {
        const change = reached(actor, await repository.lock(tx.db, id));
        if (change.state === "undoing") return shown(change);
        if (!shown(change).isUndoable) {
          throw appError("Conflict", "This change is undone already, or its links are deleted for good.");
        }
        const set = {
          state: "undoing",
          undoPlace: 0,
          failed: 0,
          refusal: null,
          undoneAt: clock.now(),
          undoneBy: actor.name,
          undoneVia: actor.via,
          undoneAccount: actor.accountId,
        } as const;
        await repository.update(tx.db, id, set);
        tx.changed("bulk", [bulkText(id)]);
        return shown({ ...change, ...set });
      }),

    /** For a process that holds the lease of the job. */
    undoAll,

    job: {
      name: BULK_UNDO,
      everyMs: () => LOOK_MS,
      soonAfter: "bulk" as const,
      async run(signal: AbortSignal): Promise<void> {
        await undoAll(signal);
        await repository.removeBefore(clock.now() - deps.retentionDays() * DAY_MS);
      },
    },
  };
}
