/**
 * Finds entries of an account by a part of their names, by folder and name. Entries in the trash or being removed have
 * no path and drop out.
 */
import { appError } from "../../lib/errors.ts";
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
    /** `limit` ≤ 100. `within`: only below this folder, from which paths begin; then a text that is in too many names
     * is a BadRequest, because the place of the next page would tell names outside. */
    async page(
      accountId: number,
      text: string,
      after: NamePlace | null,
      limit: number,
      within: number | null = null,
    ): Promise<SearchPage> {
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
        for (const id of unknown) known.set(id, pathWithin(ways.get(id), within));
        found.push(...names.filter(({ parentId }) => known.get(parentId) !== null));
        next = names.length < PORTION ? null : placeOf(names.at(-1)!);
        matches += names.length;
      } while (next !== null && found.length <= limit && matches < MOST_MATCHES);
      if (within !== null && next !== null && found.length <= limit) throw tooMany();
      const shown = found.slice(0, limit);
      if (found.length > limit) next = placeOf(shown.at(-1)!);
      const entries = await repository.load(shown);
      return { entries: entries.map((entry) => ({ ...entry, path: known.get(entry.parentId) ?? [] })), next };
    },
  };
}

/** The path from the folder; null if it does not lead through it. */
function pathWithin(path: FolderPath | undefined, within: number | null): FolderPath | null {
  if (path === undefined || within === null) return path ?? null;
  const at = path.findIndex(({ id }) => id === within);
  return at === -1 ? null : path.slice(at);
}

const tooMany = () => appError("BadRequest", "Too many names have this text; search for a longer one.");

const placeOf = ({ parentId, name }: FoundName): NamePlace => ({ parentId, name });
