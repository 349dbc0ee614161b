/** What the commands of shares and drop boxes have in common. */
import type { Command } from "commander";
import type { z } from "zod";
import { passwordFrom } from "../../platform/cli/input.ts";
import { COMMAND } from "../../lib/actor.ts";
import { cursorText, limitOf, placeOf as placeInCursor } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { given } from "../../lib/given.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { validated } from "../../lib/validated.ts";
import { collected } from "../../links/list/filter-options.ts";
import { addingFields, notAFolder, type ShareRecord } from "../serving/served.ts";
import { idsOfItems } from "../serving/plan.ts";
import { folderShareSchema, itemsShareSchema, viewOfShare } from "../serving/schemas.ts";
import { JSON_OPTION, type JsonOption, type Texts } from "../../platform/cli/command.ts";
import { type Context, entryOf, numberIn, type Owned } from "./place.commands.ts";

export type ShareOptions = JsonOption &
  Owned &
  Texts<"code" | "title" | "message" | "expires" | "maxDownloads" | keyof Limits> & {
    password?: true;
    passwordStdin?: true;
    recipient?: string[];
    verify?: boolean;
    add?: boolean;
  };

export const addLinkOptions = (command: Command): Command =>
  command
    .option("--title <title>", "shown to visitors")
    .option("--message <text>", "shown to visitors above the files, and in mails")
    .option("--expires <when>", "RFC 3339, or a duration such as 7d or 1d2h30m")
    .option("--password", "ask for a password that visitors need, of 8 characters or more")
    .option("--password-stdin", "read the password from standard input");

export const addLimitOptions = (command: Command, start: string): Command =>
  command
    .option("--max-bytes <bytes>", `${start}of all files together; default: 1,000,000,000`)
    .option("--max-files <number>", `${start}files in all, including those deleted since; default: 100`)
    .option("--max-file-size <bytes>", `${start}of one file; default: only --max-bytes limits it`);

export const addShareOptions = (command: Command): Command =>
  addLimitOptions(
    addLinkOptions(command.option("--code <code>", "default: a random one"))
      .option("--max-downloads <number>", "finished downloads, of all files together; default: unlimited")
      .option("--recipient <address>", "gets a mail with the short URL; repeat it for several", collected)
      .option(
        "--verify",
        "only recipients see the share, once they have given a code that was mailed to them",
      )
      .option("--add", "of a folder: visitors add files too"),
    "with --add: ",
  ).option(...JSON_OPTION);

/** As in a request; the password comes last, because it may ask. */
export async function bodyOf(context: Context, options: ShareOptions): Promise<Record<string, unknown>> {
  const { code, title, message, expires, recipient: recipients, verify, add } = options;
  return {
    code,
    title,
    message,
    recipients,
    verify,
    add,
    expires_at: expires,
    max_downloads: numberIn(options.maxDownloads),
    ...limitsIn(options),
    password: await passwordFrom(context, options),
  };
}

type Limits = Partial<Record<"maxBytes" | "maxFiles" | "maxFileSize", string | undefined>>;

export const limitsIn = ({ maxBytes, maxFiles, maxFileSize }: Limits) => ({
  max_bytes: numberIn(maxBytes),
  max_files: numberIn(maxFiles),
  max_file_size: numberIn(maxFileSize),
});

/** Several become one share. @throws FileNotFound, BadRequest, Conflict */
export async function shareEntries(
  context: Context,
  paths: readonly string[],
  options: ShareOptions,
): Promise<void> {
  const places = await Array.fromAsync(paths, (path) => entryOf(context, path, options));
  const [first, ...others] = places;
  if (first === undefined) return;
  if (others.some(({ tree }) => tree !== first.tree)) {
    throw appError("BadRequest", "These belong to different owners; share those of one owner together.");
  }
  const body = given(await bodyOf(context, options));
  const { shares } = (await context.services()).sharing;
  const { tree, entry } = first;
  if (others.length === 0) {
    if (entry.kind === "file" && Object.keys(addingFields).some((field) => field in body)) throw notAFolder();
    const input = validated(folderShareSchema.strict(), body, "The share");
    const place = { kind: entry.kind, id: entry.id };
    return showShare(context, await shares.create(tree, place, input, COMMAND), options);
  }
  const items = places.map(({ entry: { id, kind } }) =>
    kind === "file" ? { file_id: id } : { folder_id: id },
  );
  const { items: _, ...rest } = validated(itemsShareSchema.strict(), { ...body, items }, "The share");
  const share = await shares.createOfItems(tree, idsOfItems(items), rest, COMMAND);
  await showShare(context, share, options);
}

