/** Schemas of requests about shares, and what they ask of the services. */
import { z } from "zod";
import { cursorQuery } from "../../lib/cursor.ts";
import { pageQuery } from "../../lib/page-query.ts";
import { createSchema, itemsInput, newCode, patchSchema } from "../../links/link/link.ts";
import { filterQuery } from "../../links/list/filter.ts";
import { NO_RECIPIENTS, recipientFields, recipientsAfter } from "../recipients/recipients.ts";
import { ownerQuery } from "../tree/trees.ts";
import { addingFields, addingOf } from "./adding.ts";
import { SHARE_KINDS, SHARE_SORTS, SHARE_STATES } from "./share-filter.ts";
import { maxDownloads, PASSWORD_MIN_CHARACTERS, sharePassword } from "./share-view.ts";

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
  ...input
}: GivenShare) => ({
  input,
  says: recipientsAfter(NO_RECIPIENTS, { message, recipients, verify }),
  maxDownloads: max_downloads ?? null,
  adding: addingOf({ add, max_bytes, max_files, max_file_size }),
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
