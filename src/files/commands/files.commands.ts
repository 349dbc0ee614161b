/** `waymark files`: works with the server running or not. Paths are those of the tree. */
import type { Command } from "commander";
import { createDefine } from "../../platform/cli/define.ts";
import { lineResult, type Result, rowsResult } from "../../platform/cli/results.ts";
import { COMMAND } from "../../lib/actor.ts";
import { timePlace } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { type Entry, type Folder, ROOT, shownParent, viewFile, viewFolder } from "../tree/entry.ts";
import { LARGEST_PAGE, readCursor, viewPage } from "../tree/listing.ts";
import { viewLocated } from "../tree/located-entry.ts";
import { pathNames } from "../tree/lookup.ts";
import { viewTrashed } from "../trash/trashed.ts";
import { addLink } from "./link.commands.ts";
import { addGet } from "./get.commands.ts";
import {
  type Context,
  cursorResult,
  eachGiven,
  entryOf,
  ID,
  nullIfNotFound,
  OWNER,
  type Owned,
  PAGING,
  parsePaging,
  PATH_OR_ID,
  placeNamed,
} from "./place.commands.ts";
import { addPut } from "./put.commands.ts";
import { addVersions } from "./versions.commands.ts";
import { defineShare } from "./shares.commands.ts";

const PAGE = 100;

export function addFileCommands(program: Command, context: Context): void {
  const group = program.command("files");
  addListing(group, context);
  addPut(group, context);
  addGet(group, context);
  addMkdir(group, context);
  addLink(group, context);
  addMove(group, context);
  addRemoval(group, context);
  addTrash(group, context);
  addVersions(group, context);
  defineShare(group, "share", "make a short link to a file or folder, or to several together", context);
}

/** The path of names that follow one another. */
const joined = (names: readonly string[]): string => names.map((name) => `/${name}`).join("");

function addListing(group: Command, context: Context): void {
  const define = createDefine(group, context);
  define("ls", "list a folder: folders before files, by name")
    .options(OWNER)
    .argument("[path]", `${PATH_OR_ID}; default: the root`)
    .option("--limit <number>", `entries of a page, at most 1,000; default: ${PAGE}`, { isNumber: true })
    .option("--cursor <place>", "the cursor that the previous page printed")
    .result(async ({ cursor, limit = PAGE, ...owned }, path = "/") => {
      const after = cursor === undefined ? null : readCursor(cursor);
      const { tree, owner, entry } = await placeNamed(context, path, owned);
      if (entry?.kind === "file") return entriesResult(viewFile(entry, owner), [entry]);
      if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_PAGE) {
        throw appError("BadRequest", `--limit is a whole number from 1 to ${LARGEST_PAGE}.`);
      }
      const { folders } = (await context.services()).drive;
      const found = await folders.find(tree, entry?.id ?? null);
      const isAway = found.isReadOnly !== null && (await folders.isAway(found.folder!));
      const page = await folders.knownPage(tree, found.folder, after, limit);
      const view = viewPage({ ...found, owner, isAway }, page);
      const notes = [
        ...(isAway
          ? ["The folder on the server is not available just now. This is what was in it last."]
          : []),
        ...(view.next_cursor === null ? [] : [`Next page: --cursor ${view.next_cursor}`]),
      ];
      return entriesResult(view, [...page.folders, ...page.files], notes);
    })
    .alias("list");
}

function entriesResult(json: unknown, entries: readonly Entry[], notes: readonly string[] = []): Result {
  const rows = entries.map((entry) => ({
    id: entry.id,
    size: entry.kind === "file" ? entry.size : "",
    changed: formatRfc3339(entry.kind === "file" ? entry.modifiedAt : entry.updatedAt),
    name: entry.kind === "file" ? entry.name : `${entry.name}/`,
  }));
  const list = rowsResult(rows, ["id", ["size", "BYTES"], "changed", "name"], {
    none: "The folder is empty.",
  });
  return {
    json,
    show(output) {
      list.show(output);
      for (const note of notes) output.note(note);
    },
  };
}

function addMkdir(group: Command, context: Context): void {
  const define = createDefine(group, context);
  define("mkdir", "make a folder")
    .options(OWNER)
    .argument("<path>", "such as /Reports/2026")
    .option("-p, --parents", "make the folders around it too; it may be there already")
    .result(async (options, path) => {
      const { lookup, folders, trees } = (await context.services()).drive;
      const tree = await trees.forCommand(options);
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
      const view = viewFolder(folder, await trees.nameOfOwner(tree));
      return lineResult(view, `Folder ${folder.id}: ${joined(names)}`);
    });
}

/** Where an entry goes: into a folder that is there, or under a new path. */
async function destinationIn(context: Context, tree: number, destination: string) {
  const { lookup } = (await context.services()).drive;
  const names = pathNames(destination);
  const there = await lookup.at(tree, destination).catch(nullIfNotFound);
  const isInto = names.length === 0 || there?.kind === "folder";
  if (!isInto && destination.endsWith("/")) {
    throw appError("FolderNotFound", `There is no folder ${destination} in this tree.`);
  }
  const around = isInto ? names : names.slice(0, -1);
  const parent = isInto ? there : await lookup.at(tree, `/${around.join("/")}`);
  if (parent?.kind === "file") throw appError("BadRequest", `${destination} is in a file; name a folder.`);
  return { around, parentId: parent?.id ?? null, name: isInto ? undefined : names.at(-1)! };
}

