/** `waymark shares` and `files share`: work with the server running or not. */
import type { Command } from "commander";
import { z } from "zod";
import { createDefine, type OptionsOf } from "../../platform/cli/define.ts";
import { passwordFrom } from "../../platform/cli/input.ts";
import { pageResult, type Result } from "../../platform/cli/results.ts";
import { COMMAND } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { REQUIREMENTS } from "../../links/link/drop-fields.ts";
import { given } from "../../lib/given.ts";
import { pageOf } from "../../lib/page-query.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { validated } from "../../lib/validated.ts";
import { idsOfItems } from "../serving/plan.ts";
import {
  folderShareSchema,
  itemsShareSchema,
  shareChangeSchema,
  shareListQuery,
  viewOfShare,
} from "../serving/schemas.ts";
import {
  addingFields,
  notAFolder,
  type ShareRecord,
  SHARE_KINDS,
  SHARE_SORTS,
  SHARE_STATES,
} from "../serving/served.ts";
import { viewShareMail, viewVisit } from "../serving/routes.ts";
import {
  type Context,
  cursorResult,
  eachGiven,
  entryOf,
  OWNER,
  type Owned,
  PAGING,
  parsePaging,
  PATH_OR_ID,
} from "./place.commands.ts";

export const LINK_OPTIONS = [
  ["--title <title>", "shown to visitors"],
  ["--message <text>", "shown to visitors above the files, and in mails"],
  ["--expires <when>", "RFC 3339, or a duration such as 7d or 1d2h30m", { field: "expires_at" }],
  ["--password", "ask for a password that visitors need, of 8 characters or more"],
  ["--password-stdin", "read the password from standard input"],
] as const;

export const limitOptions = (start: string) =>
  [
    ["--max-bytes <bytes>", `${start}of all files together; default: 1,000,000,000`, { isNumber: true }],
    [
      "--max-files <number>",
      `${start}files in all, including those deleted since; default: 100`,
      { isNumber: true },
    ],
    [
      "--max-file-size <bytes>",
      `${start}of one file; default: only --max-bytes limits it`,
      { isNumber: true },
    ],
    [
      "--require <what>",
      `${start}what visitors give before they send files; default: none`,
      { choices: REQUIREMENTS },
    ],
    ["--sender-folders", `${start}each sender gets a folder inside`],
    [
      "--type <type>",
      `${start}takes files of this kind only, such as pdf or image/*; repeat it for several`,
      { field: "types", repeats: true },
    ],
  ] as const;

export const LIMIT_ENDS = [
  ["--clear-max-file-size", "files of any size that --max-bytes allows"],
  ["--no-sender-folders", "files of all senders lie in the folder itself"],
  ["--clear-types", "files of any kind"],
] as const;

export const RECIPIENT = [
  "--recipient <address>",
  "gets a mail with the short URL; repeat it for several",
  { field: "recipients", repeats: true },
] as const;
const VERIFY = [
  "--verify",
  "only recipients see the share, once they have given a code that was mailed to them",
] as const;
const ADD = ["--add", "of a folder: visitors add files too"] as const;

const SHARE_OPTIONS = [
  ...OWNER,
  ["--code <code>", "default: a random one"],
  ...LINK_OPTIONS,
  [
    "--max-downloads <number>",
    "finished downloads, of all files together; default: unlimited",
    { isNumber: true },
  ],
  RECIPIENT,
  VERIFY,
  ADD,
  ...limitOptions("with --add: "),
] as const;

/** What `shares create` and `files share` have in common. */
export function defineShare(group: Command, name: string, about: string, context: Context): void {
  const define = createDefine(group, context);
  define(name, about)
    .options(SHARE_OPTIONS)
    .argument("<path...>", PATH_OR_ID)
    .result((options, paths) => shareEntries(context, paths, options));
}

export function addShareCommands(program: Command, context: Context): void {
  const group = program.command("shares");
  const define = createDefine(group, context);
  define("ls", "list shares and drop boxes, newest first")
    .options(LIST_OPTIONS)
    .result((options) => listShares(context, options))
    .alias("list");
  defineShare(
    group,
    "create",
    "share a file or folder, or several together; the same as 'files share'",
    context,
  );
  define("get <code>", "show a share or drop box").result(async (_, code) => {
    const { sharing } = await context.services();
    return shareResult(context, await sharing.shares.get(await treeOfShare(context, code), code));
  });
  addUpdate(group, context);
  defineRemoval(group, "end shares and drop boxes, and free their codes; the files stay", context);
  define("visits <code>", "what visitors opened and downloaded, newest first")
    .options(PAGING)
    .result(async (options, code) => {
      const { before, limit } = parsePaging(options, z.int());
      const tree = await treeOfShare(context, code);
      const { shares } = (await context.services()).sharing;
      const { visits, next } = await shares.visits(tree, code, before, limit);
      const columns = [["at", "TIME"], ["email", "RECIPIENT"], "action", "name", "browser", "os"] as const;
      return cursorResult({ name: "visits", rows: visits.map(viewVisit), columns }, next);
    });
  defineMails(group, context);
}

