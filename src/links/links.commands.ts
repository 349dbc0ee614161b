/** Works with the server running or not. */
import { extname } from "node:path";
import type { Command } from "commander";
import type { CommandContext } from "../platform/cli/command.ts";
import { createDefine, type OptionsOf } from "../platform/cli/define.ts";
import { passwordFrom } from "../platform/cli/input.ts";
import { headingsOf, lineResult, pageResult, type Result, rowsResult } from "../platform/cli/results.ts";
import { writeResult } from "../platform/cli/result-file.ts";
import type { Leases } from "../platform/cluster/leases.ts";
import {
  addBulkChangeCommands,
  changeFound,
  FILTERING,
  FOUND_CHANGES,
  setOf,
} from "./bulk-changes/commands.ts";
import type { LinkCsv } from "./csv/service.ts";
import type { LinkService } from "./links.service.ts";
import { systemClock } from "../lib/clock.ts";
import { pluralize } from "../lib/pluralize.ts";
import { appError } from "../lib/errors.ts";
import { isLocalHost } from "../lib/secure-cookies.ts";
import { validated } from "../lib/validated.ts";
import { COMMAND } from "../lib/actor.ts";
import { addCsvCommands } from "./csv/commands.ts";
import { fieldInput, fieldOptions, shownFields } from "./link/field-options.ts";
import { createSchema, type LinkView, patchSchema, type ShownLink, viewOfLink } from "./link/link.ts";
import { FILTER_OPTIONS } from "./list/filter-options.ts";
import { linkCursor, linkQueryOf, listQuery, ORDER_WAYS, placedQueryOf, SORT_KEYS } from "./list/query.ts";
import { domainOf } from "./link/key.ts";
import {
  FORMATS,
  inCapitals,
  LEVELS,
  type QrFormat,
  qrForTerminal,
  qrLookOf,
  qrPicture,
  qrQuery,
} from "./qr/picture.ts";

type Context = CommandContext<{
  links: LinkService;
  csv: LinkCsv;
  origins: { ofServer(): string };
  leases: Pick<Leases, "hold">;
}>;

const COLUMNS = [
  "code",
  ["short_url", "SHORT URL"],
  "target",
  "created_at",
  "expires_at",
  "password",
  ["human_clicks", "HUMAN CLICKS"],
  ["click_count", "ALL CLICKS"],
  "tags",
] as const;

const rowOf = (view: LinkView) => ({ ...view, tags: view.tags.join(", ") || null });

const DOMAIN = ["--domain <host>", "host of the link's domain; default: the default domain"] as const;
const EXPIRES = ["--expires <when>", "RFC 3339, or a duration such as 7d or 1d2h30m"] as const;

/** Returns the group for further commands. */
export function addLinkCommands(program: Command, context: Context): Command {
  const group = program.command("links");
  addReading(group, context);
  addWriting(group, context);
  addCsvCommands(group, context);
  addBulkChangeCommands(group, context);
  addTagCommands(program, context);
  addQrCommand(group, context);
  return group;
}

const LIST_OPTIONS = [
  ...FILTER_OPTIONS,
  ["--sort <key>", "created_at, code, human_clicks, click_count or expires_at", { values: SORT_KEYS }],
  ["--order <way>", "asc or desc", { values: ORDER_WAYS }],
  ["--page <number>", "from 1"],
  ["--page-size <number>", "1 to 100"],
  [
    "--cursor [place]",
    "instead of --page: the cursor that the previous page printed; empty for the first page",
  ],
] as const;

function addReading(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("get <code>", "show a link")
    .option(...DOMAIN)
    .result(async ({ domain }, code) => {
      const { links } = await context.services();
      return linkResult(context, await links.by(COMMAND).get(links.domains.key(code, domain)));
    });

  define("list", "list links, newest first")
    .options(LIST_OPTIONS)
    .result((options) => listLinks(context, options));
}

