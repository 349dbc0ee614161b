import { byName } from "../base/i18n.ts";
import { dateOf, type Entry } from "./file-queries.ts";
import { FIRST_FILE_ORDER, type FileSearch } from "./file-search.ts";

/** Folders first, in every order. `file 2` stands before `file 10`. */
export function inOrder(entries: readonly Entry[], { sort = "name", order }: FileSearch): Entry[] {
  const name = byName();
  const by = {
    name,
    size: (a: Entry, b: Entry) => (a.size ?? 0) - (b.size ?? 0) || name(a, b),
    date: (a: Entry, b: Entry) => Date.parse(dateOf(a)) - Date.parse(dateOf(b)) || name(a, b),
  }[sort];
  const sign = (order ?? FIRST_FILE_ORDER[sort]) === "asc" ? 1 : -1;
  return [...entries].sort((a, b) => (a.kind === b.kind ? sign * by(a, b) : a.kind === "folder" ? -1 : 1));
}
