/** `waymark shares`: works with the server running or not. */
import { type Command, Option } from "commander";
import { z } from "zod";
import { COMMAND } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { given } from "../../lib/given.ts";
import { pageOf } from "../../lib/page-query.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { viewVisit } from "../serving/routes.ts";
import { validated } from "../../lib/validated.ts";
import { collected } from "../../links/list/filter-options.ts";
import { type ShareRecord, SHARE_KINDS, SHARE_SORTS, SHARE_STATES } from "../serving/served.ts";
import { shareChangeSchema, shareListQuery, viewOfShare } from "../serving/schemas.ts";
import { showList } from "../../platform/cli/listing.ts";
import { JSON_OPTION, type JsonOption, subcommand, type Texts } from "../../platform/cli/command.ts";
import { addOwner, type Context, eachGiven, entryOf, type Owned, PATH_OR_ID } from "./place.commands.ts";
import {
  addLimitOptions,
  addLinkOptions,
  addPaging,
  addShareOptions,
  bodyOf,
  pageIn,
  type PageOptions,
  shareRow,
  shareEntries,
  type ShareOptions,
  showPage,
  showShare,
  treeOfShare,
} from "./share-options.commands.ts";

const COLUMNS = {
  short_url: "SHORT URL",
  kind: "KIND",
  name: "NAME",
  expires_at: "EXPIRES",
  downloads: "DOWNLOADS",
  click_count: "CLICKS",
};

/** For shares and drop boxes. */
export function addRemoval(group: Command, description: string, context: Context): void {
  subcommand(group, "rm <code...>", description)
    .alias("remove")
    .option(...JSON_OPTION)
    .action((codes: string[], options: JsonOption) =>
      eachGiven(context, codes, options, async (code) => {
        const { shares } = (await context.services()).sharing;
        await shares.end(await treeOfShare(context, code), code, COMMAND);
        return { line: `Removed ${code}.`, view: { code, removed: true } };
      }),
    );
}

export function addShareCommands(program: Command, context: Context): void {
  const shares = program.command("shares");
  addList(shares, context);
  addShareOptions(
    addOwner(
      subcommand(shares, "create", "share a file or folder, or several together; the same as 'files share'"),
    ),
  )
    .argument("<path...>", PATH_OR_ID)
    .action((paths: string[], options: ShareOptions) => shareEntries(context, paths, options));
  subcommand(shares, "get <code>", "show a share or drop box")
    .option(...JSON_OPTION)
    .action(async (code: string, options: JsonOption) => {
      const { sharing } = await context.services();
      await showShare(context, await sharing.shares.get(await treeOfShare(context, code), code), options);
    });
  addUpdate(shares, context);
  addRemoval(shares, "end shares and drop boxes, and free their codes; the files stay", context);
  addVisits(shares, context);
}

type ListOptions = JsonOption &
  Owned &
  Texts<"search" | "kind" | "state" | "sort" | "order" | "page" | "pageSize"> & { cursor?: string | true };

function addList(shares: Command, context: Context): void {
  subcommand(shares, "ls", "list shares and drop boxes, newest first")
    .alias("list")
    .option("--search <text>", "in the code, title, note or name, case-insensitive")
    .addOption(new Option("--kind <kind>", "of this kind").choices(SHARE_KINDS))
    .addOption(
      new Option("--state <state>", "in this state; a full drop box is used_up").choices(SHARE_STATES),
    )
    .option("--owner <owner>", "of this account, or of team:<name>; default: of all")
    .option("--team <team>", "of this team")
    .addOption(new Option("--sort <key>", "default: created_at").choices(SHARE_SORTS))
    .addOption(new Option("--order <way>", "default: desc").choices(["asc", "desc"]))
    .option("--page <number>", "from 1")
    .option("--page-size <number>", "1 to 100")
    .option(
      "--cursor [place]",
      "instead of --page: the cursor that the previous page printed; empty for the first page",
    )
    .option(...JSON_OPTION)
    .action((options: ListOptions) => listShares(context, options));
}