async function listLinks({ services }: Context, options: OptionsOf<typeof LIST_OPTIONS>): Promise<Result> {
  const cursor = options.cursor === true ? "" : options.cursor;
  const { links, origins } = await services();
  const query = await links.owners.resolved(validated(listQuery, { ...options, cursor }, "The list"));
  const viewOf = (link: ShownLink) => viewOfLink(link, origins.ofServer(), links.domains.hostOf);
  const columns = options.domain === undefined ? COLUMNS : [...COLUMNS, "domain"];
  const shown = { name: "links", columns, cells: rowOf };
  const placed = placedQueryOf(query, systemClock.now(), links.domains.filterOf);
  if (placed !== null) {
    const found = await links.by(COMMAND).after(placed);
    const next = found.next && linkCursor(placed.order, found.next);
    return pageResult({ ...shown, rows: found.links.map(viewOf), end: { next } });
  }
  const at = linkQueryOf(query, systemClock.now(), links.domains.filterOf);
  const { links: found, total } = await links.by(COMMAND).list(at);
  const end = { ...at, total, counted: pluralize(total, "link") };
  return pageResult({ ...shown, rows: found.map(viewOf), end });
}

function addWriting(group: Command, context: Context): void {
  const define = createDefine(group, context);

  define("add", "create a link")
    .listed(fieldOptions())
    .argument("<target>", "http or https URL")
    .option("--code <code>", "random when absent")
    .option(...DOMAIN)
    .option(...EXPIRES)
    .option("--password", "ask for a password to store with the link")
    .option("--password-stdin", "read the password from standard input")
    .option("--tag <tag>", "repeat it for several", { repeats: true })
    .option("--force", "overwrite a link with this code; it keeps its creation time and clicks")
    .option(
      "--reuse",
      "show a link with this target and nothing else set, if there is one, instead of a new one",
    )
    .result(async (options, target) => {
      const { code, domain, expires: expires_at, tag: tags, force, reuse } = options;
      const password = await passwordFrom(context, options);
      const own = { target, code, domain, password, tags, force, reuse, expires_at };
      const given = { ...fieldInput(options), ...own };
      const input = validated(createSchema, given, "The link");
      const { links } = await context.services();
      const link = await links.by(COMMAND).create(input);
      const ownCode = links.ownCode(link.target);
      if (ownCode !== null && (await links.by(COMMAND).find(ownCode)) !== null)
        context.output.note(`${link.target} is a short URL of this server: you can hand out that one.`);
      return linkResult(context, link);
    });

  define("update [code]", "change a link, or all that a filter finds")
    .listed(fieldOptions({ clears: true }))
    .argument("[target]", "http or https URL")
    .option(...DOMAIN)
    .option(...EXPIRES)
    .option("--clear-expiry", "remove the expiry")
    .option("--password", "ask for a new password")
    .option("--password-stdin", "read the new password from standard input")
    .option("--clear-password", "remove the password")
    .option("--tag <tag>", "replaces all tags of the link; repeat it for several", { repeats: true })
    .option("--clear-tags", "remove all tags")
    .options(FILTERING)
    .options(FOUND_CHANGES)
    .result(async (options, code, target) => {
      refuseBoth(options, "expires", "clear_expiry");
      refuseBoth(options, "tag", "clear_tags");
      refuseBoth(options, "password", "clear_password");
      refuseBoth(options, "password_stdin", "clear_password");
      const given = await passwordFrom(context, options);
      const password = options.clear_password ? "" : given;
      const expires_at = options.clear_expiry ? "" : options.expires;
      const tags = options.clear_tags ? [] : options.tag;
      const fields = { target, expires_at, password, tags, ...fieldInput(options) };
      const { filter } = options;
      if (filter === undefined) {
        if (code === undefined) throw appError("BadRequest", "Name the code of a link, or give --filter.");
        return patchLink(context, { code, domain: options.domain }, fields);
      }
      if (target !== undefined || options.domain !== undefined) {
        throw appError("BadRequest", "--filter takes no code; name a domain by --filter domain=HOST.");
      }
      return changeFound(context, { ...options, filter }, setOf({ ...fields, target: code }, options));
    });

  define("rename", "give a link another code; its counts and history go along")
    .argument("<old>", "code of the link")
    .argument("<new>", "free code, or an alias of the link")
    .option(...DOMAIN)
    .option("--to-domain <host>", "move it to another domain; empty: the default one")
    .option("--keep-old", "the old code stays as an alias")
    .result(({ domain, to_domain, keep_old }, old, code) =>
      patchLink(context, { code: old, domain }, { code, domain: to_domain, keep_old }),
    );

  define("remove [code...]", "delete links, or all that a filter finds; asks before it deletes several")
    .option(...DOMAIN)
    .options(FILTERING)
    .result((options, codes) => {
      const { filter } = options;
      if ((filter === undefined) === (codes.length === 0)) {
        throw appError("BadRequest", "Name codes of links, or give --filter.");
      }
      if (filter !== undefined) return changeFound(context, { ...options, filter }, null);
      const [only] = codes;
      if (codes.length === 1 && only !== undefined) return removeOne(context, only, options);
      return removeMany(context, [...new Set(codes)], options);
    });
}

