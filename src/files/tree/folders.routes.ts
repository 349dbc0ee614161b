import { z } from "zod";
import { actorOf, type PathInput, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { FILE_NAME_FORM } from "../../lib/file-name.ts";
import { ownerText } from "../../lib/owner.ts";
import { streamResponse } from "../../platform/http/stream-pages.ts";
import type { Logger } from "../../lib/logger.ts";
import { folderView, viewFolder } from "./entry.ts";
import {
  contentsQuery,
  contentsView,
  LARGEST_PAGE,
  requestedPage,
  viewPage,
  viewWhole,
  wholeText,
} from "./listing.ts";
import type { Folders } from "./folders.service.ts";
import { entryIn, idInBody, placedEndpoint } from "./entry-id.ts";
import type { Transfers } from "./transfers.ts";
import { ownerQuery, shownPath, type Trees } from "./trees.ts";
import { namedObject } from "../../lib/named-object.ts";

const nameField = z
  .string()
  .describe("1 to 255 bytes without / \\ and control characters; unique in its folder")
  .meta(FILE_NAME_FORM);
const parentField = idInBody.nullable().optional().describe("null is the root");

const createSchema = namedObject("NewFolder", {
  name: nameField,
  parent_id: parentField,
  owner: ownerText.optional().describe("you, or team:{name}, in whose root it is; default: you"),
});
export const newOwner = ownerText
  .optional()
  .describe("account, or team:{name}, that gets it with all in it, in its root or in a folder of its own");
const updateSchema = namedObject("FolderUpdate", {
  name: nameField.optional(),
  parent_id: parentField,
  policy_id: idInBody.nullable().optional().describe("null removes the override"),
  owner: newOwner,
});

type Deps = { folders: Folders; trees: Trees; transfers: Transfers; logger: Logger };

const shared = placedEndpoint("folders");

/** What endpoints share that change a folder: its state for If-Match. */
export const lockedFolder = ({ folders, trees }: Pick<Deps, "folders" | "trees">) => ({
  async locked(input: PathInput, tx: never) {
    const [tree, id] = await entryIn(trees, input, "FolderNotFound");
    return viewFolder(await folders.locked(tree, id, tx), await trees.nameOf(input, tree));
  },
});

export function folderEndpoints({ folders, trees, transfers, logger }: Deps): Endpoint[] {
  const folderIn = (input: PathInput, how = {}) => entryIn(trees, input, "FolderNotFound", how);
  const changed = lockedFolder({ folders, trees });
  return [
    contentsEndpoint({ folders, trees, logger }, "/folders", "The contents of the root"),
    endpoint("POST /folders", {
      ...shared,
      tagged: true,
      summary: "Create a folder",
      body: createSchema,
      failures: [404, 409],
      status: 201,
      response: folderView,
      async handle({ c, account, body: { name, parent_id: parentId = null, owner } }) {
        const input = { c, account };
        const tree = await trees.forNew(input, parentId, { owner });
        return viewFolder(await folders.create(tree, { name, parentId }), await trees.nameOf(input, tree));
      },
    }),
    contentsEndpoint({ folders, trees, logger }, "/folders/:id", "The contents of a folder"),
    endpoint("PATCH /folders/:id", {
      ...shared,
      ...changed,
      tagged: true,
      summary: "Rename or move a folder, set its storage policy or owner; absent fields stay unchanged",
      body: updateSchema,
      failures: [409],
      response: folderView,
      async handle({ c, account, query, body: { name, parent_id: parentId, policy_id: policyId, owner } }) {
        const input = { c, account, query };
        const [tree, id] = await folderIn(input, { changes: true });
        await trees.checkTargets(input, [parentId]);
        const change = { name, parentId, policyId };
        const to = owner ? await trees.recipientOf(input, tree, owner) : tree;
        if (to !== tree) {
          await folders.validatePolicy(tree, id, change);
          // A large folder takes a while.
          c.env.liftIdleTimeout();
          const place = { kind: "folder", id, name, parentId: parentId ?? null } as const;
          await transfers.give({ from: tree, to }, place, actorOf(account));
        }
        const left = to === tree ? change : { policyId };
        return viewFolder(await folders.update(to, id, left), await trees.nameOf(input, to));
      },
    }),
    endpoint("DELETE /folders/:id", {
      ...shared,
      ...changed,
      summary: "Delete a folder with its contents",
      done: "Folder deleted",
      async handle(input) {
        const [tree, id] = await folderIn(input, { changes: true });
        // A large folder takes a while.
        input.c.env.liftIdleTimeout();
        await folders.remove(tree, id, actorOf(input.account));
      },
    }),
  ];
}

type ContentsDeps = Omit<Deps, "transfers">;

const contentsEndpoint = (
  { folders, trees, logger }: ContentsDeps,
  path: string,
  summary: string,
): Endpoint =>
  endpoint(`GET ${path}`, {
    ...shared,
    summary,
    tagged: "folder",
    query: path === "/folders" ? contentsQuery.extend(ownerQuery) : contentsQuery,
    response: contentsView,
    async handle({ c, account, query }) {
      const requested = requestedPage(query);
      const input = { c, account };
      const [tree, folderId] =
        c.req.param("id") === undefined
          ? [await trees.named(input, query as Partial<Record<"owner" | "team", string>>), null]
          : await entryIn(trees, input, "FolderNotFound");
      const found = await folders.find(tree, folderId);
      const { after, limit } = requested ?? { after: null, limit: LARGEST_PAGE };
      const isAway = found.isReadOnly !== null && after === null && (await folders.isAway(found.folder!));
      const listing = {
        ...found,
        isAway,
        path: shownPath(account, found.path),
        owner: await trees.nameOf(input, tree),
      };
      const page = await folders.knownPage(tree, listing.folder, after, limit);
      if (requested !== null) return viewPage(listing, page);
      if (page.next === null) return viewWhole(listing, page);
      const pieces = wholeText(folders, tree, listing, page);
      const body = await streamResponse(c, pieces, { logger, failure: "a folder's listing was cut off" });
      return new Response(body, { headers: { "Content-Type": "application/json; charset=utf-8" } });
    },
  });