function addMove(group: Command, context: Context): void {
  const define = createDefine(group, context);
  define("mv", "move or rename a file or folder; its shares go along")
    .options(OWNER)
    .argument("<source>", PATH_OR_ID)
    .argument("<destination>", "a folder that is there, or the new path")
    .result(async (options, source, destination) => {
      const { tree, owner, entry } = await entryOf(context, source, options);
      const { folders, files } = (await context.services()).drive;
      const { around, parentId, name = entry.name } = await destinationIn(context, tree, destination);
      const view =
        entry.kind === "file"
          ? viewFile(await files.update(tree, entry.id, { name, folderId: parentId }), owner)
          : viewFolder(await folders.update(tree, entry.id, { name, parentId }), owner);
      return lineResult(view, `Moved to ${joined([...around, name])}.`);
    });
  define("cp", "copy a file, or a folder with all in it, within its tree")
    .options(OWNER)
    .argument("<source>", PATH_OR_ID)
    .argument("<destination>", "a folder that is there, or the new path")
    .result(async (options, source, destination) => {
      const { tree, owner, entry } = await entryOf(context, source, options);
      const { copies, lookup } = (await context.services()).drive;
      const { around, ...place } = await destinationIn(context, tree, destination);
      const { kind, id } = entry;
      const copy = await lookup.byId(tree, await copies.copy(tree, { kind, id, ...place }, COMMAND));
      const view = copy.kind === "file" ? viewFile(copy, owner) : viewFolder(copy, owner);
      return lineResult(view, `Copied to ${joined([...around, copy.name])}.`);
    });
}

function addRemoval(group: Command, context: Context): void {
  const define = createDefine(group, context);
  define("rm", "move files and folders to the trash")
    .options(OWNER)
    .argument("<path...>", PATH_OR_ID)
    .option("--permanently", "delete them now, with their shares; asks before it does")
    .option("--yes", "do not ask")
    .json("print JSON")
    .action((options, paths) => removeAll(context, paths, options))
    .alias("remove");
}

type RemoveOptions = Owned & Record<"permanently" | "yes" | "json", true | undefined>;

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

const TRASH_COLUMNS = [
  "id",
  ["size", "BYTES"],
  ["trashed_at", "DELETED"],
  ["expires_at", "KEPT UNTIL"],
  ["way", "PATH"],
] as const;

function addTrash(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("trash", "list what is in the trash, newest first")
    .options(OWNER)
    .options(PAGING)
    .result(async (options) => {
      const { before, limit } = parsePaging(options, timePlace);
      const { trash, trees } = (await context.services()).drive;
      const { items, next } = await trash.after(await trees.forCommand(options), before, limit);
      const rows = items.map(viewTrashed);
      // The folder of an item may be gone.
      const cells = ({ path, name }: (typeof rows)[number]) => ({
        way: path === null ? name : joined([...path.map((folder) => folder.name), name]),
      });
      return cursorResult({ name: "trash", rows, columns: TRASH_COLUMNS, cells }, next);
    });

  define("restore", "put files and folders of the trash back, with their shares")
    .options(OWNER)
    .argument("<id...>", "as 'files trash' shows it")
    .option("--folder <path>", `the folder that gets them; ${PATH_OR_ID}; default: the former one`)
    .option("--name <name>", "of a single one; default: the former one")
    .json("print JSON")
    .action(async (options, ids) => {
      if (ids.length > 1 && options.name !== undefined) {
        throw appError("BadRequest", "--name is for one file or folder; restore them one by one.");
      }
      await eachGiven(context, ids, options, (id) => restore(context, id, options));
    });
}

type RestoreOptions = Owned & { folder: string | undefined; name: string | undefined };

async function restore(context: Context, given: string, { folder, name, ...owned }: RestoreOptions) {
  if (!ID.test(given)) throw appError("BadRequest", `${given} is no ID; 'files trash' shows the IDs.`);
  const id = Number(given);
  const { trash, trees } = (await context.services()).drive;
  const isNamed = Boolean(owned.owner || owned.team);
  const tree = isNamed ? await trees.forCommand(owned) : ((await trees.holderOf({ entry: id }))?.id ?? 0);
  const owner = await trees.nameOfOwner(tree);
  const to = folder === undefined ? undefined : (await placeNamed(context, folder, { owner })).entry;
  if (to?.kind === "file") throw appError("BadRequest", `${folder} is a file; name a folder.`);
  const restored = await trash.restore(tree, id, {
    name,
    folderId: to === undefined ? undefined : (to?.id ?? null),
  });
  return {
    line: `Restored ${joined([...restored.path.map((one) => one.name), restored.name])}`,
    view: viewLocated(restored),
  };
}
