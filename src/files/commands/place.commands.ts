/** What the commands of files, shares and drop boxes share. */
import type { z } from "zod";
import type { CommandContext } from "../../platform/cli/command.ts";
import { pageResult, type Result } from "../../platform/cli/results.ts";
import { cursorText, limitOf, placeOf } from "../../lib/cursor.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { Archives } from "../archive/service.ts";
import type { Blobs } from "../blobs/service.ts";
import type { LinkedFolders } from "../linked/service.ts";
import type { Policies } from "../policies/service.ts";
import type { Drops } from "../drops/service.ts";
import type { ShareChanges } from "../serving/changes.ts";
import type { OwnedShares } from "../serving/service.ts";
import type { Entry } from "../tree/entry.ts";
import type { Copies } from "../tree/copies.ts";
import type { Files } from "../tree/files.service.ts";
import type { Folders } from "../tree/folders.service.ts";
import type { Lookup } from "../tree/lookup.ts";
import type { Trees } from "../tree/trees.ts";
import type { Trash } from "../trash/service.ts";
import type { Uploads } from "../uploads/service.ts";
import type { Versions } from "../versions/service.ts";

export type FileServices = {
  drive: {
    archives: Archives;
    copies: Copies;
    files: Files;
    folders: Folders;
    linked: LinkedFolders;
    lookup: Lookup;
    trash: Trash;
    trees: Trees;
    uploads: Uploads;
    versions: Versions;
  };
  content: { blobs: Pick<Blobs, "open">; policies: Pick<Policies, "list" | "create" | "update"> };
  sharing: { shares: OwnedShares; changes: ShareChanges; dropBoxes: Drops };
  origins: { ofServer(): string };
};

export type Context = CommandContext<FileServices>;
/** The options that say whose tree is meant. */
export type Owned = { owner?: string | undefined; team?: string | undefined };
export const PATH_OR_ID = "path, such as /Reports/2026.pdf, or ID";

export const OWNER = [
  ["--owner <owner>", "whose files: an account, or team:<name>; default: admin"],
  ["--team <team>", "the files of this team"],
] as const;

/** `entry`: null for the root. */
export type TreePlace = { tree: number; owner: string; entry: Entry | null };

export const ID = /^[1-9]\d{0,15}$/;

/** An id also finds what is another owner's. @throws FileNotFound, InvalidName, BadRequest */
export async function placeNamed({ services }: Context, given: string, owned: Owned): Promise<TreePlace> {
  const { trees, lookup } = (await services()).drive;
  const isNamed = Boolean(owned.owner || owned.team);
  if (ID.test(given) && !isNamed) {
    const holder = await trees.holderOf({ entry: Number(given) });
    if (holder === null) throw appError("FileNotFound", `There is no file or folder with the ID ${given}.`);
    return { tree: holder.id, owner: holder.name, entry: await lookup.byId(holder.id, Number(given)) };
  }
  const tree = await trees.forCommand(owned);
  const owner = await trees.nameOfOwner(tree);
  const entry = ID.test(given) ? await lookup.byId(tree, Number(given)) : await lookup.at(tree, given);
  return { tree, owner, entry };
}

/** @throws BadRequest for the root, and like placeNamed */
export async function entryOf(
  context: Context,
  given: string,
  owned: Owned,
): Promise<TreePlace & { entry: Entry }> {
  const place = await placeNamed(context, given, owned);
  if (place.entry === null) throw appError("BadRequest", "Name a file or folder; the root is neither.");
  return { ...place, entry: place.entry };
}

/**
 * Does each once, and prints its line at once unless the command prints JSON. What fails does not stop the others; the
 * exit code is that of the last failure.
 */
export async function eachGiven(
  { output }: Context,
  given: readonly string[],
  { json }: { json: true | undefined },
  run: (one: string) => Promise<{ line: string; view: unknown }>,
): Promise<void> {
  const views: unknown[] = [];
  let failure: AppError | undefined;
  for (const one of new Set(given)) {
    try {
      const { line, view } = await run(one);
      views.push(view);
      if (!json) output.line(line);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
      if (failure !== undefined) output.note(`waymark: ${failure.message}`);
      failure = error;
    }
  }
  if (json) output.json(views);
  if (failure !== undefined) throw failure;
}

export const PAGING = [
  ["--limit <number>", "rows, at most 100; default: 20"],
  ["--cursor <place>", "the cursor that the previous page printed"],
] as const;

export function parsePaging<P>(
  { cursor, limit }: { cursor: string | undefined; limit: string | undefined },
  place: z.ZodType<P>,
) {
  if (limit !== undefined && !/^\d{1,15}$/.test(limit)) {
    throw appError("BadRequest", "--limit is a whole number from 1 to 100.");
  }
  return { before: placeOf(place, cursor), limit: limitOf(limit) };
}

/** @param next the place of the next page, or null at the end */
export const cursorResult = <T extends Record<string, unknown>>(
  page: Omit<Parameters<typeof pageResult<T>>[0], "end" | "none">,
  next: unknown,
): Result =>
  pageResult({ ...page, end: { next: next === null ? null : cursorText(next) }, none: "There are none." });

/** @throws what does not mean that something is missing */
export function nullIfNotFound(error: unknown): null {
  if (error instanceof AppError && error.kind === "not_found") return null;
  throw error;
}
