import { z } from "zod";
import { createView } from "../../lib/case-names.ts";
import { shownParent } from "../tree/entry.ts";
import { type LocatedEntry, pathView } from "../tree/located-entry.ts";
import type { FolderPath } from "../tree/paths.repository.ts";
import { namedObject } from "../../lib/named-object.ts";

/** An entry in the trash under its former name and place. */
export type Trashed = Pick<LocatedEntry, "id" | "kind" | "name" | "parentId" | "size"> & {
  /** Epoch milliseconds. */
  trashedAt: number;
};

export type TrashedItem = Trashed & {
  /** Leads to the former folder; null if that is gone or in the trash. */
  path: FolderPath | null;
  expiresAt: number;
};

export const trashedView = namedObject("TrashedEntry", {
  id: z.int(),
  kind: z.enum(["folder", "file"]),
  name: z.string().meta({ examples: ["report.pdf"] }),
  size: z.int().nullable().describe("null for folders"),
  folder_id: z.int().nullable().describe("where it was; null is the root"),
  path: pathView.nullable().describe("from the root to that folder; null if it is gone or in the trash"),
  trashed_at: z.iso.datetime(),
  expires_at: z.iso.datetime().describe("from then on it is deleted"),
});

const viewFields = createView(trashedView);

export const viewTrashed = ({ parentId, path, ...item }: TrashedItem) =>
  viewFields({
    ...item,
    folderId: shownParent(parentId),
    path: path?.map(({ id, name }) => ({ id, name })) ?? null,
  });
