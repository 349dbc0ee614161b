/** `waymark drops`: short links through which visitors put files into a folder. */
import type { Command } from "commander";
import { z } from "zod";
import { passwordFrom } from "../../platform/cli/input.ts";
import { COMMAND } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { given } from "../../lib/given.ts";
import { validated } from "../../lib/validated.ts";
import { dropSchema, viewReceived } from "../drops/drop.ts";
import { ADDING_DEFAULTS } from "../serving/served.ts";
import { JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import { addOwner, type Context, entryOf, type Owned } from "./place.commands.ts";
import {
  addLimitOptions,
  addLinkOptions,
  addPaging,
  limitsIn,
  pageIn,
  type PageOptions,
  showPage,
  showShare,
  type ShareOptions,
  treeOfShare,
} from "./share-options.commands.ts";
import { addRemoval, listShares, updateShare } from "./shares.commands.ts";

const RECEIVED_COLUMNS = {
  file_id: "FILE ID",
  at: "TIME",
  size: "BYTES",
  sender: "SENDER",
  sender_name: "NAME OF SENDER",
  name: "NAME",
};

export function addDropCommands(program: Command, context: Context): void {
  const drops = program.command("drops");
  subcommand(drops, "ls", "list drop boxes, newest first")
    .alias("list")
    .option("--search <text>", "in the code, title, note or name of the folder, case-insensitive")
    .option("--owner <owner>", "of this account, or of team:<name>; default: of all")
    .option("--team <team>", "of this team")
    .option("--page <number>", "from 1")
    .option("--page-size <number>", "1 to 100")
    .option(...JSON_OPTION)
    .action((options: JsonOption & Owned) => listShares(context, { ...options, kind: "drop" }));
  addCreate(drops, context);
  addUpdate(drops, context);
  addRemoval(drops, "close drop boxes; the files stay", context);
  addFiles(drops, context);
}

function addCreate(drops: Command, context: Context): void {
  addLimitOptions(addLinkOptions(addOwner(subcommand(drops, "create", "open a drop box"))), "")
    .argument("<folder>", "path, such as /Inbox, or ID")
    .option("--code <code>", "default: a random one")
    .option(...JSON_OPTION)
    .action(async (path: string, options: ShareOptions) => {
      const { tree, entry } = await entryOf(context, path, options);
      if (entry.kind !== "folder") throw appError("BadRequest", "A drop box needs a folder; this is a file.");
      const { code, title, message, expires } = options;
      const limits = limitsIn(options);
      const body = {
        code,
        title,
        message,
        expires_at: expires,
        ...limits,
        max_bytes: limits.max_bytes ?? ADDING_DEFAULTS.maxBytes,
        max_files: limits.max_files ?? ADDING_DEFAULTS.maxFiles,
        password: await passwordFrom(context, options),
      };
      const input = validated(dropSchema, given(body), "The drop box");
      const { dropBoxes } = (await context.services()).sharing;
      await showShare(context, await dropBoxes.create(tree, entry.id, input, COMMAND), options);
    });
}

type UpdateOptions = ShareOptions & { clearExpiry?: true; clearPassword?: true };

function addUpdate(drops: Command, context: Context): void {
  addLinkOptions(subcommand(drops, "update", "change a drop box; --title and --message take an empty text"))
    .argument("<code>")
    .option("--clear-expiry", "remove the expiry")
    .option("--clear-password", "remove the password")
    .option("--max-bytes <bytes>", "of all files together")
    .option("--max-files <number>", "files in all, including those deleted since")
    .option("--max-file-size <bytes>", "of one file")
    .option(...JSON_OPTION)
    .action((code: string, options: UpdateOptions) => updateDrop(context, code, options));
}

async function updateDrop(context: Context, code: string, options: UpdateOptions): Promise<void> {
  const { sharing } = await context.services();
  const tree = await treeOfShare(context, code);
  const box = await sharing.shares.get(tree, code);
  if (box.kind !== "drop")
    throw appError("BadRequest", `${code} is a share; change it with 'waymark shares update'.`);
  const { maxBytes, maxFiles, maxFileSize, ...rest } = options;
  const limits = given(limitsIn({ maxBytes, maxFiles, maxFileSize }));
  const { drop } = box;
  const now = {
    folder_id: box.entry!.id,
    max_bytes: drop!.maxBytes,
    max_files: drop!.maxFiles,
    max_file_size: drop!.maxFileSize,
  };
  await updateShare(
    context,
    code,
    rest,
    Object.keys(limits).length === 0 ? {} : { drop: { ...now, ...limits } },
  );
}

function addFiles(drops: Command, context: Context): void {
  addPaging(
    subcommand(drops, "files <code>", "list the files that a drop box received, newest first"),
  ).action(async (code: string, options: PageOptions) => {
    const { before, limit } = pageIn(options, z.int());
    const { sharing } = await context.services();
    const tree = await treeOfShare(context, code);
    const box = await sharing.shares.get(tree, code);
    const place = { folderId: box.entry?.id ?? 0, code };
    const { files, next } = await sharing.dropBoxes.received(tree, place, before, limit);
    showPage(
      context,
      { rows: files.map(viewReceived), next, columns: RECEIVED_COLUMNS, key: "files" },
      options,
    );
  });
}
