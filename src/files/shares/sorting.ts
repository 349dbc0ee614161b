/**
 * Sorts entries as people do: 2 before 10, letters by the language's alphabet. Folders come first. A folder with more
 * entries than MOST_ENTRIES_SORTED is read in pages by the bytes of the names, and each page is sorted by itself.
 */
import type { Folder, StoredFile } from "../tree/entry.ts";
import { remembered } from "../../lib/remembered.ts";
import { type Language, LANGUAGES } from "../../visitors/language.ts";

export const MOST_ENTRIES_SORTED = 2_000;

const collatorOf = remembered((language) => new Intl.Collator(language, { numeric: true }), {
  most: LANGUAGES.length,
});

export function naturally<E extends { name: string }>(entries: readonly E[], language: Language): E[] {
  const { compare } = collatorOf(language);
  return entries.toSorted((a, b) => compare(a.name, b.name) || (a.name < b.name ? -1 : 1));
}

type Listed = { folders: readonly Folder[]; files: readonly StoredFile[] };

export const foldersFirst = ({ folders, files }: Listed, language: Language): (Folder | StoredFile)[] => [
  ...naturally(folders, language),
  ...naturally(files, language),
];
