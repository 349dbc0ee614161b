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
import { Text } from "@mantine/core";
import { formatList } from "../../base/i18n.ts";
import { personNameQuery } from "../../ui/person-name.tsx";

type Refused = { kind: ChangeRun["kind"]; count: number; refusal: string | undefined };

/** `isKept`: the server goes on with it, whatever the tab does. */
export type BulkTask = { label: string; done: number; total: number; isKept: boolean };

/** `name`: of the new owner. A notice stands outside of what knows the names. */
function Done({ run: { kind, body, changed: count }, name }: { run: ChangeRun; name: string | undefined }) {
  const fields = useChangedFields(body.set ?? {});
  if (kind === "delete")
    return <Plural value={count} one="# link is deleted." other="# links are deleted." />;
  return (
    <>
      {name === undefined ? (
        <Plural value={count} one="# link is changed." other="# links are changed." />
      ) : (
        <Plural
          value={count}
          one={`# link belongs to ${name} now.`}
          other={`# links belong to ${name} now.`}
        />
      )}
      {fields.length > 0 && (
        <Text size="xs" c="dimmed">
          {formatList(fields)}
        </Text>
      )}
    </>
  );
}

/** What a change of many links is about, without the owner. */
function useChangedFields(set: NonNullable<ChangeRun["body"]["set"]>): string[] {
  const { t } = useLingui();
  const names: [isChanged: boolean, name: string][] = [
    ["add_tags" in set || "remove_tags" in set, t`Tags`],
    ["expires_at" in set, t`Expires`],
    ["domain" in set, t`Domain`],
    ["replace_in_target" in set || "utm" in set, t`Target`],
  ];
  return names.flatMap(([isChanged, name]) => (isChanged ? [name] : []));
}

/** What a deletion could not do. */
const Undeleted = ({ count, refusal }: Refused) => (
  <>
    <Plural value={count} one="# link can't be deleted." other="# links can't be deleted." /> {refusal}
  </>
);

/** What an undo could not do, and links that a change left: it may not change them, or they are so already. */
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
    else tellDone(run, await newOwnerOf(run));
  }

  async function newOwnerOf({ body }: ChangeRun): Promise<string | undefined> {
    const owner = body.set?.owner ?? undefined;
    return owner === undefined ? undefined : queries.fetchQuery(personNameQuery(owner)).catch(() => owner);
  }

  function tellDone(run: ChangeRun, name: string | undefined): void {
    if (run.kind === "change" && !run.isOpen) dropDraft(BULK_DRAFT);
    const stays = run.matched - run.changed;
    if (stays > 0) {
      const Kept = run.kind === "delete" ? Undeleted : Left;
      notifications.show({
        ...(run.refusal !== undefined && { color: "red" }),
        message: <Kept kind={run.kind} count={stays} refusal={run.refusal} />,
      });
    }
    if (run.change === undefined) return;
    offerUndo({
      message: <Done run={run} name={name} />,
      undo: () => runAll(undoRun(run)),
      refresh,
    });
  }

  function tellUndone({ of, restored, failed: count, refusal = "", isOpen }: UndoRun): void {
    if (isOpen) return;
    if (restored > 0) {
      const message = <Plural value={restored} one="Undone: # link." other="Undone: # links." />;
      notifications.show({ message });
    }
    if (count === 0) return;
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
