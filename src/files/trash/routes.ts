import { z } from "zod";
import { actorOf, CursorPage, type Endpoint, endpoint, page } from "../../platform/http/endpoint.ts";
import { cursorQuery, cursorText, limitOf, placeOf, timePlace } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { FILE_NAME_FORM } from "../../lib/file-name.ts";
import { pageOf, pageQuery } from "../../lib/page-query.ts";
import { taggedFile } from "../tree/files.routes.ts";
import type { Files } from "../tree/files.service.ts";
import { lockedFolder } from "../tree/folders.routes.ts";
import type { Folders } from "../tree/folders.service.ts";
import { entryIn, type EntryInput, idIn, idInBody, placedEndpoint } from "../tree/entry-id.ts";
import { locatedEntryView, viewLocated } from "../tree/located-entry.ts";
import { ownerQuery, shownPath, type Trees } from "../tree/trees.ts";
import type { Trash } from "./service.ts";
import { type TrashedItem, trashedView, viewTrashed } from "./trashed.ts";
import { namedObject } from "../../lib/named-object.ts";

const listQuery = z.object({
  ...pageQuery,
  ...cursorQuery,
  ...ownerQuery,
  cursor: cursorQuery.cursor.describe(
    "instead of page: empty for the first page, then next_cursor of the previous one",
  ),
});

const restoreBody = namedObject("TrashRestore", {
  name: z.string().meta(FILE_NAME_FORM).optional().describe("default: the former name"),
  folder_id: idInBody.nullable().optional().describe("null is the root; default: the former folder"),
  parent_id: idInBody.nullable().optional().describe("the same as folder_id"),
});

type Deps = { trash: Trash; trees: Trees; files: Files; folders: Folders };

const KINDS = [
  { kind: "file", missing: "FileNotFound", what: "a file" },
  { kind: "folder", missing: "FolderNotFound", what: "a folder with its contents" },
] as const;

export const trashEndpoints = ({ trash, trees, files, folders }: Deps): Endpoint[] => [
  ...KINDS.map(({ kind, missing, what }) =>
    endpoint(`POST /${kind}s/:id/trash`, {
      ...placedEndpoint(`${kind}s`),
      locked: (kind === "file" ? taggedFile({ files, trees }) : lockedFolder({ folders, trees })).locked,
      summary: `Move ${what} to the trash`,
      response: trashedView,
      async handle(input) {
        const [tree, id] = await entryIn(trees, input, missing, { changes: true });
        return viewFor(input.account)(await trash.put(tree, { kind, id }));
      },
    }),
  ),
  ...heapEndpoints({ trash, trees }),
];

/** Nothing above the folder of an API token. */
const viewFor = (account: Parameters<typeof shownPath>[0]) => (item: TrashedItem) =>
  viewTrashed({ ...item, path: item.path && shownPath(account, item.path) });

function heapEndpoints({ trash, trees }: Pick<Deps, "trash" | "trees">): Endpoint[] {
  const shared = placedEndpoint("trash");
  /** An API token of one folder reaches what was in there. */
  async function trashedIn(input: EntryInput): Promise<[tree: number, id: number]> {
    if (trees.folderOf(input.account) === null) return entryIn(trees, input, "NotFound");
    const id = idIn(input.c, "NotFound");
    return [await trees.ownerOf(input, { entry: await trash.formerFolder(id) }), id];
  }
  return [
    endpoint("GET /trash", {
      ...shared,
      summary: "What is in the trash, newest first",
      query: listQuery,
      response: z.array(trashedView),
      paged: "either",
      async handle({ c, query, account }) {
        const { tree, within } = await trees.listed({ c, account }, query);
        if (query.cursor === undefined) {
          const at = pageOf(query);
          const { items, total } = await trash.page(tree, at, within);
          return page(items.map(viewFor(account)), { ...at, total });
        }
        if (query.page) throw appError("BadRequest", "cursor and page exclude each other; give one of them.");
        const after = placeOf(timePlace, query.cursor);
        const { items, next } = await trash.after(tree, after, limitOf(query.limit), within);
        return new CursorPage(items.map(viewFor(account)), next && cursorText(next));
      },
    }),
    endpoint("DELETE /trash", {
      ...shared,
      summary: "Empty the trash: delete everything in it for good",
      query: z.object(ownerQuery),
      response: z.object({ message: z.string(), deleted: z.int() }),
      async handle({ c, account, query }) {
        const { tree, within } = await trees.listed({ c, account }, query);
        // Many entries take a while.
        c.env.liftIdleTimeout();
        return { message: "Trash emptied", deleted: await trash.empty(tree, actorOf(account), within) };
      },
    }),
    endpoint("POST /trash/:id/restore", {
      ...shared,
      summary: "Put an entry back, by default under its former name into its former folder",
      body: restoreBody,
      optionalBody: true,
      failures: [409],
      response: locatedEntryView,
      async handle({ c, account, body: { name, folder_id, parent_id } }) {
        if (folder_id !== undefined && parent_id !== undefined && folder_id !== parent_id) {
          throw appError("BadRequest", "folder_id and parent_id mean the same; give one of them.");
        }
        const folderId = folder_id === undefined ? parent_id : folder_id;
        const [tree, id] = await trashedIn({ c, account });
        await trees.checkTargets({ c, account }, [folderId]);
        const restored = await trash.restore(tree, id, { name, folderId });
        return viewLocated({ ...restored, path: shownPath(account, restored.path) });
      },
    }),
    endpoint("DELETE /trash/:id", {
      ...shared,
      summary: "Delete an entry of the trash for good, a folder with its contents",
      done: "Deleted for good",
      async handle(input) {
        input.c.env.liftIdleTimeout();
        await trash.remove(...(await trashedIn(input)), actorOf(input.account));
      },
    }),
  ];
}
