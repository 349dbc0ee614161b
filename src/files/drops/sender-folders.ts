/**
 * Folders that have the name or mail address of a visitor, because a drop box named them so. A box knows its senders'
 * folders. Once it is deleted, the files that lie in them tell: the folder of a sender was made with the first of them.
 */
import type { Clock } from "../../lib/clock.ts";
import { chunked } from "../../lib/chunked.ts";
import { shortSender } from "../../lib/short-sender.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import type { EntriesRepository } from "../tree/entries.repository.ts";
import { freeNames, numberedName } from "../tree/free-name.ts";
import { dropName } from "./drop-name.ts";
import type { SenderColumn, SenderFolder, SenderFoldersRepository } from "./sender-folders.repository.ts";

const PAGE = 1_000;
/** Ids of files that one query reads. */
const FILES = 20_000;
/** Longer than any transaction. */
const MADE_WITH_FILE_MS = 60_000;

type Deps = {
  tree: Pick<AccountTree, "change">;
  entries: Pick<EntriesRepository, "takenNames">;
  repository: SenderFoldersRepository;
  clock: Clock;
};

/** What a visitor gave in a drop box: a name or a mail address. */
export type DropPerson = { kind: "sender" | "mail"; value: string };

export type SenderFolders = ReturnType<typeof createSenderFolders>;

export function createSenderFolders({ tree, entries, repository, clock }: Deps) {
  async function* ofBoxes(value: string): AsyncGenerator<SenderFolder[]> {
    for (let after: number | null = 0; after !== null; ) {
      const page: Awaited<ReturnType<typeof repository.ofSenders>> = await repository.ofSenders(after, PAGE);
      yield page
        .filter(({ name }) => isNamedAfter(name, value))
        .map(({ trashedId, ...folder }) => ({ ...folder, isTrashed: trashedId !== null }));
      after = page.length < PAGE ? null : page.at(-1)!.id;
    }
  }

  /** The folders of senders around files, above the folders of their paths. */
  async function* aroundFiles({ kind, value }: DropPerson): AsyncGenerator<SenderFolder[]> {
    const column: SenderColumn = kind === "mail" ? "sender_email" : "sender_name";
    const last = await repository.lastFile();
    for (let from = 0; from < last; from += FILES) {
      const files = await repository.filesOf(column, value, from, from + FILES);
      for (const some of chunked(files, PAGE)) yield await around(some, value);
    }
  }

  async function around(
    files: readonly { path: string | null; sender: string; at: number; parentId: number }[],
    value: string,
  ): Promise<SenderFolder[]> {
    const found: SenderFolder[] = [];
    let below = files.map((file) => ({ ...file, levels: file.path?.split("/").length ?? 0 }));
    while (below.length > 0) {
      const folders = await repository.folders([...new Set(below.map(({ parentId }) => parentId))]);
      below = below.flatMap((file) => {
        const folder = folders.get(file.parentId);
        if (folder === undefined) return [];
        if (file.levels > 0) return [{ ...file, levels: file.levels - 1, parentId: folder.parentId }];
        const age = file.at - folder.createdAt;
        if (age >= 0 && age < MADE_WITH_FILE_MS && isNamedAfter(folder.name, value)) {
          const { id, accountId, name, trashedId } = folder;
          found.push({ id, accountId, name, isTrashed: trashedId !== null, sender: file.sender });
        }
        return [];
      });
    }
    return found;
  }

  /** In pages, each folder once. */
  async function* named(person: DropPerson): AsyncGenerator<SenderFolder[]> {
    const seen = new Set<number>();
    for (const pages of [ofBoxes(person.value), aroundFiles(person)])
      for await (const page of pages) {
        const fresh = [...new Map(page.map((folder) => [folder.id, folder])).values()];
        const found = fresh.filter(({ id }) => !seen.has(id));
        for (const { id } of found) seen.add(id);
        if (found.length > 0) yield found;
      }
  }

  return {
    named,

    /** Gives the folders names as those of senders who gave none. */
    async rename(person: DropPerson): Promise<void> {
      for await (const page of named(person))
        for (const found of page)
          await tree.change(found.accountId, async (tx) => {
            const folder = (await repository.folders([found.id], tx.db)).get(found.id);
            if (folder === undefined || !isNamedAfter(folder.name, person.value)) return;
            const isTrashed = folder.trashedId !== null;
            const name = `Sender ${shortSender(found.sender)}`;
            const place = { parentId: folder.parentId, name, isNumbered: true };
            const [free] = isTrashed
              ? [name]
              : await freeNames([place], (parentId, names) =>
                  entries.takenNames(tx.db, folder.accountId, parentId, names),
                );
            await repository.rename(tx.db, { ...found, isTrashed }, free!, clock.now());
          });
    },
  };
}

/** Whether drop-folders.ts may have made the name from the text. */
function isNamedAfter(name: string, text: string): boolean {
  const own = dropName(text);
  const number = / \((\d{1,15})\)/.exec(name.slice(-40))?.[1];
  return name === own || (number !== undefined && name === numberedName(own, Number(number)));
}