/** @throws FileNotFound, BadRequest, Conflict */
async function shareEntries(
  context: Context,
  paths: readonly string[],
  options: OptionsOf<typeof SHARE_OPTIONS>,
): Promise<Result> {
  const places = await Array.fromAsync(paths, (path) => entryOf(context, path, options));
  const first = places[0]!;
  const { tree, entry } = first;
  if (places.some((place) => place.tree !== tree)) {
    throw appError("BadRequest", "These belong to different owners; share those of one owner together.");
  }
  const body = await bodyOf(context, options);
  const { shares } = (await context.services()).sharing;
  if (places.length === 1) {
    if (entry.kind === "file" && Object.keys(addingFields).some((field) => field in body)) throw notAFolder();
    const input = validated(folderShareSchema.strict(), body, "The share");
    const place = { kind: entry.kind, id: entry.id };
    return shareResult(context, await shares.create(tree, place, input, COMMAND));
  }
  const items = places.map(({ entry: { id, kind } }) =>
    kind === "file" ? { file_id: id } : { folder_id: id },
  );
  const { items: _items, ...rest } = validated(itemsShareSchema.strict(), { ...body, items }, "The share");
  return shareResult(context, await shares.createOfItems(tree, idsOfItems(items), rest, COMMAND));
}

export type BodyOptions = Owned & {
  json?: true | undefined;
  password?: true | undefined;
  password_stdin?: true | undefined;
};

/** The fields of a request. The password comes last, because the command may ask for it. */
export async function bodyOf(context: Context, options: BodyOptions): Promise<Record<string, unknown>> {
  const { owner: _owner, team: _team, json: _json, password, password_stdin, ...fields } = options;
  return given({ ...fields, password: await passwordFrom(context, { password, password_stdin }) });
}

/** `waymark shares mails` and `drops mails`. */
export function defineMails(group: Command, context: Context): void {
  createDefine(group, context)("mails <code>", "what became of the mails to recipients, newest first").result(
    async (_, code) => {
      const { shares } = (await context.services()).sharing;
      const mails = (await shares.mails(await treeOfShare(context, code), code)).map(viewShareMail);
      const columns = [["queued_at", "TIME"], ["email", "RECIPIENT"], "state", "error"] as const;
      return cursorResult({ name: "mails", rows: mails, columns }, null);
    },
  );
}

/** The tree of the share's owner. @throws LinkNotFound */
export async function treeOfShare({ services }: Context, code: string): Promise<number> {
  const holder = await (await services()).drive.trees.holderOf({ share: code });
  if (holder === null)
    throw appError("LinkNotFound", `There is no share or drop box ${JSON.stringify(code)}.`);
  return holder.id;
}

/** What a share shows, unless it is empty. */
const SHOWN: [key: string, heading: string][] = [
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
  ["human_clicks", "VISITS"],
  ["click_count", "ALL VISITS"],
  ["recipients", "RECIPIENTS"],
  ["verify", "VERIFY"],
  ["takes", "TAKES"],
  ["types", "TYPES"],
  ["require", "REQUIRES"],
  ["sender_folders", "SENDER FOLDERS"],
  ["took", "HAS TAKEN"],
];

const shareRow = (view: ReturnType<typeof viewOfShare>) => ({
  ...view,
  name: view.items === null ? (view.entry?.name ?? view.target) : pluralize(view.items, "item"),
  recipients: view.recipients.join(", ") || null,
  verify: view.verify || null,
  types: view.drop?.types.join(", ") || null,
  require: view.drop === null || view.drop.require === "none" ? null : view.drop.require,
  sender_folders: view.drop?.sender_folders || null,
  takes: view.drop && `${pluralize(view.drop.max_files, "file")}, ${view.drop.max_bytes} bytes`,
  took: view.drop && `${pluralize(view.drop.files, "file")}, ${view.drop.bytes} bytes`,
});

export async function shareResult({ services }: Context, share: ShareRecord): Promise<Result> {
  const view = viewOfShare(share, (await services()).origins.ofServer());
  const row: Record<string, unknown> = shareRow(view);
  const shown = SHOWN.filter(([key]) => row[key] !== null && row[key] !== undefined);
  return {
    json: view,
    show: (output) =>
      output.table(
        shown.map(([key, heading]) => ({ heading, value: row[key] })),
        { heading: "SHARE", value: view.code },
      ),
  };
}

const LIST_OPTIONS = [
  ["--search <text>", "in the code, title, note or name, case-insensitive"],
  ["--kind <kind>", "of this kind", { choices: SHARE_KINDS }],
  ["--state <state>", "in this state; a full drop box is used_up", { choices: SHARE_STATES }],
  ["--owner <owner>", "of this account, or of team:<name>; default: of all"],
  ["--team <team>", "of this team"],
  ["--sort <key>", "default: created_at", { choices: SHARE_SORTS }],
  ["--order <way>", "default: desc", { choices: ["asc", "desc"] }],
  ["--page <number>", "from 1"],
  ["--page-size <number>", "1 to 100"],
  [
    "--cursor [place]",
    "instead of --page: the cursor that the previous page printed; empty for the first page",
  ],
] as const;

