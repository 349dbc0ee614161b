/** The link: entity, input and view. */
import { z } from "zod";
import { dropAskFields } from "./drop-fields.ts";
import { ownerText } from "../../lib/owner.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { TARGET_URL_FORM } from "../../lib/target-url.ts";
import { codeOf, domainOf } from "./key.ts";
import { shortUrl } from "./short-url.ts";
import { tagList } from "../tags/tag.ts";
import { CODE_FORM, NEW_CODE_FORM } from "./code.ts";
import { type FieldContent, linkFields, linkFieldsView, NO_FIELDS, viewOfFields } from "./field-values.ts";
import { namedObject } from "../../lib/named-object.ts";

/** What a create or an overwrite sets. */
export type LinkContent = FieldContent & {
  target: string;
  /** Epoch milliseconds, like all times. Null: never. Once reached, the link is expired. */
  expiresAt: number | null;
  /** Argon2 in PHC form. */
  passwordHash: string | null;
  /** See field-values.ts. */
  options: string | null;
  /** Since when checks of the target fail. */
  deadSince?: number | null;
};

export type Link = LinkContent & {
  id: number;
  /** The key; see key.ts. */
  code: string;
  createdAt: number;
  updatedAt: number;
  /** An account or team (lib/owner.ts); null for commands and imports. */
  ownerId: number | null;
  /** The name of the owner; null without one, or if it is gone. */
  ownerName: string | null;
  createdBy: string | null;
  clickCount: number;
  automatedClicks: number;
};

/** A change of content; undefined keeps the value. */
export type LinkPatch = { [K in keyof LinkContent]?: LinkContent[K] | undefined };

/** The owner of links from commands and imports. */
export const UNOWNED = { ownerId: null, createdBy: null };

/** Content of a link that only redirects. */
export const PLAIN = {
  ...NO_FIELDS,
  expiresAt: null,
  passwordHash: null,
  options: null,
};

export type ShownLink = Link;

export const PASSWORD_MASK = "[REDACTED]";
const PASSWORD_MAX_LENGTH = 1024;

const password = z
  .string()
  .max(PASSWORD_MAX_LENGTH)
  .refine((text) => text !== PASSWORD_MASK, `must be a password, not the mask "${PASSWORD_MASK}"`);

/** code.ts words the refusals. */
export const newCode = z.string().meta(NEW_CODE_FORM);

/** A host; absent, null or empty: the default domain. */
const domainName = z.string().max(1000).nullish();

/** Beside a code in a path. */
export const domainQuery = z.object({
  domain: z
    .string()
    .max(1000)
    .optional()
    .describe("host of the link's domain; absent or empty: the default one"),
});

export const createSchema = namedObject("NewLink", {
  code: newCode.nullish().describe("1 to 128 of a-z A-Z 0-9 _ . - /; random when absent or empty"),
  target: z
    .string()
    .describe("absolute http or https URL, or one with a scheme of links.targets.schemes; at most 8192 bytes")
    .meta(TARGET_URL_FORM),
  expires_at: z.string().nullish().describe("RFC 3339, or a duration such as 7d or 1d2h30m"),
  password: password.nullish(),
  domain: domainName.describe("host of its domain; absent or empty: the default one"),
  owner: ownerText.nullish().describe("account, or team:{name} whose links you may change; default: you"),
  force: z.boolean().nullish().describe("overwrite an existing link, which keeps created_at and click_count"),
  reuse: z
    .boolean()
    .nullish()
    .describe(
      "answer with a link of the domain that you may change, with this target and nothing else set, if there is one; goes with target, domain and owner alone",
    ),
  ...linkFields,
});
export type CreateInput = z.output<typeof createSchema>;

export const updateSchema = namedObject("LinkUpdate", {
  target: createSchema.shape.target,
  expires_at: z.string().nullish().describe("absent or null keeps it, an empty string clears it"),
  password: password.nullish().describe("absent or null keeps it, an empty string removes it"),
  domain: domainName.describe(
    "the domain of the link, which stays (PATCH moves a link); may be absent or null",
  ),
  owner: ownerText
    .nullish()
    .describe("gives the link to an account, or to team:{name}; for its owner, managers and administrators"),
  ...linkFields,
});
export type UpdateInput = z.output<typeof updateSchema>;

const tagChange = {
  add_tags: tagList.nullish().describe("tags to add"),
  remove_tags: tagList.nullish().describe("tags to remove"),
};

const updatePayload = updateSchema.extend(tagChange);
export type UpdatePayload = z.output<typeof updatePayload>;

/** A link in a batch. */
export const namedSchema = z.object({ code: z.string().meta(CODE_FORM), domain: domainName });
export const updateItemSchema = namedSchema.extend({ payload: updatePayload });

