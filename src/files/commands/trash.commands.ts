/** `waymark files trash` and `files restore`. */
import type { Command } from "commander";
import { timePlace } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { viewTrashed } from "../trash/trashed.ts";
import { viewLocated } from "../tree/located-entry.ts";
import { JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import {
  addOwner,
  type Context,
  eachGiven,
  ID,
  type Owned,
  PATH_OR_ID,
  placeNamed,
} from "./place.commands.ts";
import { addPaging, pageIn, type PageOptions, showPage } from "./share-options.commands.ts";

const COLUMNS = { id: "ID", size: "BYTES", trashed_at: "DELETED", expires_at: "KEPT UNTIL", way: "PATH" };

type Restore = JsonOption & Owned & { folder?: string; name?: string };
type Way = readonly { name: string }[];

const wayOf = (path: Way, name: string): string => [...path, { name }].map((one) => `/${one.name}`).join("");

export function addTrash(files: Command, context: Context): void {
  addPaging(addOwner(subcommand(files, "trash", "list what is in the trash, newest first"))).action(
    async (options: PageOptions & Owned) => {
      const { before, limit } = pageIn(options, timePlace);
      const { trash, trees } = (await context.services()).drive;
      const { items, next } = await trash.after(await trees.ofAnyone(options), before, limit);
      const rows = items.map((item) => ({
        ...viewTrashed(item),
        // Its folder may be gone.
        ...(!options.json && { way: item.path === null ? item.name : wayOf(item.path, item.name) }),
      }));
      showPage(context, { rows, next, columns: COLUMNS, key: "trash" }, options);
    },
  );
  addOwner(subcommand(files, "restore", "put files and folders of the trash back, with their shares"))
    .argument("<id...>", "as 'files trash' shows it")
    .option("--folder <path>", `the folder that gets them; ${PATH_OR_ID}; default: the former one`)
    .option("--name <name>", "of a single one; default: the former one")
    .option(...JSON_OPTION)
    .action(async (ids: string[], options: Restore) => {
      if (ids.length > 1 && options.name !== undefined) {
        throw appError("BadRequest", "--name is for one file or folder; restore them one by one.");
      }
      await eachGiven(context, ids, options, (id) => restore(context, id, options));
    });
}

async function restore(context: Context, given: string, { folder, name, ...owned }: Restore) {
  if (!ID.test(given)) throw appError("BadRequest", `${given} is no ID; 'files trash' shows the IDs.`);
  const id = Number(given);
  const { trash, trees } = (await context.services()).drive;
  const isNamed = Boolean(owned.owner || owned.team);
  const tree = isNamed ? await trees.ofAnyone(owned) : ((await trees.holding({ entry: id }))?.id ?? 0);
  const owner = await trees.nameOfOwner(tree);
  const to = folder === undefined ? undefined : (await placeNamed(context, folder, { owner })).entry;
  if (to?.kind === "file") throw appError("BadRequest", `${folder} is a file; name a folder.`);
  const restored = await trash.restore(tree, id, {
    name,
    folderId: to === undefined ? undefined : (to?.id ?? null),
  });
  return { line: `Restored ${wayOf(restored.path, restored.name)}`, view: viewLocated(restored) };
}