const COLUMNS = [
  ["short_url", "SHORT URL"],
  "kind",
  "name",
  "expires_at",
  "downloads",
  ["human_clicks", "VISITS"],
  ["click_count", "ALL VISITS"],
] as const;

export async function listShares(
  { services }: Context,
  options: Partial<OptionsOf<typeof LIST_OPTIONS>>,
): Promise<Result> {
  const cursor = options.cursor === true ? "" : options.cursor;
  const query = validated(shareListQuery, { ...options, cursor }, "The list");
  const { sharing, drive, origins } = await services();
  const { shares } = sharing;
  const accountId = query.owner || query.team ? await drive.trees.forCommand(query) : null;
  const { search, kind, state } = query;
  const filter = { accountId, search, kind, state };
  const viewOf = (share: ShareRecord) => viewOfShare(share, origins.ofServer());
  const shown = { name: "shares", columns: COLUMNS, cells: shareRow };
  const at = pageOf(query);
  if (query.cursor === undefined) {
    const order = { by: query.sort || "created_at", isDescending: query.order !== "asc" } as const;
    const { shares: found, total } = await shares.page(filter, at, order);
    const counted =
      query.kind === "drop" ? pluralize(total, "drop box", "drop boxes") : pluralize(total, "share");
    return pageResult({ ...shown, rows: found.map(viewOf), end: { ...at, total, counted } });
  }
  if (query.sort || query.order || query.page) {
    throw appError(
      "BadRequest",
      "With --cursor the order is newest first; leave out --sort, --order and --page.",
    );
  }
  const { shares: found, next } = await shares.after(filter, query.cursor, at.pageSize);
  return pageResult({ ...shown, rows: found.map(viewOf), end: { next } });
}

function addUpdate(group: Command, context: Context): void {
  const define = createDefine(group, context);
  define("update", "change a share; --title and --message take an empty text")
    .options(LINK_OPTIONS)
    .argument("<code>", "")
    .option("--clear-expiry", "remove the expiry")
    .option("--clear-password", "remove the password")
    .option("--max-downloads <number>", "finished downloads, of all files together", { isNumber: true })
    .option("--clear-max-downloads", "any number of downloads")
    .option("--recipient <address>", "replaces the recipients; repeat it for several", {
      field: "recipients",
      repeats: true,
    })
    .option("--clear-recipients", "without recipients")
    .option(...VERIFY)
    .option("--no-verify", "everybody with the short URL sees the share")
    .option(...ADD)
    .option("--no-add", "visitors add no files")
    .options(limitOptions("with --add: "))
    .options(LIMIT_ENDS)
    .option("--serve <path>", `the code serves this file or folder from now on; ${PATH_OR_ID}`)
    .option("--url <target>", "the code redirects to this URL from now on", { field: "target" })
    .result(async ({ serve, ...options }, code) => {
      if (serve === undefined) return updateShare(context, code, options);
      const { trees } = (await context.services()).drive;
      const owner = await trees.nameOfOwner(await treeOfShare(context, code));
      const { entry } = await entryOf(context, serve, { owner });
      const served = { [entry.kind === "file" ? "file_id" : "folder_id"]: entry.id };
      return updateShare(context, code, { ...options, ...served });
    });
}

/** What a flag removes, and what contradicts it. */
const CLEARS = [
  ["clear_expiry", "expires_at"],
  ["clear_password", "password", "password_stdin"],
  ["clear_recipients", "recipients"],
  ["clear_max_downloads", "max_downloads"],
  ["clear_max_file_size", "max_file_size"],
  ["clear_types", "types"],
] as const;

export async function updateShare(
  context: Context,
  code: string,
  options: BodyOptions & Readonly<Record<string, unknown>>,
): Promise<Result> {
  const fields: Record<string, unknown> = { ...options };
  const cleared: Record<string, null> = {};
  for (const [clear, field, ...others] of CLEARS) {
    delete fields[clear];
    if (!options[clear]) continue;
    if ([field, ...others].some((one) => options[one] !== undefined))
      throw appError("BadRequest", "An option and its --clear exclude each other.");
    cleared[field] = null;
  }
  const tree = await treeOfShare(context, code);
  const { changes } = (await context.services()).sharing;
  const body = { ...(await bodyOf(context, fields)), ...cleared };
  const input = validated(shareChangeSchema.strict(), body, "The share");
  return shareResult(context, await changes.patch(tree, code, input, COMMAND));
}

export function defineRemoval(group: Command, about: string, context: Context): void {
  const define = createDefine(group, context);
  define("rm <code...>", about)
    .json("print JSON")
    .action((options, codes) =>
      eachGiven(context, codes, options, async (code) => {
        const { shares } = (await context.services()).sharing;
        await shares.end(await treeOfShare(context, code), code, COMMAND);
        return { line: `Removed ${code}.`, view: { code, removed: true } };
      }),
    )
    .alias("remove");
}
