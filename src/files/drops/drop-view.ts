/** The requests and answers about drop boxes of their owners. */
import { limitBytes, limitFiles } from "../serving/adding.ts";
import { z } from "zod";
import { namedObject } from "../../lib/named-object.ts";
import { createView, type ViewFields } from "../../lib/case-names.ts";
import { shortSender } from "../../lib/short-sender.ts";
import { createSchema } from "../../links/link/link.ts";
import type { ShareRecord } from "../serving/served.ts";
import { shareSchema } from "../serving/share-input.ts";
import { shareView, viewOfShare } from "../serving/share-view.ts";

export const dropSchema = shareSchema.omit({ max_downloads: true, recipients: true, verify: true }).extend({
  title: createSchema.shape.title.describe("shown to visitors; found by `search`"),
  max_bytes: limitBytes.describe("of all files together"),
  max_files: limitFiles.describe("files that it takes in all, including those deleted since"),
  max_file_size: limitBytes.nullish().describe("of one file, in bytes; default: only max_bytes limits it"),
});
dropSchema.register(z.globalRegistry, { id: "NewDropBox" });

export type GivenDrop = z.output<typeof dropSchema>;

/** A share's view with the limits. */
export const dropView = shareView.extend({
  folder_id: z.int(),
  max_bytes: z.int(),
  max_files: z.int(),
  max_file_size: z.int().nullable(),
  bytes: z.int().describe("that it has received, including files deleted since"),
  files: z.int().describe("that it has received, including those deleted since"),
});
dropView.register(z.globalRegistry, { id: "DropBox" });

export const receivedView = namedObject("ReceivedFile", {
  file_id: z.int(),
  name: z.string().describe("name of the file in the tree"),
  sent_as: z.string().describe("name as sent; name differs if another file had it"),
  size: z.int(),
  mime_type: z.string(),
  sender: z.string().describe("the same for everything that one visitor sends into this box"),
  sender_name: z.string().nullable().describe("as the visitor gave it"),
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
