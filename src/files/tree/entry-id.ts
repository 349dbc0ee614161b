/** Ids in requests. An impossible id is treated as unknown. */
import type { Trees } from "./trees.ts";
import { z } from "zod";
import { idParameter } from "../../lib/id-parameter.ts";

const MISSING = {
  FileNotFound: "There is no such file.",
  FolderNotFound: "There is no such folder.",
  NotFound: "There is no such entry in the trash.",
} as const;

/** Parameter `id` of the path. @throws the given error for an impossible id */
export const idIn = (c: Parameters<typeof idParameter>[0], missing: keyof typeof MISSING): number =>
  idParameter(c, missing, MISSING[missing]);

/** What the endpoints of trees have in common. */
export const treeEndpoint = <T extends string>(tag: T) =>
  ({ access: "account", scope: "files", tag }) as const;

/** Those that take every entry from Trees, which checks what API tokens of one folder reach. */
export const placedEndpoint = <T extends string>(tag: T) =>
  ({ ...treeEndpoint(tag), takesFolderTokens: true }) as const;

export type EntryInput = Parameters<Trees["ownerOf"]>[0] & { c: Parameters<typeof idParameter>[0] };

/** The tree and the id of the entry in the path. @throws Forbidden for viewers, and like `idIn` */
export async function entryIn(
  trees: Trees,
  { c, account }: EntryInput,
  missing: keyof typeof MISSING,
  /** The entry itself changes: not the folder of an API token. */
  { changes = false } = {},
): Promise<[tree: number, id: number]> {
  const id = idIn(c, missing);
  if (changes) trees.checkFixed({ c, account }, id);
  return [await trees.ownerOf({ c, account }, { entry: id }), id];
}

/** Any whole number. The service knows which exist. */
export const idInBody = z
  .number()
  .refine(Number.isInteger, "must be a whole number")
  .meta({ type: "integer", format: "int64" });

/** Numbers that are too large become unknown ids. */
export const idInQuery = z
  .string()
  .regex(/^-?\d{1,30}$/, "must be a whole number")
  .meta({ type: "integer", format: "int64" });
