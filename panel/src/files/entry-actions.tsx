/** Changes of one entry or many, each with undo. */
import { Plural, Trans } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { mayHeal } from "../base/queries.ts";
import { useSentence } from "../ui/failure.tsx";
import { personNameQuery } from "../ui/person-name.tsx";
import { dropDraft } from "../ui/forms/draft.ts";
import { isLeft } from "../ui/notices/undo.tsx";
import { giveFocusBack } from "../ui/focus-back.ts";
import { showUndo } from "../ui/notices/undo-notice.tsx";
import {
  type Entry,
  copyEntry,
  type EntryId,
  entryKey,
  giveEntry,
  moveEntry,
  nameDraftOf,
  refreshFiles,
  renameEntry,
  restoreEntry,
  trashEntry,
} from "./file-queries.ts";

const AT_ONCE = 4;
/** A notice says that it works if it takes longer, or at once for that many entries. */
const SLOW_MS = 300;
const MANY = 20;

type Outcome = { done: Entry[]; failures: { entry: Entry; error: unknown }[] };

async function runEach(entries: readonly Entry[], run: (entry: Entry) => Promise<unknown>): Promise<Outcome> {
  const outcome: Outcome = { done: [], failures: [] };
  const left = entries.toReversed();
  const work = async (): Promise<void> => {
    for (let entry = left.pop(); entry !== undefined; entry = left.pop()) {
      try {
        await run(entry);
        outcome.done.push(entry);
      } catch (error) {
        outcome.failures.push({ entry, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcome;
}

/** Shows a notice while the work lasts: how many entries, or what is done with few, unless that is always quick. */
function showWork(entries: readonly Entry[], message: ReactNode): (() => void) | null {
  const isMany = entries.length > MANY;
  if (!isMany && message === undefined) return null;
  let id: string | undefined;
  const timer = setTimeout(
    () => {
      id = notifications.show({
        loading: true,
        autoClose: false,
        withCloseButton: false,
        message: isMany ? <Plural value={entries.length} one="# entry" other="# entries" /> : message,
      });
    },
    isMany ? 0 : SLOW_MS,
  );
  return () => {
    clearTimeout(timer);
    if (id !== undefined) notifications.hide(id);
  };
}

function showFailures(failures: readonly unknown[], count: number, sentence: ReactNode): void {
  const many = (
    <Trans>
      {failures.length} of {count} stayed as they were. {sentence}
    </Trans>
  );
  notifications.show({ color: "red", message: count === 1 ? sentence : many });
}

/** Entries that are being changed, by key, with the name to show meanwhile. */
export type Going = ReadonlyMap<string, { name: string }>;

type Action = {
  /** Meanwhile; default: as it was. */
  nameOf?(entry: Entry, isBack: boolean): string;
  change(entry: Entry): Promise<unknown>;
  /** Absent if it can't be undone. */
  undo?: ((entry: Entry) => Promise<unknown>) | undefined;
  /** Said while few entries take long. */
  working?: ReactNode;
  message(done: readonly Entry[]): ReactNode;
};

function copyAction(folder: number | null, folderName: string): Action {
  const copies = new Map<string, EntryId>();
  return {
    change: async (entry) => copies.set(entryKey(entry), await copyEntry(entry, folder)),
    undo: (entry) => trashEntry(copies.get(entryKey(entry))!),
    working: <Trans>Copying…</Trans>,
    message: ([first, ...rest]) =>
      rest.length === 0 ? (
        <Trans>
          <bdi>{first!.name}</bdi> was copied to <bdi>{folderName}</bdi>.
        </Trans>
      ) : (
        <Trans>
          <Plural value={rest.length + 1} one="# entry" other="# entries" /> copied to <bdi>{folderName}</bdi>
          .
        </Trans>
      ),
  };
}

export function useEntryActions() {
  const queries = useQueryClient();
  const sentenceOf = useSentence();
  const [going, setGoing] = useState<Going>(new Map());
  async function run(entries: readonly Entry[], action: Action, isBack = false): Promise<boolean> {
    const marks: Going = new Map(
      entries.map((entry) => [entryKey(entry), { name: action.nameOf?.(entry, isBack) ?? entry.name }]),
    );
    // A later change of the same entry has a mark of its own.
    const end = (ended: readonly Entry[]): void =>
      setGoing((now) => {
        const isOver = new Set(ended.map(entryKey).filter((key) => now.get(key) === marks.get(key)));
        return new Map([...now].filter(([key]) => !isOver.has(key)));
      });
    setGoing((now) => new Map([...now, ...marks]));
    const endWork = showWork(entries, isBack ? <Trans>Undoing…</Trans> : action.working);
    const { done, failures } = await runEach(entries, (isBack && action.undo) || action.change);
    end(failures.map(({ entry }) => entry));
    if (failures.length > 0 && !isLeft(failures[0]!.error)) {
      showFailures(failures, entries.length, sentenceOf(failures[0]!.error));
    }
    // What could not be undone now is offered again.
    const offered = isBack ? failures.filter(({ error }) => mayHeal(error)).map(({ entry }) => entry) : done;
    if (offered.length > 0) {
      const message = action.message(offered);
      if (action.undo === undefined) notifications.show({ message });
      else showUndo({ message, onUndo: () => void run(offered, action, true) });
    }
    await refreshFiles(queries);
    endWork?.();
    end(done);
    // The row that had it may be gone. What a menu or dialog has by now is theirs.
    giveFocusBack(undefined, 1);
    return failures.length === 0;
  }

  /** On their way to the trash. */
  const leaving = useRef(new Set<string>());
  async function trashOnce(entry: Entry): Promise<void> {
    leaving.current.add(entryKey(entry));
    await trashEntry(entry).finally(() => leaving.current.delete(entryKey(entry)));
  }

  return {
    going,
    trash: (pressed: readonly Entry[]) => {
      const entries = pressed.filter((entry) => !leaving.current.has(entryKey(entry)));
      return run(entries, {
        change: trashOnce,
        undo: restoreEntry,
        message: ([first, ...rest]) =>
          rest.length === 0 ? (
            <Trans>
              <bdi>{first!.name}</bdi> is in the trash.
            </Trans>
          ) : (
            <Plural
              value={rest.length + 1}
              one="# entry is in the trash."
              other="# entries are in the trash."
            />
          ),
      });
    },
    /** @param folder null is the root */
    move: (entries: readonly Entry[], folder: number | null, folderName: string) =>
      run(entries, {
        change: (entry) => moveEntry(entry, folder),
        undo: (entry) => moveEntry(entry, entry.folder_id),
        message: ([first, ...rest]) =>
          rest.length === 0 ? (
            <Trans>
              <bdi>{first!.name}</bdi> is in <bdi>{folderName}</bdi> now.
            </Trans>
          ) : (
            <Trans>
              <Plural value={rest.length + 1} one="# entry" other="# entries" /> moved to{" "}
              <bdi>{folderName}</bdi>.
            </Trans>
          ),
      }),
    /** @param folder null is the root */
    copy: (entries: readonly Entry[], folder: number | null, folderName: string) =>
      run(entries, copyAction(folder, folderName)),
    /**
     * @param folder of the new owner; null is the root
     * @param before who has them; null if the account can't take them back
     */
    async give(entries: readonly Entry[], owner: string, folder: number | null, before: string | null) {
      const name = await queries.fetchQuery(personNameQuery(owner)).catch(() => owner);
      return run(entries, {
        change: (entry) => giveEntry(entry, owner, folder),
        undo: before === null ? undefined : (entry) => giveEntry(entry, before, entry.folder_id),
        working: <Trans>The owner is being changed…</Trans>,
        message: ([first, ...rest]) =>
          rest.length === 0 ? (
            <Trans>
              <bdi>{first!.name}</bdi> belongs to <bdi>{name}</bdi> now.
            </Trans>
          ) : (
            <Trans>
              <Plural value={rest.length + 1} one="# entry belongs" other="# entries belong" /> to{" "}
              <bdi>{name}</bdi> now.
            </Trans>
          ),
      });
    },
    rename: (entry: Entry, name: string) =>
      run([entry], {
        change: () => renameEntry(entry, name).then(() => dropDraft(nameDraftOf(entry))),
        undo: () => renameEntry(entry, entry.name),
        nameOf: (_, isBack) => (isBack ? entry.name : name),
        message: () => (
          <Trans>
            <bdi>{entry.name}</bdi> is called <bdi>{name}</bdi> now.
          </Trans>
        ),
      }),
  };
}
