/** Bulk work on the server, call by call: its progress, undo, and continuation after a reload. */
import { Plural, useLingui } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { accountQuery } from "../../auth/account.ts";
import { dropDraft } from "../../ui/forms/draft.ts";
import { giveFocusBack } from "../../ui/focus-back.ts";
import { useFailureNotice, useUndoOffer } from "../../ui/notices/undo.tsx";
import { refreshLinks } from "../link-queries.ts";
import { BULK_DRAFT } from "./bulk-change.ts";
import {
  type ChangeRun,
  type Course,
  type FoundRun,
  interruptedRun,
  runFound,
  undoRun,
  type UndoRun,
} from "./found-run.ts";

type Refused = { kind: ChangeRun["kind"]; count: number; refusal: string | undefined };

/** `isKept`: the server goes on with it, whatever the tab does. */
export type BulkTask = { label: string; done: number; total: number; isKept: boolean };

const Done = ({ kind, count }: { kind: ChangeRun["kind"]; count: number }) =>
  kind === "delete" ? (
    <Plural value={count} one="# link is deleted." other="# links are deleted." />
  ) : (
    <Plural value={count} one="# link is changed." other="# links are changed." />
  );

/** What a change could not do. */
const Unchanged = ({ kind, count, refusal }: Refused) => (
  <>
    {kind === "delete" ? (
      <Plural value={count} one="# link can't be deleted." other="# links can't be deleted." />
    ) : (
      <Plural value={count} one="# link can't be changed." other="# links can't be changed." />
    )}{" "}
    {refusal}
  </>
);

/** What an undo could not do. */
const Left = ({ kind, count, refusal }: Refused) => (
  <>
    {kind === "delete" ? (
      <Plural value={count} one="# link stays deleted." other="# links stay deleted." />
    ) : (
      <Plural value={count} one="# link stays as it is." other="# links stay as they are." />
    )}{" "}
    {refusal}
  </>
);

/** @param onDeleted called after links were deleted, before the lists are requested again */
export function useRuns(onDeleted?: () => void) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const offerUndo = useUndoOffer();
  const onFailure = useFailureNotice();
  const [task, setTask] = useState<BulkTask | null>(null);
  const stopping = useRef(new AbortController());
  const last = useRef<Promise<void>>(Promise.resolve());
  const refresh = (): Promise<void> => refreshLinks(queries);

  /** Waits for the previous work. Shows progress, and the message of a failure. */
  async function follow(
    { label, total, isKept }: Omit<BulkTask, "done">,
    run: (course: Course) => Promise<void>,
  ) {
    const turn = Promise.withResolvers<void>();
    const before = last.current;
    last.current = turn.promise;
    await before;
    stopping.current = new AbortController();
    setTask({ label, done: 0, total, isKept });
    const { signal } = stopping.current;
    try {
      await run({ signal, onDone: (done) => setTask({ label, done, total, isKept }) });
    } catch (error) {
      if (!signal.aborted) onFailure(error as Error);
    } finally {
      setTask(null);
      giveFocusBack();
      turn.resolve();
      await refresh();
    }
  }

  /** However many links: the server knows what a change did. */
  async function runAll(start: FoundRun): Promise<void> {
    const account = (await queries.ensureQueryData(accountQuery)).username;
    let run = start;
    let failure: Error | undefined;
    const shown = { label: labelOf(start), total: start.total, isKept: start.kind === "undo" };
    await follow(shown, async (course) => {
      run = await runFound(start, account, { ...course, onFailure: (error) => (failure = error) });
      if (run.kind === "delete") onDeleted?.();
      if (failure !== undefined) throw failure;
    });
    if (run.kind === "undo") tellUndone(run);
    else tellDone(run);
  }

  function tellDone(run: ChangeRun): void {
    if (run.kind === "change" && !run.isOpen) dropDraft(BULK_DRAFT);
    const stays = run.matched - run.changed;
    if (stays > 0) {
      notifications.show({
        color: "red",
        message: <Unchanged kind={run.kind} count={stays} refusal={run.refusal} />,
      });
    }
    if (run.change === undefined) return;
    offerUndo({
      message: <Done kind={run.kind} count={run.changed} />,
      undo: () => runAll(undoRun(run)),
      refresh,
    });
  }

  function tellUndone({ of, failed: count, refusal = "", isOpen }: UndoRun): void {
    if (isOpen || count === 0) return;
    notifications.show({ color: "red", message: <Left kind={of} count={count} refusal={refusal} /> });
  }

  const labelOf = (run: FoundRun): string => {
    if (run.kind === "undo") return run.of === "delete" ? t`Putting back` : t`Taking back`;
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

  return {
    task,
    runAll,
    offerUndo,
    refresh,
    stop: () => stopping.current.abort(),
  };
}

export type Runs = ReturnType<typeof useRuns>;
