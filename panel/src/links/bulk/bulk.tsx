/** Bulk work on the selection. */
import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import type { Link } from "../../app/api.ts";
import { dropDraft } from "../../ui/draft.ts";
import { useFailureNotice } from "../../ui/undo.tsx";
import { linksBetween } from "../list/page-queries.ts";
import type { Selected, Selection } from "../list/selection.ts";
import { BULK_DRAFT, type BulkChange } from "./bulk-change.ts";
import { moveBack, type Moved, moveLinks, type Refusals } from "./bulk-moves.ts";
import { changeRun } from "./found-run.ts";
import { Back, Done, useRuns } from "./runs.tsx";

export function useBulk(selection: Selection) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onFailure = useFailureNotice();
  const runs = useRuns(selection.clear);
  const { follow, runAll, offerUndo, tellLeft, labelOf, refresh } = runs;

  /** Known by name, so that undo finds exactly these. */
  const named = async (selected: Selected): Promise<Link[]> =>
    selected.kind === "some"
      ? [...selected.links.values()]
      : linksBetween(queries, selected.finding, { from: 0, to: selected.total - 1 });

  /** One that stops is offered again. */
  function offerMoveBack(left: Moved[], total: number): void {
    if (total === 0) return;
    async function undo(): Promise<void> {
      const before = total - left.length;
      const refusals: Refusals = [];
      const hasEnded = await follow(labelOf("change"), total, ({ signal, onDone }) =>
        moveBack(left, { signal, onDone: (done) => onDone(before + done) }, refusals),
      );
      tellLeft("change", refusals.length, refusals[0]);
      if (!hasEnded) offerMoveBack(left, total);
    }
    const back = total - left.length;
    const message = back === 0 ? <Done kind="change" count={total} /> : <Back done={back} total={total} />;
    offerUndo({ message, undo, refresh });
  }

  /** Each by itself: a move is a rename. */
  async function move(selected: Selected, wanted: BulkChange): Promise<void> {
    const links = await named(selected).catch((error: Error) => onFailure(error));
    if (links === undefined) return;
    const moved: Moved[] = [];
    await follow(t`Changing`, links.length, async (course) => {
      await moveLinks(links, wanted, course, moved);
      if (!course.signal.aborted) dropDraft(BULK_DRAFT);
    });
    if (moved.length > 0) selection.clear();
    offerMoveBack([...moved], moved.length);
  }

  return {
    ...runs,
    remove: (selected: Selected) => runAll(changeRun(selected, null)),
    change: (selected: Selected, wanted: BulkChange) =>
      wanted.domain === undefined ? runAll(changeRun(selected, wanted)) : move(selected, wanted),
  };
}

export type Bulk = ReturnType<typeof useBulk>;
