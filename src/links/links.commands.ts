/** Works with the server running or not. */
import type { Command } from "commander";
import { passwordFrom } from "../platform/cli/input.ts";
import { showList } from "../platform/cli/listing.ts";
import {
  type CommandContext,
  JSON_OPTION,
  type JsonOption,
  subcommand,
  type Texts,
} from "../platform/cli/command.ts";
import type { LinkCsv } from "./csv/service.ts";
import type { LinkService } from "./links.service.ts";
import { systemClock } from "../lib/clock.ts";
import { pluralize } from "../lib/pluralize.ts";
import { appError } from "../lib/errors.ts";
import { validated } from "../lib/validated.ts";
import { COMMAND } from "../lib/actor.ts";
import { createSchema, type LinkView, patchSchema, type ShownLink, viewOfLink } from "./link/link.ts";
import { addFieldOptions, fieldInput, type FieldOptions, shownFields } from "./link/field-options.ts";
import { addCsvCommands } from "./csv/commands.ts";
import { addFilterOptions, collected, filterInput, type FilterOptions } from "./list/filter-options.ts";
import { addQrCommand } from "./qr/commands.ts";
import { addTagCommands } from "./tags/commands.ts";
import { linkCursor, linkQueryOf, listQuery, placedQueryOf } from "./list/query.ts";

type Context = CommandContext<{ links: LinkService; csv: LinkCsv; origins: { ofServer(): string } }>;

const COLUMNS = {
  code: "CODE",
  short_url: "SHORT URL",
  target: "TARGET",
  created_at: "CREATED",
  expires_at: "EXPIRES",
  password: "PASSWORD",
  click_count: "CLICKS",
  tags: "TAGS",
};
/** Of one link. */
const FIELDS = {
  ...COLUMNS,
  human_clicks: "HUMAN CLICKS",
  domain: "DOMAIN",
  owner: "OWNER",
};

const rowOf = (view: LinkView) => ({ ...view, tags: view.tags.join(", ") || null });

type OnDomain = { domain?: string };
const DOMAIN = ["--domain <host>", "host of the link's domain; default: the default domain"] as const;
type Secret = { password?: true; passwordStdin?: true };

/** Returns the group for further commands. */
export function addLinkCommands(program: Command, context: Context): Command {
  const group = program.command("links");
  addReading(group, context);
  addWriting(group, context);
  addCsvCommands(group, context);
  addTagCommands(program, context);
  addQrCommand(group, context);
  return group;
}

function addReading(group: Command, context: Context): void {
  subcommand(group, "get <code>", "show a link")
    .option(...DOMAIN)
    .option(...JSON_OPTION)
    .action(async (code: string, { domain, json }: JsonOption & OnDomain) => {
      const { links } = await context.services();
      await show(context, await links.by(COMMAND).get(links.domains.key(code, domain)), json);
    });

  addFilterOptions(subcommand(group, "list", "list links, newest first"))
    .option("--sort <key>", "created_at, code, click_count or expires_at")
    .option("--order <way>", "asc or desc")
    .option("--page <number>", "from 1")
    .option("--page-size <number>", "1 to 100")
    .option(
      "--cursor [place]",
      "instead of --page: the cursor that the previous page printed; empty for the first page",
    )
    .option(...JSON_OPTION)
    .action((options: ListOptions) => listLinks(context, options));
}

type ListOptions = JsonOption &
  FilterOptions &
  Texts<"sort" | "order" | "page" | "pageSize"> & { cursor?: string | true };

async function listLinks(context: Context, options: ListOptions): Promise<void> {
  const { sort, order, page, pageSize } = options;
  const cursor = options.cursor === true ? "" : options.cursor;
  const given = { ...filterInput(options), sort, order, page, page_size: pageSize, cursor };
  const { links, origins } = await context.services();
  const query = await links.owners.resolved(validated(listQuery, given, "The list"));
  const viewOf = (link: ShownLink) => viewOfLink(link, origins.ofServer(), links.domains.hostOf);
  const columns = options.domain === undefined ? COLUMNS : { ...COLUMNS, domain: "DOMAIN" };
  const table = (rows: readonly LinkView[]) => context.output.table(rows.map(rowOf), columns);
  const shown = { json: options.json, name: "links", table };
  const placed = placedQueryOf(query, systemClock.now(), links.domains.filterOf);
  if (placed !== null) {
    const found = await links.by(COMMAND).after(placed);
    const next = found.next && linkCursor(placed.order, found.next);
    return showList(context.output, { ...shown, rows: found.links.map(viewOf), end: { next } });
  }
  const at = linkQueryOf(query, systemClock.now(), links.domains.filterOf);
  const { links: found, total } = await links.by(COMMAND).list(at);
  const end = { ...at, total, counted: pluralize(total, "link") };
  showList(context.output, { ...shown, rows: found.map(viewOf), end });
}

type AddOptions = JsonOption &
  OnDomain &
  Secret &
  FieldOptions & { code?: string; expires?: string; tag?: string[]; force?: true };
type RenameOptions = JsonOption & OnDomain & { keepOld?: true; toDomain?: string };
type UpdateOptions = JsonOption &
  OnDomain &
  Secret &
  FieldOptions & {
    expires?: string;
    clearExpiry?: true;
    clearPassword?: true;
    tag?: string[];
    clearTags?: true;
  };

