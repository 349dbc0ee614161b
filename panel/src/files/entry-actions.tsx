/** Changes of one entry or many, each with undo. */
import { Plural, Trans } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { mayHeal } from "../app/queries.ts";
import { useSentence } from "../ui/failure.tsx";
import { dropDraft } from "../ui/draft.ts";
import { isLeft } from "../ui/undo.tsx";
import { showUndo } from "../ui/undo-notice.tsx";
import {
  type Entry,
  entryKey,
  moveEntry,
  nameDraftOf,
  refreshFiles,
  renameEntry,
  restoreEntry,
  trashEntry,
} from "./file-queries.ts";

const AT_ONCE = 4;
/** More entries take a while, so progress is shown. */
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

type Deed = {
  change(entry: Entry): Promise<unknown>;
  undo(entry: Entry): Promise<unknown>;
  message(done: readonly Entry[]): ReactNode;
};

export type EntryActions = ReturnType<typeof useEntryActions>;

export function useEntryActions() {
  const queries = useQueryClient();
  const sentenceOf = useSentence();

  async function run(entries: readonly Entry[], deed: Deed, isBack = false): Promise<boolean> {
    const working =
      entries.length > MANY
        ? notifications.show({
            loading: true,
            autoClose: false,
            withCloseButton: false,
            message: <Plural value={entries.length} one="# entry" other="# entries" />,
          })
        : null;
    const { done, failures } = await runEach(entries, isBack ? deed.undo : deed.change);
    if (working !== null) notifications.hide(working);
    if (failures.length > 0 && !isLeft(failures[0]!.error)) {
      const sentence = sentenceOf(failures[0]!.error);
      const count = entries.length;
      notifications.show({
        color: "red",
        message:
          count === 1 ? (
            sentence
          ) : (
            <Trans>
              {failures.length} of {count} stayed as they were. {sentence}
            </Trans>
          ),
      });
    }
    // What could not be undone now is offered again.
    const offered = isBack ? failures.filter(({ error }) => mayHeal(error)).map(({ entry }) => entry) : done;
    if (offered.length > 0) {
      showUndo({ message: deed.message(offered), onUndo: () => void run(offered, deed, true) });
    }
    await refreshFiles(queries);
    return failures.length === 0;
  }

  /** On their way to the trash. */
  const going = useRef(new Set<string>());
  async function trashOnce(entry: Entry): Promise<void> {
    going.current.add(entryKey(entry));
    await trashEntry(entry).finally(() => going.current.delete(entryKey(entry)));
  }

  return {
    trash: (pressed: readonly Entry[]) => {
      const entries = pressed.filter((entry) => !going.current.has(entryKey(entry)));
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
    rename: (entry: Entry, name: string) =>
      run([entry], {
        change: () => renameEntry(entry, name).then(() => dropDraft(nameDraftOf(entry))),
        undo: () => renameEntry(entry, entry.name),
        message: () => (
          <Trans>
            <bdi>{entry.name}</bdi> is called <bdi>{name}</bdi> now.
          </Trans>
        ),
      }),
  };
}
