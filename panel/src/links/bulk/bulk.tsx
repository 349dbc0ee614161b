/** Bulk work on the selection. */
import type { Selected, LinkSelection } from "../list/selection.ts";
import type { LinksChange } from "./bulk-change.ts";
import { changeRun } from "./found-run.ts";
import { useRuns } from "./runs.tsx";

export function useBulk(selection: LinkSelection) {
  const runs = useRuns(selection.clear);
  return {
    task: runs.task,
    stop: runs.stop,
    remove: (selected: Selected) => runs.runAll(changeRun(selected, null)),
    /** A selection names links with their domain, which a move changes. */
    async change(selected: Selected, requested: LinksChange) {
      await runs.runAll(changeRun(selected, requested));
      if (requested.domain !== undefined) selection.clear();
    },
  };
}

export type Bulk = ReturnType<typeof useBulk>;
