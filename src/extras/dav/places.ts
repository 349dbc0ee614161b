/**
 * Addresses: `files/…` is the caller's own tree, `teams/NAME/…` that of a team. Names are as stored, in NFC and
 * cleaned; names that can't be stored lead to nothing.
 */
import type { Db } from "../../platform/db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import { cleanFileName } from "../../lib/file-name.ts";
import { joinSlashes } from "../../lib/request-target.ts";
import type { EntriesRepository } from "../../files/tree/entries.repository.ts";
import { type Entry, type Folder, MOST_LEVELS, newFolder, ROOT } from "../../files/tree/entry.ts";

export type DavPlace = {
  /** Whose. */
  tree: number;
  /** Address of its root, without a slash at the end. */
  root: string;
  /** From there. */
  names: readonly string[];
  /** The number of names that stay as they are: those of the folder to which an API token is bound. */
  fixed?: number;
};

export type Spot = {
  /** The entry at the place, if there is one. */
  entry: Entry | null;
  /** The folder around the place, if it exists. */
  parentId: number | null;
};

/** What has no row: the root of a tree, and with a name what is above the trees. */
export const folderOf = (name = ""): Folder => ({ ...newFolder(ROOT, ROOT, name, 0), id: ROOT });

/** Above a tree, in it, and a slash at the end. */
const MOST_SEGMENTS = MOST_LEVELS + 4;

/**
 * The names after the prefix; null for another one. Slashes in a row count as one: clients join addresses with them.
 * @throws BadRequest, NotFound
 */
export function namesIn(pathname: string, prefix: string): string[] | null {
  const path = joinSlashes(pathname);
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return null;
  const segments = path.slice(prefix.length).split("/").slice(1);
  if (segments.length > MOST_SEGMENTS) throw nothing();
  try {
    const names = segments.map((segment) => decodeURIComponent(segment).normalize("NFC"));
    if (names.at(-1) === "") names.pop();
    return names.map(cleanFileName);
  } catch (cause) {
    throw appError("BadRequest", "The address is not percent-encoded UTF-8.", { cause });
  }
}

/** The path of an address in a header. Its host does not count: proxies change it. @throws BadRequest */
export function readAddress(given: string | undefined, header: string): string {
  // Two slashes would name a host, which those of RFC 4918 never do.
  const text = given?.trim().replace(/^\/+/, "/").replaceAll("\\", "%5C");
  const url = text === undefined ? null : URL.parse(text, "http://localhost");
  if (url !== null) return url.pathname;
  throw appError("BadRequest", `The header ${header} must be an address.`);
}

/** Paths in a tree, percent-encoded, as locks have them. */
export const pathOf = ({ names }: Pick<DavPlace, "names">): string => names.map(encodeURIComponent).join("/");
export const hrefOf = (root: string, path: string, kind: Entry["kind"]): string =>
  `${root}/${path}${kind === "folder" && path !== "" ? "/" : ""}`;
/** The path of an entry in the folder; its name is encoded. */
export const pathInside = (folder: string, name: string): string => `${folder}${folder && "/"}${name}`;
export const isBelow = (path: string, above: string): boolean =>
  above === "" ? path !== "" : path.startsWith(`${above}/`);
export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0));

export const createSpots =
  (repository: Pick<EntriesRepository, "child">) =>
  async ({ tree, names }: DavPlace, db?: Db): Promise<Spot> => {
    let spot: Spot = { entry: folderOf(), parentId: null };
    for (const name of names) {
      if (spot.entry?.kind !== "folder") return { entry: null, parentId: null };
      const parentId = spot.entry.id;
      spot = { entry: await repository.child(tree, parentId, name, db), parentId };
    }
    return spot;
  };

export type SpotOf = ReturnType<typeof createSpots>;

export const nothing = () => appError("FileNotFound", "There is nothing at this address.");
