import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { FILE_NAME_FORM } from "../../lib/file-name.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import { namedObject } from "../../lib/named-object.ts";
import { ownerText } from "../../lib/owner.ts";
import { entryIn, idInBody, placedEndpoint } from "../tree/entry-id.ts";
import { folderView, viewFolder } from "../tree/entry.ts";
import type { Files } from "../tree/files.service.ts";
import type { Trees } from "../tree/trees.ts";
import type { LinkedFolders, LinkedRoot } from "./service.ts";

type Deps = { linked: LinkedFolders; trees: Trees; files: Files };

const shared = { access: "admin", scope: "admin", tag: "policies" } as const;

const newFolderSchema = namedObject("NewLinkedFolder", {
  name: z.string().meta(FILE_NAME_FORM),
  parent_id: idInBody.nullable().optional().describe("null is the root"),
  owner: ownerText.optional().describe("account, or team:{name}, in whose root it is; default: you"),
});

const placeView = namedObject("LinkedFolder", {
  folder_id: z.int(),
  name: z.string(),
  owner: z.string().describe("account, or team:{name}"),
  scanned_at: z.iso.datetime().nullable().describe("end of the last scan; null: the first one is not over"),
  files: z.int().describe("found by the last whole scan"),
  trouble: z.string().nullable().describe("why the last scan did not see everything"),
});

const idOf = (c: HttpContext): number => idParameter(c, "PolicyNotFound", "There is no such storage policy.");

const viewPlace = (root: LinkedRoot, owner: string) => ({
  folder_id: root.entryId,
  name: root.name,
  owner,
  scanned_at: root.scannedAt === 0 ? null : new Date(root.scannedAt).toISOString(),
  files: root.files,
  trouble: root.trouble,
});

/** Mount them below the admin prefix: these paths have no version. */
export const linkedEndpoints = ({ linked, trees }: Omit<Deps, "files">): Endpoint[] => [
  endpoint("GET /policies/:id/folders", {
    ...shared,
    summary: "The folders of trees that show a linked policy",
    response: z.array(placeView),
    async handle({ c }) {
      const places = await linked.places(idOf(c));
      return Promise.all(
        places.map(async (root) => viewPlace(root, await trees.nameOfOwner(root.accountId))),
      );
    },
  }),
  endpoint("POST /policies/:id/folders", {
    ...shared,
    summary: "Show a linked policy as a folder of a tree",
    body: newFolderSchema,
    failures: [404, 409],
    status: 201,
    response: folderView,
    async handle({ c, account, body: { name, parent_id: parentId = null, owner } }) {
      const input = { c, account };
      const accountId = await trees.forNew(input, parentId, { owner });
      const folder = await linked.link(idOf(c), { accountId, parentId, name }, actorOf(account));
      return viewFolder(folder, await trees.nameOf(input, accountId));
    },
  }),
  endpoint("POST /policies/:id/scan", {
    ...shared,
    summary: "Scan a linked policy's folders soon, instead of after their minutes",
    done: "The scan begins within ten seconds",
    handle: ({ c }) => linked.rescan(idOf(c)),
  }),
];

export const sha256Endpoint = ({ linked, trees, files }: Deps): Endpoint =>
  endpoint("GET /files/:id/sha256", {
    ...placedEndpoint("files"),
    summary: "A file's SHA-256. That of a file that lies on the server is made when it is asked for first",
    failures: [502],
    response: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    async handle(input) {
      const file = await files.find(...(await entryIn(trees, input, "FileNotFound")));
      // A large file takes a while.
      input.c.env.liftIdleTimeout();
      const { sha256 } = await linked.withSha256(file, input.c.req.raw.signal);
      return { sha256 };
    },
  });