export async function listShares(context: Context, options: ListOptions): Promise<void> {
  const { pageSize: page_size, json, cursor: asked, ...rest } = options;
  const cursor = asked === true ? "" : asked;
  const query = validated(shareListQuery, { ...rest, page_size, cursor }, "The list");
  const { sharing, drive, origins } = await context.services();
  const { shares } = sharing;
  const accountId = query.owner || query.team ? await drive.trees.ofAnyone(query) : null;
  const { search, kind, state } = query;
  const filter = { accountId, search, kind, state };
  const view = (share: ShareRecord) => viewOfShare(share, origins.ofServer());
  const table = (rows: readonly ReturnType<typeof viewOfShare>[]) =>
    context.output.table(rows.map(shareRow), COLUMNS);
  const shown = { json, name: "shares", table };
  const at = pageOf(query);
  if (query.cursor === undefined) {
    const order = { by: query.sort || "created_at", isDescending: query.order !== "asc" } as const;
    const { shares: found, total } = await shares.page(filter, at, order);
    const counted =
      query.kind === "drop" ? pluralize(total, "drop box", "drop boxes") : pluralize(total, "share");
    return showList(context.output, { ...shown, rows: found.map(view), end: { ...at, total, counted } });
  }
  if (query.sort || query.order || query.page) {
    throw appError(
      "BadRequest",
      "With --cursor the order is newest first; leave out --sort, --order and --page.",
    );
  }
  const { shares: found, next } = await shares.after(filter, query.cursor, at.pageSize);
  showList(context.output, { ...shown, rows: found.map(view), end: { next } });
}

type UpdateOptions = ShareOptions & {
  clearExpiry?: true;
  clearPassword?: true;
  clearRecipients?: true;
  clearMaxDownloads?: true;
  serve?: string;
  url?: string;
};

function addUpdate(shares: Command, context: Context): void {
  addLimitOptions(
    addLinkOptions(subcommand(shares, "update", "change a share; --title and --message take an empty text"))
      .argument("<code>")
      .option("--clear-expiry", "remove the expiry")
      .option("--clear-password", "remove the password")
      .option("--max-downloads <number>", "finished downloads, of all files together")
      .option("--clear-max-downloads", "any number of downloads")
      .option("--recipient <address>", "replaces the recipients; repeat it for several", collected)
      .option("--clear-recipients", "without recipients")
      .option(
        "--verify",
        "only recipients see the share, once they have given a code that was mailed to them",
      )
      .option("--no-verify", "everybody with the short URL sees the share")
      .option("--add", "of a folder: visitors add files too")
      .option("--no-add", "visitors add no files"),
    "with --add: ",
  )
    .option("--serve <path>", `the code serves this file or folder from now on; ${PATH_OR_ID}`)
    .option("--url <target>", "the code redirects to this URL from now on")
    .option(...JSON_OPTION)
    .action((code: string, options: UpdateOptions) => updateShare(context, code, options));
}

const CLEARS = [
  ["clearExpiry", "expires", "expires_at"],
  ["clearPassword", "password", "password"],
  ["clearPassword", "passwordStdin", "password"],
  ["clearRecipients", "recipient", "recipients"],
  ["clearMaxDownloads", "maxDownloads", "max_downloads"],
] as const;

/** @param more of the body */
export async function updateShare(
  context: Context,
  code: string,
  options: UpdateOptions,
  more: Record<string, unknown> = {},
): Promise<void> {
  const clash = CLEARS.find(([clear, set]) => options[clear] !== undefined && options[set] !== undefined);
  if (clash !== undefined) throw appError("BadRequest", "An option and its --clear exclude each other.");
  const tree = await treeOfShare(context, code);
  const { sharing, drive } = await context.services();
  const cleared = CLEARS.filter(([clear]) => options[clear]).map(([, , field]) => [field, null]);
  const owned = async () => ({ owner: await drive.trees.nameOfOwner(tree) });
  const serve = options.serve === undefined ? null : await entryOf(context, options.serve, await owned());
  const asked = {
    ...given(await bodyOf(context, options)),
    ...Object.fromEntries(cleared),
    ...more,
    ...(serve && { [serve.entry.kind === "file" ? "file_id" : "folder_id"]: serve.entry.id }),
    ...(options.url !== undefined && { target: options.url }),
  };
  const body = validated(shareChangeSchema.strict(), asked, "The share");
  await showShare(context, await sharing.changes.patch(tree, code, body, COMMAND), options);
}

function addVisits(shares: Command, context: Context): void {
  addPaging(
    subcommand(shares, "visits <code>", "what verified recipients opened and downloaded, newest first"),
  ).action(async (code: string, options: PageOptions) => {
    const { before, limit } = pageIn(options, z.int());
    const tree = await treeOfShare(context, code);
    const { shares: service } = (await context.services()).sharing;
    const { visits, next } = await service.visits(tree, code, before, limit);
    const rows = visits.map(viewVisit);
    const columns = { at: "TIME", email: "RECIPIENT", action: "ACTION", name: "NAME" };
    showPage(context, { rows, next, columns, key: "visits" }, options);
  });
}
