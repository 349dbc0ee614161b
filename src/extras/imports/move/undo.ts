/**
 * Undoes an import in portions of one transaction each, so that it continues after any kill: links that nobody changed
 * since go with their counts, visits and tags; the others stay, and notes say so. What visitors clicked here since stays
 * in the sums, and such a link can be put back like any deleted one.
 */
import type { MovedFiles } from "../../../files/moved/service.ts";
import type { Database } from "../../../platform/db/database.ts";
import { type Actor, SYSTEM } from "../../../lib/actor.ts";
import { appError } from "../../../lib/errors.ts";
import { codeOf } from "../../../links/link/key.ts";
import { writeLinks } from "../../../links/write/changes.ts";
import { deleteLinks } from "../../../links/write/rows.repository.ts";
import type { LinkRepository } from "../../../links/write/repository.ts";
import type { StoredImport } from "./repository.ts";
import { countNote, type Note } from "./state.ts";
import { createUndoRepository, createUndoSums } from "./undo.repository.ts";
import { NOT_MADE } from "./visits.repository.ts";
import type { RunDeps } from "./portions.ts";

type Deps = Pick<RunDeps, "changes" | "repository" | "clock"> & {
  database: Database;
  links: Pick<LinkRepository, "lockIds">;
  files: Pick<MovedFiles, "changedShares" | "undoSome">;
  /** Flushes the clicks of all processes. */
  settle(): Promise<unknown>;
};

const LINKS_AT_ONCE = 200;
const ROWS_AT_ONCE = 5_000;
const VALUES_AT_ONCE = 500;
/** Half of the time is for others. */
const REST_MS = 20;
const CHANGED = "It was changed since; it stays with its clicks.";
const FILES_CHANGED = "Its files were changed since; they stay.";

export function createUndo({ database, changes, repository, links, files, settle, clock }: Deps) {
  const undoing = createUndoRepository(database);
  const sums = createUndoSums(database);
  const written = writeLinks(changes);

  async function portion(id: number, actor: Pick<Actor, "name">): Promise<boolean> {
    const found = await undoing.next(id, 0, LINKS_AT_ONCE);
    if (found.length === 0) return false;
    const linkIds = found.map(({ linkId }) => linkId);
    const fitting = await undoing.fitting(id, linkIds, ROWS_AT_ONCE);
    await written(async (tx) => {
      const row = await repository.lock(tx.db, id);
      if (row.state !== "undoing") return;
      const rows = (await undoing.next(id, 0, LINKS_AT_ONCE, tx.db)).filter(({ linkId }) =>
        fitting.has(linkId),
      );
      const fittingIds = rows.map(({ linkId }) => linkId);
      const there = await links.lockIds(tx.db, fittingIds);
      const changed = await files.changedShares(tx.db, id, [...there.keys()]);
      const touched = rows.flatMap(({ linkId, madeAt }) => {
        const updatedAt = there.get(linkId)?.updatedAt;
        if (updatedAt === undefined || madeAt === NOT_MADE || updatedAt === madeAt) return [];
        return [{ id: linkId, updatedAt, madeAt }];
      });
      const titled = await undoing.onlyTitled(tx.db, touched);
      for (const { id: linkId } of touched) if (!titled.has(linkId)) changed.add(linkId);
      const kept = rows.filter(({ linkId, madeAt }) => madeAt !== NOT_MADE && changed.has(linkId));
      const counted = rows.filter((one) => !kept.includes(one));
      const others = counted.filter(({ madeAt }) => madeAt === NOT_MADE).map(({ linkId }) => linkId);
      const ids = counted.filter(({ madeAt }) => madeAt !== NOT_MADE).map(({ linkId }) => linkId);
      const notes = kept.map(({ linkId }): Note => {
        return { position: 0, kind: "kept", code: codeOf(there.get(linkId)!.code), reason: CHANGED };
      });
      const keptIds = kept.map(({ linkId }) => linkId);
      if (kept.length > 0) await sums.keep(tx.db, id, keptIds);
      if (counted.length > 0) {
        await undoing.takeOutCounts(tx.db, counted, row.createdAt);
        await sums.takeOut(tx.db, id, [...ids, ...others]);
      }
      await undoing.forget(tx.db, id, [...keptIds, ...others]);
      if (ids.length > 0) {
        const by = {
          dialect: database.dialect,
          record: async () => {},
          actor: { ...actor, via: "import" } as const,
        };
        tx.changed("links", await deleteLinks(tx.db, "id", ids, { ...by, now: clock.now() }));
      }
      await undoing.markRemoved(tx.db, id, ids);
      for (const note of notes) countNote(row.report, note);
      row.report.counts.links_removed += ids.length;
      await repository.addNotes(tx.db, id, notes);
      await repository.update(tx.db, id, { report: row.report }, clock.now());
    });
    return true;
  }

  /** After the links: what they shared. */
  const undoFiles = (id: number, actor: Pick<Actor, "name">) => () =>
    files.undoSome(id, { ...SYSTEM, ...actor, via: "import" }, async (tx, { files: removed, kept }) => {
      const { state, report } = await repository.lock(tx, id);
      if (state !== "undoing") throw appError("Conflict", "The import is not being undone.");
      const notes = kept.map(
        (name): Note => ({ position: 0, kind: "kept", code: name, reason: FILES_CHANGED }),
      );
      for (const note of notes) countNote(report, note);
      report.counts.files_removed += removed;
      await repository.addNotes(tx, id, notes);
      await repository.update(tx, id, { report }, clock.now());
    });

  async function inTurns(step: () => Promise<boolean>, lost: AbortSignal): Promise<void> {
    while (!lost.aborted && (await step())) await Bun.sleep(REST_MS);
    lost.throwIfAborted();
  }

  /** What the settled clicks left. */
  const purge = (id: number) => () =>
    database.transaction(async (tx) => {
      const rows = await undoing.next(id, 1, LINKS_AT_ONCE, tx);
      if (rows.length === 0) return false;
      const ids = rows.map(({ linkId }) => linkId);
      await undoing.purge(tx, ids);
      await undoing.forget(tx, id, ids);
      return true;
    });

  /** Rejects if the lease is lost; repeat it then. */
  return async function undo(
    { id }: Pick<StoredImport, "id">,
    actor: Pick<Actor, "name">,
    lost: AbortSignal,
  ): Promise<void> {
    await inTurns(() => portion(id, actor), lost);
    await inTurns(() => database.transaction((tx) => sums.takeOutTotals(tx, id, VALUES_AT_ONCE)), lost);
    await settle();
    await inTurns(purge(id), lost);
    await inTurns(undoFiles(id, actor), lost);
  };
}
