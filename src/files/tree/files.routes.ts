import { z } from "zod";
import { actorOf, type PathInput, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { FILE_NAME_FORM } from "../../lib/file-name.ts";
import { fileView, type StoredFile, viewFile } from "./entry.ts";
import { entryIn, idInBody, placedEndpoint } from "./entry-id.ts";
import { modifiedAtText, readModifiedAt } from "../../lib/modified-at.ts";
import { newOwner } from "./folders.routes.ts";
import type { Transfers } from "./transfers.ts";
import { ownerQuery, type Trees } from "./trees.ts";
import type { Files } from "./files.service.ts";
import { namedObject } from "../../lib/named-object.ts";

const updateSchema = namedObject("FileUpdate", {
  name: z.string().meta(FILE_NAME_FORM).optional(),
  folder_id: idInBody.nullable().optional().describe("null is the root"),
  modified_at: modifiedAtText.optional(),
  owner: newOwner,
});

type Deps = { files: Files; trees: Trees; transfers: Transfers };

export const fileEndpoints = (deps: Deps): Endpoint[] => [usageEndpoint(deps), ...itemEndpoints(deps)];

const shared = placedEndpoint("files");

const usageEndpoint = ({ files, trees }: Deps): Endpoint =>
  endpoint("GET /files/usage", {
    ...shared,
    ownsPath: true,
    summary:
      "The space that your files use or those of a team, and its quota; with an API token of one folder, what that folder uses and may use",
    query: z.object(ownerQuery),
    response: z.object({
      used_bytes: z.int(),
      quota_bytes: z.int().describe("0 is unlimited"),
    }),
    async handle({ c, account, query }) {
      const { tree, within } = await trees.listed({ c, account }, query);
      const { usedBytes, quotaBytes } = await files.usage(tree, within);
      return { used_bytes: usedBytes, quota_bytes: quotaBytes };
    },
  });

/** What endpoints share that change a file: its tag, for If-Match too. */
export const taggedFile = ({ files, trees }: Pick<Deps, "files" | "trees">) => ({
  tagged: true as const,
  async locked(input: PathInput, tx: never) {
    const [tree, id] = await entryIn(trees, input, "FileNotFound");
    return viewFile(await files.locked(tree, id, tx), await trees.nameOf(input, tree));
  },
});

function itemEndpoints({ files, trees, transfers }: Deps): Endpoint[] {
  const fileIn = (input: PathInput) => entryIn(trees, input, "FileNotFound");
  const viewed = async (input: PathInput, tree: number, file: StoredFile) =>
    viewFile(file, await trees.nameOf(input, tree));
  const { tagged, ...changed } = taggedFile({ files, trees });
  return [
    endpoint("GET /files/:id", {
      ...shared,
      tagged,
      summary: "A file's metadata",
      response: fileView,
      async handle(input) {
        const [tree, id] = await fileIn(input);
        return viewed(input, tree, await files.find(tree, id));
      },
    }),

    endpoint("PATCH /files/:id", {
      ...shared,
      ...changed,
      tagged,
      summary:
        "Rename or move a file, set its time, or give it to another owner; absent fields stay unchanged",
      body: updateSchema,
      failures: [409],
      response: fileView,
      async handle({ c, account, query, body: { name, folder_id: folderId, owner, ...times } }) {
        const input = { c, account, query };
        const modifiedAt = readModifiedAt("modified_at", times.modified_at);
        const [tree, id] = await fileIn(input);
        await trees.checkTargets(input, [folderId]);
        const to = owner ? await trees.recipientOf(input, tree, owner) : tree;
        if (to === tree)
          return viewed(input, tree, await files.update(tree, id, { name, folderId, modifiedAt }));
        const place = { kind: "file", id, name, parentId: folderId ?? null } as const;
        await transfers.give({ from: tree, to }, place, actorOf(account));
        const given = modifiedAt === undefined ? files.find(to, id) : files.update(to, id, { modifiedAt });
        return viewed(input, to, await given);
      },
    }),

    endpoint("DELETE /files/:id", {
      ...shared,
      ...changed,
      summary: "Delete a file; its content is deleted with its last file",
      done: "File deleted",
      handle: async (input) => files.remove(...(await fileIn(input)), actorOf(input.account)),
    }),
  ];
}
