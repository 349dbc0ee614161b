import { z } from "zod";
import {
  createSchema,
  linkViewSchema,
  viewOfLink,
  itemsInput,
  newCode,
  patchSchema,
} from "../../links/link/link.ts";
import {
  type ShareRecord,
  addingFields,
  addingOf,
  SHARE_KINDS,
  SHARE_SORTS,
  SHARE_STATES,
} from "./served.ts";
import { REQUIREMENTS, viewOfAsks } from "../../links/link/drop-fields.ts";
import { cursorQuery } from "../../lib/cursor.ts";
import { flag } from "../../lib/query-text.ts";
import { pageQuery } from "../../lib/page-query.ts";
import { filterQuery } from "../../links/list/filter.ts";
import { NO_RECIPIENTS, recipientFields, recipientsAfter } from "../recipients/recipients.ts";
import { ownerQuery } from "../tree/trees.ts";

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
  verify: z.boolean().describe("only recipients see it, once they have verified their address"),
  downloads: z.int().describe("finished downloads; with max_downloads also running ones"),
  drop: z
    .object({
      max_bytes: z.int(),
      max_files: z.int(),
      max_file_size: z.int().nullable(),
      require: z.enum(REQUIREMENTS).describe("what visitors give before they send files"),
      sender_folders: z.boolean().describe("each sender has a folder inside"),
      types: z.array(z.string()).describe("extensions and media types that it takes; empty: all"),
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
      ...viewOfAsks(drop),
      bytes: drop.bytes,
      files: drop.files,
    },
    add: drop?.isTwoWay ?? false,
    in_trash: share.inTrash,
    damaged: share.isDamaged,
    url: link.short_url,
  };
}

export const shareSchema = createSchema.pick({ expires_at: true, title: true }).extend({
  code: newCode
    .nullish()
    .describe(
      "editors and administrators only: 1 to 128 of a-z A-Z 0-9 _ . - /; random when absent or empty",
    ),
  password: sharePassword.describe(
    `at least ${PASSWORD_MIN_CHARACTERS} characters; none when empty or absent`,
  ),
  max_downloads: maxDownloads.describe("finished downloads, of all files together; unlimited without it"),
  ...recipientFields,
});
export const folderShareSchema = shareSchema.extend(addingFields);
folderShareSchema.register(z.globalRegistry, { id: "NewFolderShare" });
shareSchema.register(z.globalRegistry, { id: "NewShare" });

export const itemsShareSchema = shareSchema.extend({ items: itemsInput });
itemsShareSchema.register(z.globalRegistry, { id: "NewItemsShare" });

export type GivenShare = z.output<typeof folderShareSchema>;

export const shareInput = ({
  max_downloads,
  message,
  recipients,
  verify,
  add,
  max_bytes,
  max_files,
  max_file_size,
  require,
  sender_folders,
  types,
  ...input
}: GivenShare) => ({
  input,
  audience: recipientsAfter(NO_RECIPIENTS, { message, recipients, verify }),
  maxDownloads: max_downloads ?? null,
  adding: addingOf({ add, max_bytes, max_files, max_file_size, require, sender_folders, types }),
});

export const shareListQuery = z.object({
  ...pageQuery,
  cursor: cursorQuery.cursor.describe(
    "instead of page: empty for the first page, then next_cursor of the previous one",
  ),
  search: filterQuery.shape.search.describe("text in the code, title, note or name, case-insensitive"),
  kind: z.enum(["", ...SHARE_KINDS], `must be one of ${SHARE_KINDS.join(", ")}`).optional(),
  state: z
    .enum(["", ...SHARE_STATES], `must be one of ${SHARE_STATES.join(", ")}`)
    .optional()
    .describe("the first of damaged, expired, used_up, active that applies; a full drop box is used_up"),
  sort: z
    .enum(["", ...SHARE_SORTS], `must be one of ${SHARE_SORTS.join(", ")}`)
    .optional()
    .describe("not with cursor"),
  order: z
    .enum(["", "asc", "desc"], "must be asc or desc")
    .optional()
    .describe("desc when absent; not with cursor"),
  entries: z
    .string()
    .regex(/^(?:\d{1,15}(?:,\d{1,15}){0,99})?$/, "takes at most 100 ids, separated by commas")
    .optional()
    .describe("ids of files and folders of one owner: only what serves one of them or something in them"),
  around: flag("with entries: also what serves a folder around them"),
  ...ownerQuery,
  all: z.enum(["true", "false", ""], "takes true or false").optional().describe("true: of all accounts"),
});

export const shareChangeSchema = patchSchema
  .pick({
    expires_at: true,
    title: true,
    target: true,
    file_id: true,
    folder_id: true,
    drop: true,
    items: true,
  })
  .extend({
    password: sharePassword.describe(`at least ${PASSWORD_MIN_CHARACTERS} characters; null removes it`),
    max_downloads: maxDownloads.describe("null: unlimited; used up unless above downloads"),
    ...addingFields,
    ...recipientFields,
  });
shareChangeSchema.register(z.globalRegistry, { id: "ShareUpdate" });