/** The owner's tree. @throws LinkNotFound */
export async function treeOfShare({ services }: Context, code: string): Promise<number> {
  const holder = await (await services()).drive.trees.holding({ share: code });
  if (holder === null)
    throw appError("LinkNotFound", `There is no share or drop box ${JSON.stringify(code)}.`);
  return holder.id;
}

const NAMES: [key: string, heading: string][] = [
  ["short_url", "SHORT URL"],
  ["kind", "KIND"],
  ["name", "NAME"],
  ["title", "TITLE"],
  ["message", "MESSAGE"],
  ["created_at", "CREATED"],
  ["expires_at", "EXPIRES"],
  ["password", "PASSWORD"],
  ["max_downloads", "MAX DOWNLOADS"],
  ["downloads", "DOWNLOADS"],
  ["click_count", "CLICKS"],
  ["recipients", "RECIPIENTS"],
  ["verify", "VERIFY"],
  ["takes", "TAKES"],
  ["took", "HAS TAKEN"],
];

export const shareRow = (view: ReturnType<typeof viewOfShare>) => ({
  ...view,
  name: view.items === null ? (view.entry?.name ?? view.target) : pluralize(view.items, "item"),
  recipients: view.recipients.join(", ") || null,
  verify: view.verify || null,
  takes: view.drop && `${pluralize(view.drop.max_files, "file")}, ${view.drop.max_bytes} bytes`,
  took: view.drop && `${pluralize(view.drop.files, "file")}, ${view.drop.bytes} bytes`,
});

export async function showShare(context: Context, share: ShareRecord, { json }: JsonOption): Promise<void> {
  const { output } = context;
  const view = viewOfShare(share, (await context.services()).origins.ofServer());
  if (json) return output.json(view);
  const row: Record<string, unknown> = shareRow(view);
  const rows = NAMES.filter(([key]) => row[key] !== null && row[key] !== undefined);
  output.table(
    rows.map(([key, heading]) => ({ heading, value: row[key] })),
    { heading: "SHARE", value: view.code },
  );
}

export type PageOptions = JsonOption & { cursor?: string; limit?: string };

export const addPaging = (command: Command): Command =>
  command
    .option("--limit <number>", "rows, at most 100; default: 20")
    .option("--cursor <place>", "the cursor that the previous page printed")
    .option(...JSON_OPTION);

/** Rows of one page. */
export function showPage(
  { output }: Context,
  {
    rows,
    next,
    columns,
    key,
  }: {
    rows: readonly Record<string, unknown>[];
    /** Its place in the cursor. */
    next: unknown;
    columns: Record<string, string>;
    key: string;
  },
  { json }: JsonOption,
): void {
  const cursor = next === null ? null : cursorText(next);
  if (json) return output.json({ [key]: rows, next_cursor: cursor });
  if (rows.length > 0) output.table(rows, columns);
  const end = rows.length > 0 ? "This is the last page." : "There are none.";
  output.note(cursor === null ? end : `Next page: --cursor ${cursor}`);
}

export const pageIn = <P>({ cursor, limit }: PageOptions, place: z.ZodType<P>) => {
  if (limit !== undefined && !/^\d{1,15}$/.test(limit)) {
    throw appError("BadRequest", "--limit is a whole number from 1 to 100.");
  }
  return { before: placeInCursor(place, cursor), limit: limitOf(limit) };
};