/** Most files of a drop box. */
const MOST_FILES = 1_000_000_000;
/** Bytes, or files. */
const limit = z.int().min(1);

const MOST_SHARED_ITEMS = 500;
const id = z.int().min(1);

export const itemsInput = z
  .array(
    z
      .object({ file_id: id.optional(), folder_id: id.optional() })
      .refine(
        (item) => (item.file_id === undefined) !== (item.folder_id === undefined),
        "takes file_id or folder_id",
      ),
  )
  .min(1)
  .max(MOST_SHARED_ITEMS)
  .describe(`files and folders of yours that are one share, at most ${MOST_SHARED_ITEMS}`);

/** What a code may serve instead of a URL: one thing of the caller's own, without a target. */
export const usesSchema = z.object({
  file_id: id.optional().describe("makes the code serve this file"),
  folder_id: id.optional().describe("makes the code list this folder"),
  drop: z
    .object({
      folder_id: id,
      max_bytes: limit,
      max_files: limit.max(MOST_FILES),
      max_file_size: limit.nullish().describe("bytes; unlimited without it"),
      ...dropAskFields,
    })
    .optional()
    .describe("makes the code take files into this folder"),
  items: itemsInput.optional(),
});
export type UsesInput = z.output<typeof usesSchema>;

export const patchSchema = updateSchema.extend({
  ...usesSchema.shape,
  ...tagChange,
  report: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "makes the code a report page: filter, days or from and to, as POST /analytics/pages takes them",
    ),
  code: newCode.optional().describe("renames the link; counts and history go along"),
  domain: domainName.describe(
    "moves the link to a domain, like a new code; empty or null: the default one; absent: it stays",
  ),
  keep_old: z.boolean().optional().describe("the old code stays as an alias, on its domain"),
  target: createSchema.shape.target.optional(),
  expires_at: z.string().nullish().describe("RFC 3339, or a duration such as 7d; null clears it"),
  password: password.nullish().describe("null removes it"),
});
patchSchema.register(z.globalRegistry, { id: "LinkPatch" });
export type PatchInput = z.output<typeof patchSchema>;

export const availabilitySchema = namedObject("CodeAvailability", {
  available: z.boolean(),
  reason: z
    .enum(["invalid", "reserved", "taken", "alias", "closed"])
    .optional()
    .describe("closed: the domain has an owner, and you make no links there"),
});
export type CodeAvailability = z.output<typeof availabilitySchema>;

export const linkViewSchema = namedObject("Link", {
  id: z.int().describe("stays when the code changes"),
  code: z.string().meta(CODE_FORM),
  target: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  password: z.literal(PASSWORD_MASK).nullable(),
  click_count: z.int(),
  human_clicks: z.int().describe("click_count without automated visitors"),
  domain: z.string().nullable().describe("host; null: the default domain"),
  dead_since: z.iso
    .datetime()
    .nullable()
    .describe("since when the target does not answer; null while it does, or is not checked"),
  short_url: z.url().describe("address of the link"),
  owner: z.string().nullable().describe("account, or team:{name}; null: of a command or import"),
  ...linkFieldsView,
});
export type LinkView = z.output<typeof linkViewSchema>;

/** The host of a domain; null for the default one. */
export type HostOf = (domain: number) => string | null;

/** The link as the API and the command line show it. @param origin as in `shortUrl` */
export const viewOfLink = (link: ShownLink, origin: string, hostOf: HostOf): LinkView => ({
  id: link.id,
  code: codeOf(link.code),
  target: link.target,
  created_at: formatRfc3339(link.createdAt),
  updated_at: formatRfc3339(link.updatedAt),
  expires_at: link.expiresAt === null ? null : formatRfc3339(link.expiresAt),
  password: link.passwordHash === null ? null : PASSWORD_MASK,
  click_count: link.clickCount,
  human_clicks: link.clickCount - link.automatedClicks,
  domain: hostOf(domainOf(link.code)),
  dead_since: link.deadSince ? formatRfc3339(link.deadSince) : null,
  short_url: shortUrl(origin, hostOf(domainOf(link.code)), codeOf(link.code)),
  owner: link.ownerName,
  ...viewOfFields(link),
});

export type DeletedContent = LinkContent & {
  createdAt: number;
  updatedAt: number;
  ownerId: number | null;
  createdBy: string | null;
  /** Keys. */
  aliases?: readonly string[];
  /** How many people passed a link with `max_clicks`. */
  uses?: number;
};

export type DeletedLink = DeletedContent & {
  id: number;
  /** The key. */
  code: string;
  clickCount: number;
  automatedClicks: number;
  deletedAt: number;
  deletedBy: string | null;
  /** The name of the owner, in pages; null without one, or if it is gone. */
  ownerName?: string | null;
};
