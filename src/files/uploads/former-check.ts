/** If-Match and If-None-Match of an upload: they name the file that has the upload's name already. */
import { type MatchConditions, requireMatch } from "../../platform/http/entity-tag.ts";
import { type StoredFile, viewFile } from "../tree/entry.ts";
import type { TreeInput, Trees } from "../tree/trees.ts";

/** Rejects unless the file, or null without one, is as a request says. */
export type CheckFormer = (former: StoredFile | null) => Promise<void>;
export type FormerCheckOf = (conditions: MatchConditions) => CheckFormer;

/** Compares files of the tree as the caller sees them. */
export const formerCheckOf =
  (trees: Pick<Trees, "nameOf">, input: TreeInput, tree: number): FormerCheckOf =>
  (conditions) =>
  async (former) =>
    requireMatch(conditions, former === null ? undefined : viewFile(former, await trees.nameOf(input, tree)));
