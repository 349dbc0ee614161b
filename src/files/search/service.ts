/**
 * Finds entries of an account by a part of their names, by folder and name. Entries in the trash or being removed have
 * no path and drop out.
 */
import type { LocatedEntry } from "../tree/located-entry.ts";
import type { FolderPath, PathsRepository } from "../tree/paths.repository.ts";
import type { FoundName, NamePlace, SearchRepository } from "./repository.ts";

/** Matches of one request, which may all be in the trash. */
const MOST_MATCHES = 20_000;
/** Matches read at once. */
const PORTION = 200;

/** No name has control characters. Some databases end a text there. */
const IN_NO_NAME = /\p{Cc}/u;

export type SearchPage = {
  entries: LocatedEntry[];
  /** The place of the next page, or null at the end. Earlier pages may be short, even empty. */
  next: NamePlace | null;
};

type Deps = { repository: SearchRepository; paths: PathsRepository };

export type FileSearch = ReturnType<typeof createFileSearch>;

export function createFileSearch({ repository, paths }: Deps) {
  return {
    /** `limit` ≤ 100. */
    async page(accountId: number, text: string, after: NamePlace | null, limit: number): Promise<SearchPage> {
      if (IN_NO_NAME.test(text) || !text.isWellFormed()) return { entries: [], next: null };
      const needle = text.normalize("NFC");
      const find = (await repository.isRare(needle)) ? repository.rare : repository.frequent;
      const known = new Map<number, FolderPath | null>();
      const found: FoundName[] = [];
      let next = after;
      let matches = 0;
      do {
        const names = await find(accountId, needle, next, PORTION);
        const unknown = names.map(({ parentId }) => parentId).filter((id) => !known.has(id));
        const ways = await paths.pathsOf(accountId, unknown);
        for (const id of unknown) known.set(id, ways.get(id) ?? null);
        found.push(...names.filter(({ parentId }) => known.get(parentId) !== null));
        next = names.length < PORTION ? null : placeOf(names.at(-1)!);
        matches += names.length;
      } while (next !== null && found.length <= limit && matches < MOST_MATCHES);
      const shown = found.slice(0, limit);
      if (found.length > limit) next = placeOf(shown.at(-1)!);
      const entries = await repository.load(shown);
      return { entries: entries.map((entry) => ({ ...entry, path: known.get(entry.parentId) ?? [] })), next };
    },
  };
}

const placeOf = ({ parentId, name }: FoundName): NamePlace => ({ parentId, name });
