import { i18n } from "@lingui/core";
import type { Entry } from "./file-queries.ts";
import { FIRST_FILE_ORDER, type FileSearch } from "./file-search.ts";

/** Folders first, in every order. `file 2` stands before `file 10`. */
export function inOrder(entries: readonly Entry[], { sort = "name", order }: FileSearch): Entry[] {
  const { compare } = new Intl.Collator(i18n.locale, { numeric: true, sensitivity: "base" });
  const byName = (a: Entry, b: Entry) => compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
  const by = {
    name: byName,
    size: (a: Entry, b: Entry) => (a.size ?? 0) - (b.size ?? 0) || byName(a, b),
    date: (a: Entry, b: Entry) => Date.parse(a.updated_at) - Date.parse(b.updated_at) || byName(a, b),
  }[sort];
  const sign = (order ?? FIRST_FILE_ORDER[sort]) === "asc" ? 1 : -1;
  return [...entries].sort((a, b) => (a.kind === b.kind ? sign * by(a, b) : a.kind === "folder" ? -1 : 1));
}