async function patchLink(
  context: Context,
  { code, domain }: { code: string; domain: string | undefined },
  fields: Record<string, unknown>,
): Promise<Result> {
  const input = validated(patchSchema, fields, "The link");
  const { links } = await context.services();
  const key = links.domains.key(code, domain);
  return linkResult(context, await links.by(COMMAND).patch(key, input));
}

type RemoveOptions = { domain: string | undefined; yes: true | undefined };

async function removeOne({ services }: Context, code: string, { domain }: RemoveOptions): Promise<Result> {
  const { links } = await services();
  await links.by(COMMAND).remove(links.domains.key(code, domain));
  return lineResult({ code, removed: true }, `Removed ${code}.`);
}

/** Exit code 3 if some did not exist. @throws BadRequest without confirmation */
async function removeMany(
  { services, input }: Context,
  codes: readonly string[],
  { domain, yes }: RemoveOptions,
): Promise<Result> {
  if (!yes && !(await input.confirm(`Delete ${pluralize(codes.length, "link")}?`))) {
    throw appError("BadRequest", "Nothing was deleted; answer y, or use --yes.");
  }
  const { links } = await services();
  const { success, failed } = await links.by(COMMAND).batch.remove(codes.map((code) => ({ code, domain })));
  if (failed.length > 0) process.exitCode = 3;
  return {
    json: [
      ...success.map((code) => ({ code, removed: true })),
      ...failed.map(({ code, error }) => ({ code, removed: false, error })),
    ],
    show(output) {
      output.line(`Removed ${pluralize(success.length, "link")}.`);
      for (const { error } of failed) output.note(`waymark: ${error}`);
    },
  };
}

/** @throws BadRequest for two options that contradict each other */
function refuseBoth<T extends object>(options: T, one: keyof T & string, other: keyof T & string): void {
  if (options[one] === undefined || options[other] === undefined) return;
  const [first, second] = [one, other].map((name) => `--${name.replaceAll("_", "-")}`);
  throw appError("BadRequest", `${first} and ${second} exclude each other; give one of them.`);
}

async function linkResult({ services }: Context, link: ShownLink): Promise<Result> {
  const { links, origins } = await services();
  const view = viewOfLink(link, origins.ofServer(), links.domains.hostOf);
  const row: Record<string, unknown> = rowOf(view);
  const columns = headingsOf([...COLUMNS, "domain", "owner"]);
  const facts = Object.entries(columns).map(([key, heading]) => [heading, row[key] ?? "-"]);
  return {
    json: view,
    show(output) {
      for (const [heading, value] of [...facts, ...shownFields(view)]) {
        output.line(`${String(heading).padEnd(12)}  ${value}`);
      }
    },
  };
}

