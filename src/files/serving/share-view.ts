import { z } from "zod";
import { createSchema, linkViewSchema, viewOfLink } from "../../links/link/link.ts";
import type { ShareRecord } from "./served.ts";

export const PASSWORD_MIN_CHARACTERS = 8;

export const sharePassword = createSchema.shape.password
  .refine(
    (text) => !text || [...text].length >= PASSWORD_MIN_CHARACTERS,
    `must have at least ${PASSWORD_MIN_CHARACTERS} characters`,
  )
  .meta({ pattern: String.raw`^(?:[\s\S]{${PASSWORD_MIN_CHARACTERS},})?$` });

export const maxDownloads = z.int().min(1).max(1_000_000_000).nullish();

export const shareView = linkViewSchema.extend({
  kind: z.enum(["file", "folder", "drop", "items", "url"]).describe("url: the code redirects now"),
  entry: z
    .object({ id: z.int(), name: z.string() })
    .nullable()
    .describe("what is shared, one of several items, or the folder that takes the files; null for a URL"),
  items: z.int().nullable().describe("number of several items that are one share"),
  file_id: z.int().nullable(),
  folder_id: z.int().nullable(),
  max_downloads: z.int().nullable(),
  message: z.string().nullable().describe("shown to visitors"),
  recipients: z.array(z.string()).describe("their mail addresses"),
  verify: z.boolean().describe("only recipients see it, once they have proved their address"),
  downloads: z.int().describe("finished downloads; with max_downloads also running ones"),
  drop: z
    .object({
      max_bytes: z.int(),
      max_files: z.int(),
      max_file_size: z.int().nullable(),
      bytes: z.int().describe("taken so far"),
      files: z.int().describe("taken so far"),
    })
    .nullable()
    .describe("of a drop box, and of a folder with add"),
  add: z.boolean().describe("visitors see what is in the folder, and add files"),
  in_trash: z.boolean().describe("visitors find nothing until the item is put back"),
  damaged: z.boolean().describe("the stored content of the file is lost"),
  owner: z
    .object({ id: z.int(), username: z.string().nullable() })
    .optional()
    .describe("in the list of all accounts"),
  url: z.url().describe("the same as short_url"),
});
shareView.register(z.globalRegistry, { id: "Share" });

/** Shares are served there only. */
const onDefaultDomain = () => null;

export function viewOfShare(share: ShareRecord, origin: string): z.output<typeof shareView> {
  const { kind, entry, drop } = share;
  const { owner: _, ...link } = viewOfLink(share, origin, onDefaultDomain);
  return {
    ...link,
    kind,
    entry,
    items: share.items,
    file_id: kind === "file" ? entry!.id : null,
    folder_id: kind === "folder" || kind === "drop" ? entry!.id : null,
    max_downloads: share.maxDownloads,
    message: share.message,
    recipients: [...share.recipients],
    verify: share.verify,
    downloads: share.downloads,
    drop: drop && {
      max_bytes: drop.maxBytes,
      max_files: drop.maxFiles,
      max_file_size: drop.maxFileSize,
      bytes: drop.bytes,
      files: drop.files,
    },
    add: drop?.isTwoWay ?? false,
    in_trash: share.inTrash,
    damaged: share.isDamaged,
    url: link.short_url,
  };
}
