/** Entries by their paths and names, for commands. */
import { appError } from "../../lib/errors.ts";
import { checkFileName } from "../../lib/file-name.ts";
import type { EntriesRepository } from "./entries.repository.ts";
import { type Entry, MOST_LEVELS, ROOT } from "./entry.ts";
import type { Folders } from "./folders.service.ts";

export type Lookup = ReturnType<typeof createLookup>;

type Deps = {
  repository: EntriesRepository;
  folders: Folders;
};

export function createLookup({ repository, folders }: Deps) {
  async function named(accountId: number, parentId: number, names: readonly string[]) {
    const found = names.length === 0 ? [] : await repository.named(accountId, parentId, names);
    return new Map(found.map((entry) => [entry.name, entry]));
  }

  const { child } = repository;

  async function inside(accountId: number, folder: Entry | null, name: string, path: string): Promise<Entry> {
    const entry = folder?.kind === "file" ? null : await child(accountId, folder?.id ?? ROOT, name);
    if (entry === null) throw appError("FileNotFound", `There is no file or folder ${path} in this tree.`);
    return entry;
  }

  return {
    /** What has these names in the folder, at most 1,000, in stored form. */
    named,

    child,

    /** The entry at a path, or null for the root. @throws FileNotFound, InvalidName */
    async at(accountId: number, path: string): Promise<Entry | null> {
      let entry: Entry | null = null;
      for (const name of pathNames(path)) entry = await inside(accountId, entry, name, path);
      return entry;
    },

    /** @throws FileNotFound */
    async byId(accountId: number, id: number): Promise<Entry> {
      const [entry] = (await repository.lineage(accountId, id)) ?? [];
      if (entry === undefined)
        throw appError("FileNotFound", `There is no file or folder ${id} in this tree.`);
      return entry;
    },

    /** The folder of the names, made where it is missing; its id. @throws NameConflict for a file, InvalidName */
    async folder(accountId: number, names: readonly string[]): Promise<number> {
      let parentId = ROOT;
      for (const name of names) {
        const entry = await childFolder(accountId, parentId, name);
        parentId = entry.id;
      }
      return parentId;
    },
  };

  async function childFolder(accountId: number, parentId: number, given: string): Promise<Entry> {
    const name = checkFileName(given);
    const known = await child(accountId, parentId, name);
    if (known?.kind === "folder") return known;
    if (known !== null) throw appError("NameConflict", `${name} is a file; a folder can't have its name.`);
    try {
      return await folders.create(accountId, { name, parentId: parentId === ROOT ? null : parentId });
    } catch (error) {
      // Another process may have made it.
      const made = (error as Error).name === "NameConflict" ? await child(accountId, parentId, name) : null;
      if (made?.kind === "folder") return made;
      throw error;
    }
  }
}

/** The names of a path such as /Reports/2026, in stored form. @throws InvalidName, BadRequest */
export function pathNames(path: string): string[] {
  const names = path.split("/").filter((name) => name !== "");
  if (names.length > MOST_LEVELS + 1) {
    throw appError("BadRequest", `A path has at most ${MOST_LEVELS} folders.`);
  }
  return names.map(checkFileName);
}