function addTagCommands(program: Command, context: Context): void {
  const define = createDefine(program.command("tags"), context);
  const tags = async () => (await context.services()).links.by(COMMAND).tags;

  define("list", "list tags with the number of their links, most used first").result(async () => {
    const found = await (await tags()).list();
    const list = rowsResult(found, ["tag", "links"]);
    return {
      json: found,
      show(output) {
        if (found.length > 0) list.show(output);
        output.note(pluralize(found.length, "tag"));
      },
    };
  });

  define("rename <tag> <name>", "rename a tag; onto another tag it merges them").result(
    async (_, tag, name) => {
      const { change: _change, ...renamed } = await (await tags()).rename(tag, name);
      return lineResult(renamed, `${pluralize(renamed.links, "link")} with the tag ${renamed.tag}.`);
    },
  );

  define("remove <tag>", "remove a tag from all links; asks before it does")
    .option("--yes", "do not ask")
    .result(async ({ yes }, tag) => {
      if (!yes && !(await context.input.confirm(`Remove the tag ${tag} from all links?`))) {
        throw appError("BadRequest", "Nothing was changed; answer y, or use --yes.");
      }
      const { change: _change, ...removed } = await (await tags()).remove(tag);
      return lineResult(removed, `Removed ${removed.tag} from ${pluralize(removed.links, "link")}.`);
    });
}

const QR_OPTIONS = [
  DOMAIN,
  ["--format <format>", "svg, png or pdf; default: by the name of the file, else svg", { values: FORMATS }],
  ["--size <pixels>", "width and height of the picture, 64 to 2048"],
  ["--mm <millimetres>", "width and height of a PDF, 5 to 2000; default: 30"],
  ["--margin <modules>", "quiet zone on each side, 0 to 32; scanners expect 4"],
  ["--dark <colour>", "3 or 6 hex digits"],
  ["--light <colour>", "3 or 6 hex digits"],
  ["--ecc <level>", "error correction: L, M, Q or H", { values: LEVELS }],
  ["--caps", "the address in capitals: a coarser code, on a domain that ignores case"],
  ["--output <file>", "the file to write; - for standard output"],
] as const;

function addQrCommand(group: Command, context: Context): void {
  const define = createDefine(group, context);
  define("qr <code>", "show the short URL of a link as a QR code, or write it as a picture")
    .options(QR_OPTIONS)
    .action((options, code) => writeQr(context, code, options));
}

/** The format by the ending of the file's name. @throws BadRequest for one of another format */
function formatOf(path = ""): QrFormat | undefined {
  const ending = extname(path).slice(1).toLowerCase();
  if (ending === "") return undefined;
  const format = FORMATS.find((one) => one === ending);
  if (format !== undefined) return format;
  throw appError(
    "BadRequest",
    `A QR code can't be written as .${ending}. End the file's name with .svg, .png or .pdf, or add --format.`,
  );
}

/** Shows it on a terminal unless a file or format is named. */
async function writeQr(
  { output, services }: Context,
  code: string,
  options: OptionsOf<typeof QR_OPTIONS>,
): Promise<void> {
  const { domain, output: path, caps, ...given } = options;
  const format = given.format ?? formatOf(path);
  const look = qrLookOf(validated(qrQuery, { ...given, format }, "The QR code"));
  const toTerminal = output.isTerminal && (path === undefined || path === "-");
  if (toTerminal && look.format !== "svg") {
    const name = look.format.toUpperCase();
    throw appError("BadRequest", `A terminal can't show a ${name}; name a file with --output.`);
  }
  const { links, origins } = await services();
  const link = await links.by(COMMAND).get(links.domains.key(code, domain));
  const { short_url: shortUrl } = viewOfLink(link, origins.ofServer(), links.domains.hostOf);
  const url = caps ? inCapitals(shortUrl, links.domains.ignoresCaseOf(domainOf(link.code))) : shortUrl;
  const { hostname } = new URL(shortUrl);
  if (isLocalHost(hostname))
    output.note(
      `The code leads to ${hostname}, which only this machine reaches. Set features.public_url before you print it.`,
    );
  if (toTerminal && given.format === undefined) return output.line(qrForTerminal(url, look));
  const picture = qrPicture(url, look);
  await writeResult(
    path,
    (async function* () {
      yield picture;
    })(),
  );
}
