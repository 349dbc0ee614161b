/**
 * Addresses: `files/…` is the caller's own tree, `teams/NAME/…` that of a team. Names are as stored, in NFC; names that
 * can't be stored lead to nothing.
 */
import type { Db } from "../../db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import type { EntriesRepository } from "../tree/entries.repository.ts";
import { type Entry, type Folder, MOST_LEVELS, ROOT } from "../tree/entry.ts";

export type DavPlace = {
  /** Whose. */
  tree: number;
  /** Leads to its root. */
  top: readonly string[];
  /** From there. */
  names: readonly string[];
};

export type Spot = {
  /** Null: there is nothing. */
  entry: Entry | null;
  /** Null: there is no such folder. */
  parentId: number | null;
};

/** What no tree has: the folders above the trees. */
export const folderOf = (tree: number, name = ""): Folder => ({
  kind: "folder",
  id: ROOT,
  accountId: tree,
  parentId: ROOT,
  name,
  policyId: null,
  createdAt: 0,
  updatedAt: 0,
});

/** Above a tree, in it, and a slash at the end. */
const MOST_SEGMENTS = MOST_LEVELS + 4;

/** The names after the prefix; null for another one. @throws BadRequest, NotFound */
export function namesIn(pathname: string, prefix: string): string[] | null {
  if (pathname !== prefix && !pathname.startsWith(`${prefix}/`)) return null;
  const segments = pathname.slice(prefix.length).split("/").slice(1);
  if (segments.length > MOST_SEGMENTS) throw appError("NotFound", "There is nothing at this address.");
  try {
    const names = segments.map((segment) => decodeURIComponent(segment).normalize("NFC"));
    if (names.at(-1) === "") names.pop();
    return names;
  } catch (cause) {
    throw appError("BadRequest", "The address is not percent-encoded UTF-8.", { cause });
  }
}

export const hrefOf = (prefix: string, names: readonly string[], isFolder: boolean): string =>
  `${[prefix, ...names.map(encodeURIComponent)].join("/")}${isFolder ? "/" : ""}`;

/** Paths in a tree, as locks have them. */
export const pathOf = ({ names }: Pick<DavPlace, "names">): string => names.join("/");
export const isBelow = (path: string, above: string): boolean =>
  above === "" ? path !== "" : path.startsWith(`${above}/`);
export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0));

export const createSpots =
  (repository: Pick<EntriesRepository, "child">) =>
  async ({ tree, names }: Pick<DavPlace, "tree" | "names">, db?: Db): Promise<Spot> => {
    let spot: Spot = { entry: folderOf(tree), parentId: null };
    for (const name of names) {
      if (spot.entry?.kind !== "folder") return { entry: null, parentId: null };
      const parentId = spot.entry.id;
      spot = { entry: await repository.child(tree, parentId, name, db), parentId };
    }
    return spot;
  };

export type SpotOf = ReturnType<typeof createSpots>;
