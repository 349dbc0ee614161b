/** For owners. public.routes.ts is for visitors. */
import { z } from "zod";
import { actorOf, CursorPage, type Endpoint, endpoint } from "../../http/endpoint.ts";
import { cursorQuery, cursorText, limitOf, placeOf } from "../../lib/cursor.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { shortSender } from "../../lib/short-sender.ts";
import { CODE_FORM } from "../../links/link/code.ts";
import { createSchema } from "../../links/link/link.ts";
import { refuseOwnCode, shareCodeIn, shareSchema } from "../shares/routes.ts";
import { idIn } from "../tree/entry-id.ts";
import type { ShareRecord } from "../serving/served.ts";
import { shareView, viewOfShare } from "../serving/share-view.ts";
import type { ReceivedDrop } from "./drop.ts";
import type { Trees } from "../tree/trees.ts";
import type { Drops } from "./service.ts";
import { namedObject } from "../../lib/named-object.ts";

const LARGEST_BYTES = Number.MAX_SAFE_INTEGER;
const MOST_FILES = 1_000_000_000;

const bytes = z.int().min(1).max(LARGEST_BYTES);

const dropSchema = shareSchema.omit({ max_downloads: true, recipients: true, verify: true }).extend({
  title: createSchema.shape.title.describe("shown to visitors; found by `search`"),
  max_bytes: bytes.describe("of all files together"),
  max_files: z
    .int()
    .min(1)
    .max(MOST_FILES)
    .describe("files that it takes in all, including those deleted since"),
  max_file_size: bytes.nullish().describe("of one file, in bytes; default: only max_bytes limits it"),
});
dropSchema.register(z.globalRegistry, { id: "NewDropBox" });

/** A share's view with the limits. */
const dropView = shareView.extend({
  folder_id: z.int(),
  max_bytes: z.int(),
  max_files: z.int(),
  max_file_size: z.int().nullable(),
  bytes: z.int().describe("that it has received, including files deleted since"),
  files: z.int().describe("that it has received, including those deleted since"),
});
dropView.register(z.globalRegistry, { id: "DropBox" });

const receivedView = namedObject("ReceivedFile", {
  file_id: z.int(),
  name: z.string().describe("name of the file in the tree"),
  sent_as: z.string().describe("name as sent; name differs if another file had it"),
  size: z.int(),
  mime_type: z.string(),
  sender: z.string().describe("the same for everything that one visitor sends into this box"),
  sender_name: z.string().nullable().describe("as the visitor gave it"),
  at: z.iso.datetime(),
});

function viewDrop(box: ShareRecord, folderId: number, origin: string): z.output<typeof dropView> {
  const view = viewOfShare(box, origin);
  return { ...view, ...view.drop!, folder_id: folderId };
}

const viewReceived = (file: ReceivedDrop): z.output<typeof receivedView> => ({
  file_id: file.fileId,
  name: file.name,
  sent_as: file.sentAs,
  size: file.size,
  mime_type: file.mimeType,
  sender: shortSender(file.sender),
  sender_name: file.senderName,
  at: formatRfc3339(file.at),
});

const PATH = "/folders/:id/drop";
const common = { access: "account", scope: "files", tag: "folders" } as const;
const params = { code: z.string().meta(CODE_FORM) };

export const dropEndpoints = ({ drops, trees }: { drops: Drops; trees: Trees }): Endpoint[] => [
  endpoint({
    ...common,
    method: "POST",
    path: PATH,
    summary: "Open a drop box: a short link through which visitors put files into a folder",
    body: dropSchema,
    failures: [403, 409],
    status: 201,
    answer: dropView,
    async handle({ c, account, body }) {
      refuseOwnCode(account, body.code);
      const folderId = idIn(c, "FolderNotFound");
      const { max_bytes: maxBytes, max_files: maxFiles, max_file_size: maxFileSize = null, ...link } = body;
      const input = { ...link, maxBytes, maxFiles, maxFileSize };
      const box = await drops.create(
        await trees.with({ c, account }, { entry: folderId }),
        folderId,
        input,
        actorOf(account),
      );
      return viewDrop(box, folderId, c.env.origin());
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: PATH,
    summary: "The drop boxes of a folder, newest first",
    answer: z.array(dropView),
    async handle({ c, account }) {
      const folderId = idIn(c, "FolderNotFound");
      const origin = c.env.origin();
      const tree = await trees.with({ c, account }, { entry: folderId });
      return (await drops.list(tree, folderId)).map((box) => viewDrop(box, folderId, origin));
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: `${PATH}/:code{.+}/files`,
    params,
    summary:
      "List the files that a drop box received, with their senders, newest first; without files in the trash",
    query: z.object(cursorQuery),
    answer: z.array(receivedView),
    paged: "cursor",
    async handle({ c, account, query: { cursor, limit } }) {
      const place = { folderId: idIn(c, "FolderNotFound"), code: shareCodeIn(c) };
      const before = placeOf(z.int(), cursor);
      const tree = await trees.with({ c, account }, { entry: place.folderId });
      const { files, next } = await drops.received(tree, place, before, limitOf(limit));
      return new CursorPage(files.map(viewReceived), next === null ? null : cursorText(next));
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: `${PATH}/:code{.+}`,
    params,
    summary: "Close a drop box; the files stay",
    answer: z.object({ message: z.string() }),
    async handle({ c, account }) {
      const folderId = idIn(c, "FolderNotFound");
      const tree = await trees.with({ c, account }, { entry: folderId });
      await drops.close(tree, folderId, shareCodeIn(c), actorOf(account));
      return { message: "Drop box closed" };
    },
  }),
];
