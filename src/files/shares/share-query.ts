/**
 * The request of a visitor of a share; docs/shares.md has the parameters. `file`, `folder`, `preview` and `thumbnail` name an entry
 * of the shared folder. Without them the response is the page of the shared item.
 */
import type { SharedEntry } from "./share.ts";

export type ShareQuery =
  | { what: "bytes" | "page" | "preview" | "thumbnail"; file: number }
  /** The page for browsers, the bytes for programs. */
  | { what: "either"; file: number }
  | { what: "folder"; folder: number; from: number; after: string | null }
  | { what: "archive"; folder: number };

export function parseShareQuery({ kind, entryId }: SharedEntry, url: string): ShareQuery {
  const query = queryOf(url);
  if (kind === "file") {
    const named = (["preview", "thumbnail"] as const).find((name) => query.has(name));
    return { what: named ?? (query.has("download") ? "bytes" : "either"), file: entryId };
  }
  for (const what of ["preview", "thumbnail"] as const) {
    const shown = idOf(query.get(what));
    if (shown !== null) return { what, file: shown };
  }
  const file = idOf(query.get("file"));
  if (file !== null) return { what: query.has("view") ? "page" : "bytes", file };
  const folder = idOf(query.get("folder")) ?? entryId;
  if (query.get("archive") === "1") return { what: "archive", folder };
  return {
    what: "folder",
    folder,
    from: idOf(query.get("from")) ?? 1,
    after: query.get("after"),
  };
}

export const queryOf = (url: string): URLSearchParams => {
  const at = url.indexOf("?");
  return new URLSearchParams(at === -1 ? "" : url.slice(at));
};

/** Parses an id; null without a value. An impossible id becomes an unknown one. */
const idOf = (value: string | null): number | null =>
  value === null ? null : /^[1-9]\d{0,14}$/.test(value) ? Number(value) : Number.NaN;
