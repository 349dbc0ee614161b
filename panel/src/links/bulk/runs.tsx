/** Bulk work on the server, call by call: its progress, undo, and continuation after a reload. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { formatNumber } from "../../base/i18n.ts";
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
  isOpen,
  runFound,
  undoRun,
  type UndoRun,
} from "./found-run.ts";

type Refused = { kind: ChangeRun["kind"]; count: number; refusal: string | undefined };

export type BulkTask = { label: string; done: number; total: number | null };

export const Done = ({ kind, count }: { kind: ChangeRun["kind"]; count: number }) =>
  kind === "delete" ? (
    <Plural value={count} one="# link is deleted." other="# links are deleted." />
  ) : (
    <Plural value={count} one="# link is changed." other="# links are changed." />
  );

export function Back({ done, total }: { done: number; total: number }) {
  const [back, all] = [formatNumber(done), formatNumber(total)];
  return (
    <Trans>
      {back} of {all} links are as before.
    </Trans>
  );
}

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

  /** Waits for the previous work. Shows progress, and the message of a failure. False: it stopped. */
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

  /** However many links: the server knows what a change did. */
  async function runAll(start: FoundRun): Promise<void> {
    const account = (await queries.ensureQueryData(accountQuery)).username;
    let run = start;
    let failure: Error | undefined;
    await follow(labelOfRun(start), start.total, async (course) => {
      run = await runFound(start, account, { ...course, onFailure: (error) => (failure = error) });
      if (run.kind === "delete") onDeleted?.();
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

  function tellUndone(run: UndoRun): void {
    const { of, failed, refusal, restored, total } = run;
    if (!isOpen(run)) return tellLeft(of, failed, refusal);
    const message =
      restored === 0 ? <Done kind={of} count={total} /> : <Back done={restored} total={total} />;
    offerUndo({ message, undo: () => runAll(run), refresh });
  }

  function tellLeft(kind: ChangeRun["kind"], count: number, refusal = ""): void {
    if (count === 0) return;
    notifications.show({ color: "red", message: <Left kind={kind} count={count} refusal={refusal} /> });
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

  return {
    task,
    follow,
    runAll,
    offerUndo,
    tellLeft,
    labelOf,
    refresh,
    stop: () => stopping.current.abort(),
  };
}

export type Runs = ReturnType<typeof useRuns>;
