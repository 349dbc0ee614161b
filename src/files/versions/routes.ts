import { z } from "zod";
import { createView } from "../../lib/case-names.ts";
import { namedObject } from "../../lib/named-object.ts";
import type { Logger } from "../../lib/logger.ts";
import { actorOf, type Endpoint, endpoint, type PathInput } from "../../platform/http/endpoint.ts";
import { type Download, downloadOf, downloadShape } from "../tree/download.routes.ts";
import { entryIn, placedEndpoint } from "../tree/entry-id.ts";
import { fileView, viewFile } from "../tree/entry.ts";
import type { Files } from "../tree/files.service.ts";
import { taggedFile } from "../tree/files.routes.ts";
import type { Trees } from "../tree/trees.ts";
import type { Versions } from "./service.ts";

export const versionView = namedObject("FileVersion", {
  id: z.int(),
  size: z.int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  mime_type: z.string(),
  modified_at: z.iso.datetime().describe("the client's time of this content"),
  created_at: z.iso.datetime().describe("when the file got this content"),
  created_by: z.string().nullable().describe("who uploaded it; null for visitors"),
});

export const viewVersion = createView(versionView);

const PATH = "/files/:id/versions";
const params = { version: z.int().min(1) };

type Deps = { files: Files; versions: Versions; trees: Trees; download: Download; logger: Logger };

/** Mount them at the root, before `/files/:id`. */
export function versionEndpoints({ files, versions, trees, download, logger }: Deps): Endpoint[] {
  const shared = placedEndpoint("files");
  const versionIn = async (
    input: Pick<PathInput, "c" | "account">,
  ): Promise<[tree: number, file: number, version: number]> => {
    const given = input.c.req.param("version") ?? "";
    const version = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
    return [...(await entryIn(trees, input, "FileNotFound")), version];
  };
  return [
    endpoint(`GET ${PATH}`, {
      ...shared,
      summary: "The former contents of a file, newest first",
      response: z.array(versionView),
      handle: async (input) =>
        (await versions.list(...(await entryIn(trees, input, "FileNotFound")))).map(viewVersion),
    }),

    endpoint(`GET ${PATH}/:version/download`, {
      ...shared,
      ...downloadShape,
      params,
      summary: "A former content of a file, whole or a range of it",
      async handle(input) {
        const file = await versions.fileAt(...(await versionIn(input)));
        const inline = input.query.disposition === "inline";
        return download(file, { ...downloadOf(input.c, logger), inline });
      },
    }),

    endpoint(`POST ${PATH}/:version/restore`, {
      ...shared,
      ...taggedFile({ files, trees }),
      params,
      summary: "Give a file a former content again; the present one becomes a version",
      response: fileView,
      async handle(input) {
        const [tree, ...ids] = await versionIn(input);
        const file = await versions.restore(tree, ...ids, actorOf(input.account).name);
        return viewFile(file, await trees.nameOf(input, tree));
      },
    }),

    endpoint(`DELETE ${PATH}/:version`, {
      ...shared,
      locked: taggedFile({ files, trees }).locked,
      params,
      summary: "Delete a former content of a file for good",
      done: "Version deleted",
      handle: async (input) => versions.remove(...(await versionIn(input))),
    }),
  ];
}
