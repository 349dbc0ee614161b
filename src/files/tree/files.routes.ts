import { z } from "zod";
import { actorOf, type Endpoint, endpoint } from "../../http/endpoint.ts";
import { FILE_NAME_FORM } from "../../lib/file-name.ts";
import { fileView, viewFile } from "./entry.ts";
import { idIn, idInBody } from "./entry-id.ts";
import type { Files } from "./files.service.ts";
import { namedObject } from "../../lib/named-object.ts";

const updateSchema = namedObject("FileUpdate", {
  name: z.string().meta(FILE_NAME_FORM).optional(),
  folder_id: idInBody.nullable().optional().describe("null is the root"),
});

type Deps = { files: Files };

export const fileEndpoints = (deps: Deps): Endpoint[] => [usageEndpoint(deps), ...itemEndpoints(deps)];

const shared = { access: "account", scope: "files", tag: "files" } as const;

const usageEndpoint = ({ files }: Deps): Endpoint =>
  endpoint({
    ...shared,
    method: "GET",
    path: "/files/usage",
    ownsPath: true,
    summary: "The space that the account's files use, and its quota",
    answer: z.object({
      used_bytes: z.int(),
      quota_bytes: z.int().describe("0 is unlimited"),
    }),
    async handle({ account }) {
      const { usedBytes, quotaBytes } = await files.usage(account.id);
      return { used_bytes: usedBytes, quota_bytes: quotaBytes };
    },
  });

function itemEndpoints({ files }: Deps): Endpoint[] {
  const item = { ...shared, path: "/files/:id" } as const;
  return [
    endpoint({
      ...item,
      method: "GET",
      summary: "A file's metadata",
      answer: fileView,
      handle: async ({ c, account }) => viewFile(await files.find(account.id, idIn(c, "FileNotFound"))),
    }),
    endpoint({
      ...item,
      method: "PATCH",
      summary: "Rename or move a file; absent fields stay unchanged",
      body: updateSchema,
      failures: [409],
      answer: fileView,
      handle: async ({ c, account, body }) =>
        viewFile(
          await files.update(account.id, idIn(c, "FileNotFound"), {
            name: body.name,
            folderId: body.folder_id,
          }),
        ),
    }),
    endpoint({
      ...item,
      method: "DELETE",
      summary: "Delete a file; its content is deleted with its last file",
      answer: z.object({ message: z.string() }),
      async handle({ c, account }) {
        await files.remove(account.id, idIn(c, "FileNotFound"), actorOf(account));
        return { message: "File deleted" };
      },
    }),
  ];
}
