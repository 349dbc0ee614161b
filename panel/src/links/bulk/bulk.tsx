/** Bulk work on the selection: its course and its undo. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { Link } from "../../app/api.ts";
import { formatNumber } from "../../app/i18n.ts";
import { accountQuery } from "../../auth/account.ts";
import { dropDraft } from "../../ui/draft.ts";
import { giveFocusBack } from "../../ui/focus-back.ts";
import { useFailureNotice, useUndoOffer } from "../../ui/undo.tsx";
import { refreshLinks } from "../link-queries.ts";
import { type Course, moveBack, type Moved, moveLinks, type Refusals } from "./bulk-moves.ts";
import { BULK_DRAFT, type BulkChange } from "./bulk-change.ts";
import {
  changeRun,
  type ChangeRun,
  type FoundRun,
  interruptedRun,
  isOpen,
  runFound,
  undoRun,
  type UndoRun,
} from "./found-run.ts";
import { linksBetween } from "../list/page-queries.ts";
import type { Selected, Selection } from "../list/selection.ts";

export type BulkTask = { label: string; done: number; total: number | null };

const Done = ({ kind, count }: { kind: ChangeRun["kind"]; count: number }) =>
  kind === "delete" ? (
    <Plural value={count} one="# link is deleted." other="# links are deleted." />
  ) : (
    <Plural value={count} one="# link is changed." other="# links are changed." />
  );

function Back({ done, total }: { done: number; total: number }) {
  const [back, all] = [formatNumber(done), formatNumber(total)];
  return (
    <Trans>
      {back} of {all} links are as before.
    </Trans>
  );
}

export function useBulk(selection: Selection) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const offerUndo = useUndoOffer();
  const onFailure = useFailureNotice();
  const [task, setTask] = useState<BulkTask | null>(null);
  const stopping = useRef(new AbortController());
  const last = useRef<Promise<void>>(Promise.resolve());
  const refresh = (): Promise<void> => refreshLinks(queries);

  /** Once the work before has ended. Shows how far it is, and the sentence of a failure. False: it stopped. */
  async function follow(
    label: string,
    total: number | null,
    run: (course: Course) => Promise<void>,
  ): Promise<boolean> {
    const turn = Promise.withResolvers<void>();
    const before = last.current;
    last.current = turn.promise;
    await before;
    stopping.current = new AbortController();
    setTask({ label, done: 0, total });
    const { signal } = stopping.current;
    try {
      await run({ signal, onDone: (done) => setTask({ label, done, total }) });
      return !signal.aborted;
    } catch (error) {
      if (!signal.aborted) onFailure(error as Error);
      return false;
    } finally {
      setTask(null);
      giveFocusBack();
      turn.resolve();
      await refresh();
    }
  }

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

  /** However many: the server knows what a change did. */
  async function runAll(start: FoundRun): Promise<void> {
    const account = (await queries.ensureQueryData(accountQuery)).username;
    let run = start;
    let failure: Error | undefined;
    await follow(labelOfRun(start), start.total, async (course) => {
      run = await runFound(start, account, { ...course, onFailure: (error) => (failure = error) });
      if (run.kind === "delete") selection.clear();
      if (failure !== undefined) throw failure;
    });
    if (run.kind === "undo") tellUndone(run);
    else tellDone(run);
  }

  function tellDone(run: ChangeRun): void {
    if (run.kind === "change" && !isOpen(run)) dropDraft(BULK_DRAFT);
    const stays = run.matched - run.changed;
    if (stays > 0) {
      notifications.show({
        color: "red",
        message: (
          <>
            {run.kind === "delete" ? (
              <Plural value={stays} one="# link can't be deleted." other="# links can't be deleted." />
            ) : (
              <Plural value={stays} one="# link can't be changed." other="# links can't be changed." />
            )}{" "}
            {run.refusal}
          </>
        ),
      });
    }
    if (run.change === undefined) return;
    offerUndo({
      message: <Done kind={run.kind} count={run.changed} />,
      undo: () => runAll(undoRun(run)),
      refresh,
    });
  }

  function tellUndone(run: UndoRun): void {
    const { of, failed, refusal, restored, total } = run;
    if (!isOpen(run)) return tellLeft(of, failed, refusal);
    const message =
      restored === 0 ? <Done kind={of} count={total} /> : <Back done={restored} total={total} />;
    offerUndo({ message, undo: () => runAll(run), refresh });
  }

  function tellLeft(kind: ChangeRun["kind"], count: number, refusal = ""): void {
    if (count === 0) return;
    const what =
      kind === "delete" ? (
        <Plural value={count} one="# link stays deleted." other="# links stay deleted." />
      ) : (
        <Plural value={count} one="# link stays as it is." other="# links stay as they are." />
      );
    notifications.show({
      color: "red",
      message: (
        <>
          {what} {refusal}
        </>
      ),
    });
  }

  const labelOf = (undone: ChangeRun["kind"]): string =>
    undone === "delete" ? t`Putting back` : t`Taking back`;
  const labelOfRun = (run: FoundRun): string => {
    if (run.kind === "undo") return labelOf(run.of);
    return run.kind === "delete" ? t`Deleting` : t`Changing`;
  };

  const { data: account } = useQuery(accountQuery);
  const goOn = useEffectEvent((name: string) => {
    const run = interruptedRun(name);
    if (run !== null) void runAll(run);
  });
  useEffect(() => {
    if (account !== undefined) goOn(account.username);
  }, [account]);

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
    task,
    remove: (selected: Selected) => runAll(changeRun(selected, null)),
    change: (selected: Selected, wanted: BulkChange) =>
      wanted.domain === undefined ? runAll(changeRun(selected, wanted)) : move(selected, wanted),
    stop: () => stopping.current.abort(),
  };
}

export type Bulk = ReturnType<typeof useBulk>;
