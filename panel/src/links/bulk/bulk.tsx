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
import {
  BULK_DRAFT,
  type BulkChange,
  changeBack,
  type Changed,
  changeLinks,
  type Course,
  deleteLinks,
} from "./bulk-work.ts";
import { lastDeletions, putBack } from "./bulk-undo.ts";
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

/** More can't be moved to another domain: each of them is by itself. */
const MOST_MOVED = 5_000;

export type BulkTask = { label: string; done: number; total: number | null };

const Deleted = ({ count }: { count: number }) => (
  <Plural value={count} one="# link is deleted." other="# links are deleted." />
);
const Altered = ({ count }: { count: number }) => (
  <Plural value={count} one="# link is changed." other="# links are changed." />
);

export const canMove = (selected: Selected): boolean =>
  selected.kind === "some" || selected.total <= MOST_MOVED;

export function useBulk(selection: Selection) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const offerUndo = useUndoOffer();
  const onFailure = useFailureNotice();
  const [task, setTask] = useState<BulkTask | null>(null);
  const stopping = useRef(new AbortController());
  const refresh = (): Promise<void> => refreshLinks(queries);

  /** Shows how far it is, and the sentence of a failure. */
  async function follow(
    label: string,
    total: number | null,
    run: (course: Course) => Promise<void>,
  ): Promise<void> {
    stopping.current = new AbortController();
    setTask({ label, done: 0, total });
    const { signal } = stopping.current;
    try {
      await run({ signal, onDone: (done) => setTask({ label, done, total }) });
    } catch (error) {
      if (!signal.aborted) onFailure(error as Error);
    } finally {
      setTask(null);
      giveFocusBack();
      await refresh();
    }
  }

  /** Known by name, so that undo finds exactly these. */
  const named = async (selected: Selected): Promise<Link[]> =>
    selected.kind === "some"
      ? [...selected.links.values()]
      : linksBetween(queries, selected.finding, { from: 0, to: selected.total - 1 });

  async function remove(selected: Selected): Promise<void> {
    if (selected.kind === "all") return runAll(changeRun(selected.finding, null, selected.total));
    const links = [...selected.links.values()];
    await follow(t`Deleting`, links.length, async (course) => {
      const since = await lastDeletions();
      const done = await deleteLinks(links, course);
      selection.clear();
      if (done.refusal !== undefined) notifications.show({ color: "red", message: done.refusal });
      if (done.count === 0) return;
      offerUndo({
        message: <Deleted count={done.count} />,
        undo: () => follow(t`Putting back`, done.count, (back) => putBack(links, since, back)),
        refresh,
      });
    });
  }

  /** However many: the server knows what a change did. */
  async function runAll(start: FoundRun): Promise<void> {
    const account = (await queries.ensureQueryData(accountQuery)).username;
    let run = start;
    let failure: Error | undefined;
    await follow(labelOf(start), start.total, async (course) => {
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
        message:
          run.kind === "delete" ? (
            t`Links of files and folders stay: end their shares.`
          ) : (
            <Plural value={stays} one="# link can't be changed." other="# links can't be changed." />
          ),
      });
    }
    if (run.change === undefined) return;
    const { changed: count } = run;
    offerUndo({
      message: run.kind === "delete" ? <Deleted count={count} /> : <Altered count={count} />,
      undo: () => runAll(undoRun(run)),
      refresh,
    });
  }

  function tellUndone(run: UndoRun): void {
    const { failed, refusal, restored, total } = run;
    if (isOpen(run)) {
      const [done, all] = [formatNumber(restored), formatNumber(total)];
      const message = (
        <Trans>
          {done} of {all} links are as before.
        </Trans>
      );
      offerUndo({ message, undo: () => runAll(run), refresh });
    } else if (failed > 0) {
      notifications.show({
        color: "red",
        message: (
          <>
            {run.of === "delete" ? (
              <Plural value={failed} one="# link stays deleted." other="# links stay deleted." />
            ) : (
              <Plural value={failed} one="# link stays as it is." other="# links stay as they are." />
            )}{" "}
            {refusal}
          </>
        ),
      });
    }
  }

  const labelOf = ({ kind, ...run }: FoundRun): string => {
    if (kind === "delete") return t`Deleting`;
    if (kind === "change") return t`Changing`;
    return "of" in run && run.of === "delete" ? t`Putting back` : t`Taking back`;
  };

  const { data: account } = useQuery(accountQuery);
  const goOn = useEffectEvent((name: string) => {
    const run = interruptedRun(name);
    if (run !== null) void runAll(run);
  });
  useEffect(() => {
    if (account !== undefined) goOn(account.username);
  }, [account]);

  async function change(selected: Selected, wanted: BulkChange): Promise<void> {
    if (selected.kind === "all" && wanted.domain === undefined) {
      return runAll(changeRun(selected.finding, wanted, selected.total));
    }
    const changed: Changed[] = [];
    const links = await named(selected).catch((error: Error) => onFailure(error));
    if (links === undefined) return;
    await follow(t`Changing`, links.length, async (course) => {
      await changeLinks(links, wanted, course, changed);
      if (!course.signal.aborted) dropDraft(BULK_DRAFT);
    });
    if (changed.length === 0) return;
    if (wanted.domain !== undefined) selection.clear();
    else if (selected.kind === "some") selection.renew(changed.map(({ link }) => link));
    offerUndo({
      message: <Altered count={changed.length} />,
      undo: () => follow(t`Taking back`, changed.length, (course) => changeBack(changed, course)),
      refresh,
    });
  }

  return { task, remove, change, stop: () => stopping.current.abort() };
}

export type Bulk = ReturnType<typeof useBulk>;
