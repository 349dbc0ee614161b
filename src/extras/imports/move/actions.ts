/** What people ask of an import. The work follows from its state (work.ts). */
import { appError } from "../../../lib/errors.ts";
import { pagesAfter } from "../../../lib/pages.ts";
import type { StoredImport } from "./repository.ts";
import { emptyReport, type ImportState, type MoveOptions, type Note } from "./state.ts";
import { dropFile, WORKING, type WorkDeps } from "./work.ts";

type Deps = Pick<WorkDeps, "database" | "repository" | "folder" | "clock">;

const NOTES_AT_ONCE = 1_000;

export function createMoveActions(deps: Deps) {
  const { database, repository, clock } = deps;

  /** In a state from which it may go on. @throws Conflict */
  async function move(
    id: number,
    from: readonly ImportState[],
    to: ImportState,
    set: (row: StoredImport) => Partial<StoredImport> = () => ({}),
  ): Promise<StoredImport> {
    return database.transaction(async (tx) => {
      const row = await repository.lock(tx, id);
      if (!from.includes(row.state)) throw appError("Conflict", refusal(row.state, to));
      const report = { ...row.report, problem: null };
      await repository.update(tx, id, { report, ...set(row), state: to }, clock.now());
      return repository.find(id, tx);
    });
  }

  return {
    /** Before it brought something, or again where it stopped. */
    start: (id: number) =>
      move(id, ["previewed", "previewing", "stopped"], "running", ({ linkPlace, report: { columns } }) =>
        // What the preview counted is counted again.
        linkPlace === 0 ? { report: { ...emptyReport(), columns } } : {},
      ),
    undo: (id: number) => move(id, ["done", "stopped", "running"], "undoing"),
    confirm: (id: number) => move(id, ["done"], "confirming"),

    /** Previews again. @throws Conflict once it was started */
    async change(id: number, options: Partial<MoveOptions>): Promise<StoredImport> {
      const { options: before, linkPlace } = await repository.find(id);
      if (linkPlace > 0) throw appError("Conflict", "The import has begun; its options stay.");
      const set = { options: { ...before, ...options }, report: emptyReport() };
      return move(id, ["previewing", "previewed", "stopped"], "previewing", () => set);
    },

    /** @throws Conflict while it may be undone, or is worked on */
    async drop(id: number): Promise<void> {
      const row = await repository.find(id);
      const isUnused = row.state === "previewed" || (row.state === "stopped" && row.linkPlace === 0);
      if (!isUnused && row.state !== "undone" && row.state !== "confirmed") {
        throw appError("Conflict", "Undo or confirm the import first.");
      }
      while (await database.transaction((tx) => repository.forget(tx, id, "import_notes")));
      await repository.remove(id);
      await dropFile(deps, row);
    },

    allNotes(id: number): AsyncGenerator<readonly Note[], void> {
      const find = (after: number, limit: number) => repository.notes(id, null, after, limit);
      return pagesAfter(0, NOTES_AT_ONCE, find, (last) => last.id);
    },
  };
}

function refusal(state: ImportState, to: ImportState): string {
  if (WORKING.includes(state)) return "The import is being worked on. Wait until that is done.";
  if (state === "confirmed") return "The import is confirmed; delete its links like others.";
  if (state === "undone") return "The import is undone.";
  if (to === "undoing" || to === "confirming") return "The import has brought nothing yet.";
  return "The import is done.";
}