function addWriting(group: Command, context: Context): void {
  addFieldOptions(subcommand(group, "add", "create a link"))
    .argument("<target>", "http or https URL")
    .option("--code <code>", "random when absent")
    .option(...DOMAIN)
    .option("--expires <when>", "RFC 3339, or a duration such as 7d or 1d2h30m")
    .option("--password", "ask for a password to store with the link")
    .option("--password-stdin", "read the password from standard input")
    .option("--tag <tag>", "repeat it for several", collected)
    .option("--force", "overwrite a link with this code; it keeps its creation time and clicks")
    .option(...JSON_OPTION)
    .action(async (target: string, options: AddOptions) => {
      const { code, domain, expires, tag: tags, force, json } = options;
      const password = await passwordFrom(context, options);
      const given = { ...fieldInput(options), target, code, domain, password, tags, force };
      const input = validated(createSchema, { ...given, expires_at: expires }, "The link");
      const { links } = await context.services();
      const link = await links.by(COMMAND).create(input);
      const own = links.ownCode(link.target);
      if (own !== null && (await links.by(COMMAND).find(own)) !== null)
        context.output.note(`${link.target} is a short URL of this server: you can hand out that one.`);
      await show(context, link, json);
    });

  addFieldOptions(subcommand(group, "update", "change a link"), { clears: true })
    .argument("<code>")
    .argument("[target]", "http or https URL")
    .option(...DOMAIN)
    .option("--expires <when>", "RFC 3339, or a duration such as 7d or 1d2h30m")
    .option("--clear-expiry", "remove the expiry")
    .option("--password", "ask for a new password")
    .option("--password-stdin", "read the new password from standard input")
    .option("--clear-password", "remove the password")
    .option("--tag <tag>", "replaces all tags of the link; repeat it for several", collected)
    .option("--clear-tags", "remove all tags")
    .option(...JSON_OPTION)
    .action(async (code: string, target: string | undefined, options: UpdateOptions) => {
      refuseBoth(options, "expires", "clearExpiry");
      refuseBoth(options, "tag", "clearTags");
      refuseBoth(options, "password", "clearPassword");
      refuseBoth(options, "passwordStdin", "clearPassword");
      const given = await passwordFrom(context, options);
      const password = options.clearPassword ? "" : given;
      const expires = options.clearExpiry ? "" : options.expires;
      const tags = options.clearTags ? [] : options.tag;
      const input = validated(
        patchSchema,
        { target, expires_at: expires, password, tags, ...fieldInput(options) },
        "The link",
      );
      const { links } = await context.services();
      const key = links.domains.key(code, options.domain);
      await show(context, await links.by(COMMAND).patch(key, input), options.json);
    });

  subcommand(group, "rename", "give a link another code; its counts and history go along")
    .argument("<old>", "code of the link")
    .argument("<new>", "free code, or an alias of the link")
    .option(...DOMAIN)
    .option("--to-domain <host>", "move it to another domain; empty: the default one")
    .option("--keep-old", "the old code stays as an alias")
    .option(...JSON_OPTION)
    .action(async (old: string, code: string, options: RenameOptions) => {
      const input = validated(
        patchSchema,
        { code, domain: options.toDomain, keep_old: options.keepOld },
        "The link",
      );
      const { links } = await context.services();
      const key = links.domains.key(old, options.domain);
      await show(context, await links.by(COMMAND).patch(key, input), options.json);
    });

  subcommand(group, "remove <code...>", "delete links; asks before it deletes several")
    .option(...DOMAIN)
    .option("--yes", "do not ask")
    .option(...JSON_OPTION)
    .action(async (codes: string[], options: RemoveOptions) => {
      const [only] = codes;
      if (codes.length === 1 && only !== undefined) await removeOne(context, only, options);
      else await removeMany(context, [...new Set(codes)], options);
    });
}

type RemoveOptions = JsonOption & OnDomain & { yes?: true };

async function removeOne(
  { services, output }: Context,
  code: string,
  { domain, json }: RemoveOptions,
): Promise<void> {
  const { links } = await services();
  await links.by(COMMAND).remove(links.domains.key(code, domain));
  if (json) output.json({ code, removed: true });
  else output.line(`Removed ${code}.`);
}

/** Exit code 3 if some did not exist. @throws BadRequest without confirmation */
async function removeMany(
  { services, input, output }: Context,
  codes: readonly string[],
  { domain, yes, json }: RemoveOptions,
): Promise<void> {
  if (!yes && !(await input.confirm(`Delete ${pluralize(codes.length, "link")}?`))) {
    throw appError("BadRequest", "Nothing was deleted; answer y, or use --yes.");
  }
  const { links } = await services();
  const { success, failed } = await links.by(COMMAND).batch.remove(codes.map((code) => ({ code, domain })));
  if (json) {
    output.json([
      ...success.map((code) => ({ code, removed: true })),
      ...failed.map(({ code, error }) => ({ code, removed: false, error })),
    ]);
  } else {
    output.line(`Removed ${pluralize(success.length, "link")}.`);
    for (const { error } of failed) output.note(`waymark: ${error}`);
  }
  if (failed.length > 0) process.exitCode = 3;
}

/** @throws BadRequest for two options that contradict each other */
function refuseBoth(options: UpdateOptions, one: keyof UpdateOptions, other: keyof UpdateOptions): void {
  if (options[one] === undefined || options[other] === undefined) return;
  throw appError("BadRequest", `${flagOf(one)} and ${flagOf(other)} exclude each other; give one of them.`);
}

const flagOf = (option: string): string =>
  `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function show(context: Context, link: ShownLink, json: true | undefined): Promise<void> {
  const { links, origins } = await context.services();
  const view = viewOfLink(link, origins.ofServer(), links.domains.hostOf);
  if (json) return context.output.json(view);
  const row = rowOf(view);
  for (const [key, heading] of Object.entries(FIELDS)) {
    const value = row[key as keyof typeof row];
    context.output.line(`${heading.padEnd(12)}  ${value ?? "-"}`);
  }
  for (const [heading, value] of shownFields(view)) {
    context.output.line(`${heading.padEnd(12)}  ${value}`);
  }
}
