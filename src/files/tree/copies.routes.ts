import { z } from "zod";
import { actorOf, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { FILE_NAME_FORM } from "../../lib/file-name.ts";
import { namedObject } from "../../lib/named-object.ts";
import type { Copies } from "./copies.ts";
import { fileView, folderView, viewFile, viewFolder } from "./entry.ts";
import { entryIn, idInBody, placedEndpoint } from "./entry-id.ts";
import type { Files } from "./files.service.ts";
import type { Folders } from "./folders.service.ts";
import type { Trees } from "./trees.ts";

const nameField = z
  .string()
  .meta(FILE_NAME_FORM)
  .optional()
  .describe("default: that of the original, with a number if it is taken");
const placeField = idInBody
  .nullable()
  .optional()
  .describe("null is the root; default: the folder of the original");

type Deps = { copies: Copies; files: Files; folders: Folders; trees: Trees };

/** Copies share the stored content of their originals, and count in the quota. */
export const copyEndpoints = ({ copies, files, folders, trees }: Deps): Endpoint[] => [
  endpoint("POST /files/:id/copy", {
    ...placedEndpoint("files"),
    tagged: true,
    summary: "Copy a file within its tree",
    body: namedObject("FileCopy", { name: nameField, folder_id: placeField }),
    failures: [409],
    status: 201,
    response: fileView,
    async handle({ c, account, body: { name, folder_id: parentId } }) {
      const input = { c, account };
      const [tree, id] = await entryIn(trees, input, "FileNotFound");
      await trees.checkTargets(input, [parentId]);
      const copy = await copies.copy(tree, { kind: "file", id, name, parentId }, actorOf(account));
      return viewFile(await files.find(tree, copy), await trees.nameOf(input, tree));
    },
  }),

  endpoint("POST /folders/:id/copy", {
    ...placedEndpoint("folders"),
    tagged: true,
    summary: "Copy a folder with all in it within its tree; it is seen when it is complete",
    body: namedObject("FolderCopy", { name: nameField, parent_id: placeField }),
    failures: [409],
    status: 201,
    response: folderView,
    async handle({ c, account, body: { name, parent_id: parentId } }) {
      const input = { c, account };
      const isBeside = parentId === undefined;
      const [tree, id] = await entryIn(trees, input, "FolderNotFound", { changes: isBeside });
      await trees.checkTargets(input, [parentId]);
      // A large folder takes a while.
      c.env.liftIdleTimeout();
      const copy = await copies.copy(tree, { kind: "folder", id, name, parentId }, actorOf(account));
      const { folder } = await folders.find(tree, copy);
      return viewFolder(folder!, await trees.nameOf(input, tree));
    },
  }),
];
