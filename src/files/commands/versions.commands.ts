/** `waymark files versions`: former contents of a file. */
import type { Command } from "commander";
import { COMMAND } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { lineResult, rowsResult } from "../../platform/cli/results.ts";
import { viewFile } from "../tree/entry.ts";
import { viewVersion } from "../versions/routes.ts";
import { refuseBoth, saveFile } from "./get.commands.ts";
import { type Context, entryOf, ID, OWNER, type Owned, PATH_OR_ID } from "./place.commands.ts";

const VERSION = "its ID, as 'files versions list' shows it";

const COLUMNS = [
  "id",
  ["size", "BYTES"],
  ["modified_at", "CHANGED"],
  ["created_at", "UPLOADED"],
  ["created_by", "BY"],
] as const;

export function addVersions(files: Command, context: Context): void {
  const group = files.command("versions").description("former contents of a file");
  const define = createDefine(group, context);

  define("list", "list the former contents of a file, newest first")
    .options(OWNER)
    .argument("<path>", PATH_OR_ID)
    .result(async (options, path) => {
      const { tree, file } = await fileOf(context, path, options);
      const { versions } = (await context.services()).drive;
      const rows = (await versions.list(tree, file.id)).map(viewVersion);
      return rowsResult(rows, COLUMNS, { none: "The file has no former contents." });
    })
    .alias("ls");

  define("get", "download a former content")
    .options(OWNER)
    .argument("<path>", PATH_OR_ID)
    .argument("<version>", VERSION)
    .argument("[target]", "file or folder of this machine; -: standard output; default: its name, here")
    .option("--force", "overwrite the file")
    .result(async ({ force = false, json, ...owned }, path, version, target) => {
      refuseBoth(json, target);
      const { tree, file } = await fileOf(context, path, owned);
      const { versions } = (await context.services()).drive;
      const former = await versions.fileAt(tree, file.id, idOf(version));
      return saveFile(context, former, { target, force });
    });

  define("restore", "give a file a former content again; the present one becomes a version")
    .options(OWNER)
    .argument("<path>", PATH_OR_ID)
    .argument("<version>", VERSION)
    .result(async (options, path, version) => {
      const { tree, owner, file } = await fileOf(context, path, options);
      const { versions } = (await context.services()).drive;
      const restored = await versions.restore(tree, file.id, idOf(version), COMMAND.name);
      return lineResult(viewFile(restored, owner), `Restored version ${version} of ${path}.`);
    });

  define("delete", "delete a former content for good; asks before it does")
    .options(OWNER)
    .argument("<path>", PATH_OR_ID)
    .argument("<version>", VERSION)
    .option("--yes", "do not ask")
    .result(async ({ yes, ...options }, path, version) => {
      const { tree, file } = await fileOf(context, path, options);
      const id = idOf(version);
      if (!yes && !(await context.input.confirm(`Delete version ${id} of ${path} for good?`))) {
        throw appError("BadRequest", "Nothing was deleted; answer y, or use --yes.");
      }
      await (await context.services()).drive.versions.remove(tree, file.id, id);
      return lineResult({ id, file_id: file.id }, `Deleted version ${id} of ${path}.`);
    })
    .alias("rm");
}

/** @throws BadRequest for a folder, and like entryOf */
async function fileOf(context: Context, path: string, owned: Owned) {
  const { entry, ...place } = await entryOf(context, path, owned);
  if (entry.kind === "file") return { ...place, file: entry };
  throw appError("BadRequest", `${path} is a folder; name a file.`);
}

/** @throws BadRequest */
function idOf(given: string): number {
  if (ID.test(given)) return Number(given);
  throw appError("BadRequest", `${given} is no ID; 'files versions list' shows the IDs.`);
}
