/** Bulk work on the selection: its course, and undo where the server allows it. */
import { Plural, useLingui } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Link } from "../../app/api.ts";
import { dropDraft } from "../../ui/draft.ts";
import { giveFocusBack } from "../../ui/focus-back.ts";
import { useFailureNotice, useUndoOffer } from "../../ui/undo.tsx";
import { refreshLinks } from "../link-queries.ts";
import type { LinkFinding } from "../link-search.ts";
import {
  BULK_DRAFT,
  type BulkChange,
  changeBack,
  type Changed,
  changeFound,
  changeLinks,
  type Course,
  deleteLinks,
} from "./bulk-work.ts";
import { lastDeletions, putBack, putBackRun } from "./bulk-undo.ts";
import { linksBetween } from "../list/page-queries.ts";
import type { Selected, Selection } from "../list/selection.ts";

/** More can't be changed back: nobody holds what they were. */
const MOST_UNDONE = 5_000;

export type BulkTask = { label: string; done: number; total: number | null };

const Deleted = ({ count }: { count: number }) => (
  <Plural value={count} one="# link is deleted." other="# links are deleted." />
);
const Altered = ({ count }: { count: number }) => (
  <Plural value={count} one="# link is changed." other="# links are changed." />
);

export const canUndo = (selected: Selected): boolean =>
  selected.kind === "some" || selected.total <= MOST_UNDONE;

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
    if (selected.kind === "all") return removeFound(selected.finding);
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

  /** However many: the server knows by its time what a deletion took. */
  const removeFound = (finding: LinkFinding): Promise<void> =>
    follow(t`Deleting`, null, async ({ signal }) => {
      const gone = await changeFound({ finding, change: null, isTrial: false, signal });
      selection.clear();
      if (gone.matched > gone.changed) {
        notifications.show({ color: "red", message: t`Links of files and folders stay: end their shares.` });
      }
      const { changed, deleted_at: at } = gone;
      if (changed === 0 || at === undefined) return;
      offerUndo({
        message: <Deleted count={changed} />,
        undo: () => follow(t`Putting back`, changed, (back) => putBackFound(at, back)),
        refresh,
      });
    });

  async function putBackFound(at: string, course: Course): Promise<void> {
    const [first, ...more] = await putBackRun(at, course);
    if (first === undefined) return;
    const count = more.length + 1;
    notifications.show({
      color: "red",
      message: (
        <>
          <Plural value={count} one="# link stays deleted." other="# links stay deleted." /> {first}
        </>
      ),
    });
  }

  async function change(selected: Selected, wanted: BulkChange): Promise<void> {
    if (!canUndo(selected) && selected.kind === "all") {
      await follow(t`Changing`, null, async ({ signal }) => {
        const { changed } = await changeFound({
          finding: selected.finding,
          change: wanted,
          isTrial: false,
          signal,
        });
        dropDraft(BULK_DRAFT);
        notifications.show({
          message: <Altered count={changed} />,
        });
      });
      return;
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
