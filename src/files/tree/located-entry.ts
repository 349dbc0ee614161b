/** A folder or file with the way to it, for answers that mix both kinds from many folders. */
import { z } from "zod";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { type Entry, ROOT } from "./entry.ts";
import type { FolderPath } from "./paths.repository.ts";

export type LocatedEntry = Pick<Entry, "id" | "kind" | "name" | "parentId" | "createdAt" | "updatedAt"> & {
  /** Null for folders, like the type. */
  size: number | null;
  mimeType: string | null;
  /** Leads to the folder of the entry. */
  path: FolderPath;
};

export const pathView = z.array(z.object({ id: z.int(), name: z.string() }));

export const locatedEntryView = z.object({
  id: z.int(),
  kind: z.enum(["folder", "file"]),
  name: z.string().meta({ examples: ["report.pdf"] }),
  folder_id: z.int().nullable().describe("where it lies; null is the root"),
  path: pathView.describe("from the root to that folder"),
  size: z.int().nullable().describe("null for folders"),
  mime_type: z.string().nullable().describe("null for folders"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
locatedEntryView.register(z.globalRegistry, { id: "Entry" });

export const viewLocated = (entry: LocatedEntry): z.output<typeof locatedEntryView> => ({
  id: entry.id,
  kind: entry.kind,
  name: entry.name,
  folder_id: entry.parentId === ROOT ? null : entry.parentId,
  path: entry.path.map(({ id, name }) => ({ id, name })),
  size: entry.size,
  mime_type: entry.mimeType,
  created_at: formatRfc3339(entry.createdAt),
  updated_at: formatRfc3339(entry.updatedAt),
});
