/** A drop box: a row of `shares` whose entry is the folder that takes the files of strangers. */
import { appError } from "../../lib/errors.ts";
import { type DropLimits, limitBytes, limitFiles, type ShareRecord } from "../serving/served.ts";
import type { SharedEntry } from "../shares/share.ts";
import type { Folder } from "../tree/entry.ts";
import { mediaTypeOf, UNKNOWN_TYPE } from "../tree/media-type.ts";
import { z } from "zod";
import { namedObject } from "../../lib/named-object.ts";
import { createView, type ViewFields } from "../../lib/case-names.ts";
import { shortSender } from "../../lib/short-sender.ts";
import { createSchema } from "../../links/link/link.ts";
import { emailSchema } from "../../lib/email-address.ts";
import { dropAskFields, REQUIREMENTS, takesType } from "../../links/link/drop-fields.ts";
import { dropPath, personName } from "./drop-name.ts";
import { shareSchema, shareView, viewOfShare } from "../serving/schemas.ts";

/** The visitor's name and address in forms and Upload-Metadata. */
export const NAME_FIELD = "sender_name";
export const EMAIL_FIELD = "sender_email";

/** What the box received, including files that are gone. */
type Taken = { bytes: number; files: number };

/** A box as its visitors see it. `from`: the name of who asks; without one the account, if the box has a message. */
export type OpenDrop = DropLimits &
  Taken &
  Pick<SharedEntry, "linkId" | "code" | "title" | "message" | "from" | "createdAt" | "expiresAt"> &
  Pick<SharedEntry, "passwordHash" | "accountId"> & { folderId: number };

/** With the folder and those above it. */
export type VisitedDrop = OpenDrop & { folders: readonly Folder[] };

/**
 * A file as its sender sees it. `path`: the sender's folders around it, joined by "/"; null without. `size`: null once
 * it has other content.
 */
export type SentFile = { name: string; path: string | null; size: number | null; at: number };

const REFUSALS = {
  ended: ["NotFound", 410, "This drop box has ended. Nothing was stored."],
  full: ["Conflict", 409, "No more files can be added here. Nothing was stored."],
  room: ["FileTooLargeForPolicy", 413, "There is not enough room left here. Nothing was stored."],
  size: ["FileTooLargeForPolicy", 413, "A file is larger than allowed here. Nothing was stored."],
  busy: ["RateLimitExceeded", 429, "Others are sending files just now. Try again in a moment."],
  rate: ["RateLimitExceeded", 429, "You are sending too many files at once. Try again in a moment."],
  name: ["BadRequest", 400, "Give your name with what you send. Nothing was stored."],
  email: ["BadRequest", 400, "Give your e-mail address with what you send. Nothing was stored."],
  type: ["BadRequest", 415, "Files of this kind are not accepted here. Nothing was stored."],
  deep: ["BadRequest", 400, "The folders are nested too deeply. Nothing was stored."],
} as const;

export type DropRefusal = keyof typeof REFUSALS;

/** A refusal for strangers: a sentence without private facts. */
export function dropRefusal(drop: DropRefusal, more: Record<string, unknown> = {}) {
  const [name, status, message] = REFUSALS[drop];
  const wait = status === 429 ? { retryAfterSeconds: 5 } : {};
  return appError(name, message, { details: { drop, status, ...wait, ...more } });
}

/** Who sends, by the fields of a form or of Upload-Metadata. @throws if the box asks for more */
export function senderIn({ requires }: Pick<OpenDrop, "requires">, fields: ReadonlyMap<string, string>) {
  const senderName = personName(fields.get(NAME_FIELD));
  const senderEmail = emailSchema.safeParse(fields.get(EMAIL_FIELD)?.trim()).data ?? null;
  const given = { name: senderName, email: senderEmail };
  if (requires !== null && given[requires] === null) throw dropRefusal(requires);
  return { senderName, senderEmail };
}

/** Name and path of a file that comes. @throws if the box does not take it */
export function incomingName(
  { types }: Pick<OpenDrop, "types">,
  given: string,
  mimeType: string | undefined,
) {
  const { name, folders } = dropPath(given);
  if (folders === null) throw dropRefusal("deep");
  refuseKind({ types }, name, mimeType);
  return { name, path: folders.length === 0 ? null : folders.join("/") };
}

/** @throws if the box does not take files of that kind */
export function refuseKind(
  { types }: Pick<OpenDrop, "types">,
  name: string,
  mimeType: string | null | undefined,
): void {
  const known = mediaTypeOf(undefined, name);
  const type = known === UNKNOWN_TYPE ? mediaTypeOf(mimeType?.toLowerCase(), name) : known;
  if (!takesType(types, name, type)) throw dropRefusal("type");
}

/** Bytes that it may still take. */
export const roomIn = ({ maxBytes, bytes }: OpenDrop): number => Math.max(0, maxBytes - bytes);

export const dropSchema = shareSchema.omit({ max_downloads: true, verify: true }).extend({
  title: createSchema.shape.title.describe("shown to visitors; found by `search`"),
  max_bytes: limitBytes.describe("of all files together"),
  max_files: limitFiles.describe("files that it takes in all, including those deleted since"),
  max_file_size: limitBytes.nullish().describe("of one file, in bytes; default: only max_bytes limits it"),
  ...dropAskFields,
});
dropSchema.register(z.globalRegistry, { id: "NewDropBox" });

export type GivenDrop = z.output<typeof dropSchema>;

/** A share's view with the limits. */
export const dropView = shareView.extend({
  folder_id: z.int(),
  max_bytes: z.int(),
  max_files: z.int(),
  max_file_size: z.int().nullable(),
  require: z.enum(REQUIREMENTS).describe("what visitors give before they send files"),
  sender_folders: z.boolean().describe("each sender has a folder inside"),
  types: z.array(z.string()).describe("extensions and media types that it takes; empty: all"),
  bytes: z.int().describe("that it has received, including files deleted since"),
  files: z.int().describe("that it has received, including those deleted since"),
});
dropView.register(z.globalRegistry, { id: "DropBox" });

export const receivedView = namedObject("ReceivedFile", {
  file_id: z.int(),
  name: z.string().describe("name of the file in the tree"),
  original_name: z.string().describe("the name that the visitor sent; `name` differs if another file had it"),
  size: z.int(),
  mime_type: z.string(),
  sender: z.string().describe("the same for everything that one visitor sends into this box"),
  sender_name: z.string().nullable().describe("as the visitor gave it"),
  sender_email: z.string().nullable().describe("as the visitor gave it; nobody has proved it"),
  path: z.string().nullable().describe("the visitor's folders around the file, joined by /"),
  at: z.iso.datetime(),
});

export function viewDrop(box: ShareRecord, folderId: number, origin: string): z.output<typeof dropView> {
  const view = viewOfShare(box, origin);
  return { ...view, ...view.drop!, folder_id: folderId };
}

/** A file as the owner sees it. `sender`: the whole hash. */
export type ReceivedDrop = ViewFields<z.output<typeof receivedView>>;

const viewFields = createView(receivedView);

export const viewReceived = (file: ReceivedDrop) => viewFields({ ...file, sender: shortSender(file.sender) });
