import { z } from "zod";
import { actorOf, type Endpoint, endpoint } from "../../http/endpoint.ts";
import { FILE_NAME_FORM } from "../../lib/file-name.ts";
import { streamAnswer } from "../../http/stream-pages.ts";
import type { Logger } from "../../lib/logger.ts";
import { folderView, viewFolder } from "./entry.ts";
import { contentsView, viewPage, viewWhole, wholeText } from "./listing.ts";
import { contentsQuery, LARGEST_PAGE, requestedPage } from "./listing-page.ts";
import type { Folders } from "./folders.service.ts";
import { idIn, idInBody } from "./entry-id.ts";
import { namedObject } from "../../lib/named-object.ts";

const name = z
  .string()
  .describe("1 to 255 bytes without / \\ and control characters; unique in its folder")
  .meta(FILE_NAME_FORM);
const parentId = idInBody.nullable().optional().describe("null is the root");

const createSchema = namedObject("NewFolder", { name, parent_id: parentId });
const updateSchema = namedObject("FolderUpdate", {
  name: name.optional(),
  parent_id: parentId,
  policy_id: idInBody.nullable().optional().describe("null removes the override"),
});

type Deps = { folders: Folders; logger: Logger };

export function folderEndpoints({ folders, logger }: Deps): Endpoint[] {
  const shared = { access: "account", scope: "files", tag: "folders" } as const;
  const item = { ...shared, path: "/folders/:id" } as const;
  return [
    contentsEndpoint({ folders, logger }, "/folders", "The contents of the root"),
    endpoint({
      ...shared,
      method: "POST",
      path: "/folders",
      summary: "Create a folder",
      body: createSchema,
      failures: [404, 409],
      status: 201,
      answer: folderView,
      handle: async ({ account, body }) =>
        viewFolder(await folders.create(account.id, { name: body.name, parentId: body.parent_id ?? null })),
    }),
    contentsEndpoint({ folders, logger }, "/folders/:id", "The contents of a folder"),
    endpoint({
      ...item,
      method: "PATCH",
      summary: "Rename or move a folder, or set its storage policy; absent fields stay unchanged",
      body: updateSchema,
      failures: [409],
      answer: folderView,
      handle: async ({ c, account, body }) =>
        viewFolder(
          await folders.update(account.id, idIn(c, "FolderNotFound"), {
            name: body.name,
            parentId: body.parent_id,
            policyId: body.policy_id,
          }),
        ),
    }),
    endpoint({
      ...item,
      method: "DELETE",
      summary: "Delete a folder with its contents",
      answer: z.object({ message: z.string() }),
      async handle({ c, account }) {
        const id = idIn(c, "FolderNotFound");
        // A large folder takes a while.
        c.env.liftIdleTimeout();
        await folders.remove(account.id, id, actorOf(account));
        return { message: "Folder deleted" };
      },
    }),
  ];
}

const contentsEndpoint = ({ folders, logger }: Deps, path: string, summary: string): Endpoint =>
  endpoint({
    method: "GET",
    path,
    access: "account",
    scope: "files",
    tag: "folders",
    summary,
    query: contentsQuery,
    answer: contentsView,
    async handle({ c, account, query }) {
      const asked = requestedPage(query);
      const folderId = c.req.param("id") === undefined ? null : idIn(c, "FolderNotFound");
      const listing = await folders.find(account.id, folderId);
      const { after, limit } = asked ?? { after: null, limit: LARGEST_PAGE };
      const page = await folders.page(account.id, listing.folder, after, limit);
      if (asked !== null) return viewPage(listing, page);
      if (page.next === null) return viewWhole(listing, page);
      const pieces = wholeText(folders, account.id, listing, page);
      const body = await streamAnswer(c, pieces, { logger, failure: "a folder's listing was cut off" });
      return new Response(body, { headers: { "Content-Type": "application/json; charset=utf-8" } });
    },
  });
