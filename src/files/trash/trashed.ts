import { z } from "zod";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { ROOT } from "../tree/entry.ts";
import { pathView } from "../tree/located-entry.ts";
import type { FolderPath } from "../tree/paths.repository.ts";

/** An entry in the trash under its former name and place. */
export type Trashed = {
  id: number;
  kind: "folder" | "file";
  name: string;
  parentId: number;
  /** Null for folders. */
  size: number | null;
  /** Epoch milliseconds. */
  trashedAt: number;
};

export type TrashedItem = Trashed & {
  /** Leads to the former folder; null if that is gone or in the trash. */
  path: FolderPath | null;
  expiresAt: number;
};

export const trashedView = z.object({
  id: z.int(),
  kind: z.enum(["folder", "file"]),
  name: z.string().meta({ examples: ["report.pdf"] }),
  size: z.int().nullable().describe("null for folders"),
  folder_id: z.int().nullable().describe("where it was; null is the root"),
  path: pathView.nullable().describe("from the root to that folder; null if it is gone or in the trash"),
  trashed_at: z.iso.datetime(),
  expires_at: z.iso.datetime().describe("from then on it is deleted"),
});
trashedView.register(z.globalRegistry, { id: "TrashedEntry" });

export const viewTrashed = (item: TrashedItem): z.output<typeof trashedView> => ({
  id: item.id,
  kind: item.kind,
  name: item.name,
  size: item.size,
  folder_id: item.parentId === ROOT ? null : item.parentId,
  path: item.path?.map(({ id, name }) => ({ id, name })) ?? null,
  trashed_at: formatRfc3339(item.trashedAt),
  expires_at: formatRfc3339(item.expiresAt),
});
