/** A folder or file with the way to it, for responses that mix both kinds from many folders. */
import { z } from "zod";
import { createView } from "../../lib/case-names.ts";
import { type Entry, linkedField, shownParent } from "./entry.ts";
import type { FolderPath } from "./paths.repository.ts";
import { namedObject } from "../../lib/named-object.ts";

export type LocatedEntry = Pick<Entry, "id" | "kind" | "name" | "parentId" | "createdAt" | "updatedAt"> & {
  /** The size in bytes, or null for folders. The next two are null for them too, `policyId` for files. */
  size: number | null;
  mimeType: string | null;
  modifiedAt: number | null;
  isLinked: boolean;
  policyId: number | null;
  /** Leads to the folder of the entry. */
  path: FolderPath;
};

export const pathView = z.array(z.object({ id: z.int(), name: z.string() }));

export const locatedEntryView = namedObject("Entry", {
  id: z.int(),
  kind: z.enum(["folder", "file"]),
  name: z.string().meta({ examples: ["report.pdf"] }),
  folder_id: z.int().nullable().describe("where it lies; null is the root"),
  path: pathView.describe("from the root to that folder"),
  size: z.int().nullable().describe("null for folders"),
  mime_type: z.string().nullable().describe("null for folders"),
  modified_at: z.iso.datetime().nullable().describe("of a file's content; null for folders"),
  is_linked: linkedField,
  policy_id: z.int().nullable().describe("of a folder: overrides the inherited policy"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

const viewFields = createView(locatedEntryView);

export const viewLocated = ({ parentId, path, ...entry }: LocatedEntry) =>
  viewFields({ ...entry, folderId: shownParent(parentId), path: path.map(({ id, name }) => ({ id, name })) });
