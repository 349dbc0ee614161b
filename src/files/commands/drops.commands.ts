/** `waymark drops`: short links through which visitors put files into a folder. */
import type { Command } from "commander";
import { z } from "zod";
import { createDefine } from "../../platform/cli/define.ts";
import type { Result } from "../../platform/cli/results.ts";
import { COMMAND } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import { dropSchema, viewReceived } from "../drops/drop.ts";
import { ADDING_DEFAULTS } from "../serving/served.ts";
import { type Context, cursorResult, entryOf, OWNER, PAGING, parsePaging } from "./place.commands.ts";
import {
  type BodyOptions,
  bodyOf,
  defineMails,
  defineRemoval,
  LIMIT_ENDS,
  limitOptions,
  LINK_OPTIONS,
  listShares,
  RECIPIENT,
  shareResult,
  treeOfShare,
  updateShare,
} from "./shares.commands.ts";

export function addDropCommands(program: Command, context: Context): void {
  const group = program.command("drops");
  const define = createDefine(group, context);

  define("ls", "list drop boxes, newest first")
    .option("--search <text>", "in the code, title, note or name of the folder, case-insensitive")
    .option("--owner <owner>", "of this account, or of team:<name>; default: of all")
    .option("--team <team>", "of this team")
    .option("--page <number>", "from 1")
    .option("--page-size <number>", "1 to 100")
    .result((options) => listShares(context, { ...options, kind: "drop" }))
    .alias("list");

  define("create", "open a drop box")
    .options(OWNER)
    .options(LINK_OPTIONS)
    .options([RECIPIENT])
    .options(limitOptions(""))
    .argument("<folder>", "path, such as /Inbox, or ID")
    .option("--code <code>", "default: a random one")
    .result(async (options, path) => {
      const { tree, entry } = await entryOf(context, path, options);
      if (entry.kind !== "folder") throw appError("BadRequest", "A drop box needs a folder; this is a file.");
      const defaults = { max_bytes: ADDING_DEFAULTS.maxBytes, max_files: ADDING_DEFAULTS.maxFiles };
      const body = { ...defaults, ...(await bodyOf(context, options)) };
      const input = validated(dropSchema, body, "The drop box");
      const { dropBoxes } = (await context.services()).sharing;
      return shareResult(context, await dropBoxes.create(tree, entry.id, input, COMMAND));
    });

  define("update", "change a drop box; --title and --message take an empty text")
    .options(LINK_OPTIONS)
    .argument("<code>", "")
    .option("--clear-expiry", "remove the expiry")
    .option("--clear-password", "remove the password")
    .options(limitOptions(""))
    .options(LIMIT_ENDS)
    .result((options, code) => updateDrop(context, code, options));

  defineMails(group, context);
  defineRemoval(group, "close drop boxes; the files stay", context);

  define("files <code>", "list the files that a drop box received, newest first")
    .options(PAGING)
    .result(async (options, code) => {
      const { before, limit } = parsePaging(options, z.int());
      const { sharing } = await context.services();
      const tree = await treeOfShare(context, code);
      const box = await sharing.shares.get(tree, code);
      const place = { folderId: box.entry?.id ?? 0, code };
      const { files, next } = await sharing.dropBoxes.received(tree, place, before, limit);
      return cursorResult({ name: "files", rows: files.map(viewReceived), columns: RECEIVED_COLUMNS }, next);
    });
}

const RECEIVED_COLUMNS = [
  "file_id",
  ["at", "TIME"],
  ["size", "BYTES"],
  "sender",
  ["sender_name", "NAME OF SENDER"],
  ["sender_email", "ADDRESS OF SENDER"],
  "path",
  "name",
] as const;

async function updateDrop(context: Context, code: string, options: BodyOptions): Promise<Result> {
  const { sharing } = await context.services();
  const box = await sharing.shares.get(await treeOfShare(context, code), code);
  if (box.kind !== "drop")
    throw appError("BadRequest", `${code} is a share; change it with 'waymark shares update'.`);
  return updateShare(context, code, { ...options });
}
