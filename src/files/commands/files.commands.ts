/** `waymark files`: works with the server running or not. Paths are those of the tree. */
import type { Command } from "commander";
import { COMMAND } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { type Entry, type Folder, ROOT, shownParent, viewFile, viewFolder } from "../tree/entry.ts";
import { LARGEST_PAGE, readCursor } from "../tree/listing-page.ts";
import { viewPage } from "../tree/listing.ts";
import { pathNames } from "../tree/lookup.ts";
import { viewTrashed } from "../trash/trashed.ts";
import { addGet } from "./get.commands.ts";
import { JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import {
  addOwner,
  type Context,
  eachGiven,
  entryOf,
  nullIfNotFound,
  numberIn,
  type Owned,
  PATH_OR_ID,
  placeNamed,
} from "./place.commands.ts";
import { addPut } from "./put.commands.ts";
import { addTrash } from "./trash.commands.ts";
import { addShareOptions, shareEntries, type ShareOptions } from "./share-options.commands.ts";

const PAGE = 100;

export function addFileCommands(program: Command, context: Context): void {
  const files = program.command("files");
  addListing(files, context);
  addPut(files, context);
  addGet(files, context);
  addMkdir(files, context);
  addMove(files, context);
  addRemoval(files, context);
  addTrash(files, context);
  addShareOptions(
    addOwner(subcommand(files, "share", "make a short link to a file or folder, or to several together")),
  )
    .argument("<path...>", PATH_OR_ID)
    .action((paths: string[], options: ShareOptions) => shareEntries(context, paths, options));
}

type ListOptions = JsonOption & Owned & { limit?: string; cursor?: string };

function addListing(files: Command, context: Context): void {
  addOwner(subcommand(files, "ls", "list a folder: folders before files, by name").alias("list"))
    .argument("[path]", `${PATH_OR_ID}; default: the root`)
    .option("--limit <number>", `entries of a page, at most 1,000; default: ${PAGE}`)
    .option("--cursor <place>", "the cursor that the previous page printed")
    .option(...JSON_OPTION)
    .action(async (path: string | undefined, options: ListOptions) => {
      const after = options.cursor === undefined ? null : readCursor(options.cursor);
      const { tree, owner, entry } = await placeNamed(context, path ?? "/", options);
      if (entry?.kind === "file") {
        if (options.json) return context.output.json(viewFile(entry, owner));
        return showEntries(context, [entry]);
      }
      const limit = numberIn(options.limit) ?? PAGE;
      if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_PAGE) {
        throw appError("BadRequest", `--limit is a whole number from 1 to ${LARGEST_PAGE}.`);
      }
      const { folders } = (await context.services()).drive;
      const found = await folders.find(tree, entry?.id ?? null);
      const page = await folders.page(tree, found.folder, after, limit);
      const view = viewPage({ ...found, owner }, page);
      if (options.json) return context.output.json(view);
      showEntries(context, [...page.folders, ...page.files]);
      if (view.next_cursor !== null) context.output.note(`Next page: --cursor ${view.next_cursor}`);
    });
}

function showEntries({ output }: Context, entries: readonly Entry[]): void {
  const rows = entries.map((entry) => ({
    id: entry.id,
    size: entry.kind === "file" ? entry.size : "",
    changed: new Date(entry.updatedAt).toISOString(),
    name: entry.kind === "file" ? entry.name : `${entry.name}/`,
  }));
  if (rows.length > 0) output.table(rows, { id: "ID", size: "BYTES", changed: "CHANGED", name: "NAME" });
  else output.note("The folder is empty.");
}

