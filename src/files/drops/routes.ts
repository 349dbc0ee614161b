/** The endpoints of drop boxes for their owners; public.routes.ts serves visitors. */
import { z } from "zod";
import { actorOf, CursorPage, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { cursorQuery, cursorText, limitOf, placeOf } from "../../lib/cursor.ts";
import { CODE_FORM } from "../../links/link/code.ts";
import { lockedShareOf, refuseOwnCode, shareCodeIn } from "../serving/routes.ts";
import type { ShareChanges } from "../serving/changes.ts";
import { entryIn, placedEndpoint } from "../tree/entry-id.ts";
import type { Trees } from "../tree/trees.ts";
import { dropSchema, dropView, receivedView, viewDrop, viewReceived } from "./drop.ts";
import type { Drops } from "./service.ts";

const PATH = "/folders/:id/drop";
const common = placedEndpoint("folders");
const params = { code: z.string().meta(CODE_FORM) };

type Deps = { drops: Drops; trees: Trees; changes: Pick<ShareChanges, "locked"> };

export const dropEndpoints = ({ drops, trees, changes }: Deps): Endpoint[] => [
  endpoint(`POST ${PATH}`, {
    ...common,
    summary: "Open a drop box: a short link through which visitors put files into a folder",
    body: dropSchema,
    failures: [403, 409],
    status: 201,
    response: dropView,
    async handle({ c, account, body }) {
      refuseOwnCode(account, body.code);
      const [tree, folderId] = await entryIn(trees, { c, account }, "FolderNotFound");
      const box = await drops.create(tree, folderId, body, actorOf(account));
      return viewDrop(box, folderId, c.env.origin());
    },
  }),
  endpoint(`GET ${PATH}`, {
    ...common,
    summary: "The drop boxes of a folder, newest first",
    response: z.array(dropView),
    async handle({ c, account }) {
      const [tree, folderId] = await entryIn(trees, { c, account }, "FolderNotFound");
      const origin = c.env.origin();
      return (await drops.list(tree, folderId)).map((box) => viewDrop(box, folderId, origin));
    },
  }),
  endpoint(`GET ${PATH}/:code{.+}/files`, {
    ...common,
    params,
    summary:
      "List the files that a drop box received, with their senders, newest first; without files in the trash",
    query: z.object(cursorQuery),
    response: z.array(receivedView),
    paged: "cursor",
    async handle({ c, account, query: { cursor, limit } }) {
      const before = placeOf(z.int(), cursor);
      const [tree, folderId] = await entryIn(trees, { c, account }, "FolderNotFound");
      const place = { folderId, code: shareCodeIn(c) };
      const { files, next } = await drops.received(tree, place, before, limitOf(limit));
      return new CursorPage(files.map(viewReceived), next === null ? null : cursorText(next));
    },
  }),
  endpoint(`DELETE ${PATH}/:code{.+}`, {
    ...common,
    ...lockedShareOf(changes, async (input) => (await entryIn(trees, input, "FolderNotFound"))[0]),
    params,
    summary: "Close a drop box; the files stay",
    done: "Drop box closed",
    async handle({ c, account }) {
      const place = await entryIn(trees, { c, account }, "FolderNotFound");
      await drops.close(...place, shareCodeIn(c), actorOf(account));
    },
  }),
];