function addMkdir(files: Command, context: Context): void {
  addOwner(subcommand(files, "mkdir", "make a folder"))
    .argument("<path>", "such as /Reports/2026")
    .option("-p, --parents", "make the folders around it too; it may be there already")
    .option(...JSON_OPTION)
    .action(async (path: string, options: JsonOption & Owned & { parents?: true }) => {
      const { lookup, folders, trees } = (await context.services()).drive;
      const tree = await trees.ofAnyone(options);
      const names = pathNames(path);
      const name = names.at(-1);
      if (name === undefined) throw appError("BadRequest", "Name a folder; the root is always there.");
      const around = names.slice(0, -1);
      const parent = options.parents
        ? await lookup.folder(tree, around)
        : ((await lookup.at(tree, `/${around.join("/")}`))?.id ?? ROOT);
      const folder = options.parents
        ? ((await lookup.byId(tree, await lookup.folder(tree, names))) as Folder)
        : await folders.create(tree, { name, parentId: shownParent(parent) });
      if (options.json) context.output.json(viewFolder(folder, await trees.nameOfOwner(tree)));
      else context.output.line(`Folder ${folder.id}: /${names.join("/")}`);
    });
}

function addMove(files: Command, context: Context): void {
  addOwner(subcommand(files, "mv", "move or rename a file or folder; its shares go along"))
    .argument("<source>", PATH_OR_ID)
    .argument("<destination>", "a folder that is there, or the new path")
    .option(...JSON_OPTION)
    .action(async (source: string, destination: string, options: JsonOption & Owned) => {
      const { tree, owner, entry } = await entryOf(context, source, options);
      const { lookup, folders, files: service } = (await context.services()).drive;
      const names = pathNames(destination);
      const there = await lookup.at(tree, destination).catch(nullIfNotFound);
      const isInto = names.length === 0 || there?.kind === "folder";
      if (!isInto && destination.endsWith("/")) {
        throw appError("FolderNotFound", `There is no folder ${destination} in this tree.`);
      }
      const parent = isInto ? there : await lookup.at(tree, `/${names.slice(0, -1).join("/")}`);
      if (parent?.kind === "file")
        throw appError("BadRequest", `${destination} is in a file; name a folder.`);
      const name = isInto ? entry.name : names.at(-1)!;
      const view =
        entry.kind === "file"
          ? viewFile(await service.update(tree, entry.id, { name, folderId: parent?.id ?? null }), owner)
          : viewFolder(await folders.update(tree, entry.id, { name, parentId: parent?.id ?? null }), owner);
      if (options.json) context.output.json(view);
      else
        context.output.line(
          `Moved to ${[...(isInto ? names : names.slice(0, -1)), name].map((one) => `/${one}`).join("")}.`,
        );
    });
}

type RemoveOptions = JsonOption & Owned & { permanently?: true; yes?: true };

function addRemoval(files: Command, context: Context): void {
  addOwner(subcommand(files, "rm", "move files and folders to the trash").alias("remove"))
    .argument("<path...>", PATH_OR_ID)
    .option("--permanently", "delete them now, with their shares; asks before it does")
    .option("--yes", "do not ask")
    .option(...JSON_OPTION)
    .action((paths: string[], options: RemoveOptions) => removeAll(context, paths, options));
}

async function removeAll(context: Context, paths: readonly string[], options: RemoveOptions): Promise<void> {
  const { drive } = await context.services();
  const what = pluralize(new Set(paths).size, "file or folder", "files and folders");
  if (options.permanently && !options.yes && !(await context.input.confirm(`Delete ${what} for good?`))) {
    throw appError("BadRequest", "Nothing was deleted; answer y, or use --yes.");
  }
  await eachGiven(context, paths, options, async (path) => {
    const { tree, entry } = await entryOf(context, path, options);
    const { id, kind, name } = entry;
    if (options.permanently) {
      await (kind === "file" ? drive.files : drive.folders).remove(tree, id, COMMAND);
      return { line: `Deleted ${path}`, view: { id, kind, name } };
    }
    const trashed = await drive.trash.put(tree, entry);
    return { line: `In the trash: ${path}`, view: viewTrashed(trashed) };
  });
}
