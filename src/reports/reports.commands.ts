/** `waymark reports`: pages with figures of links. */
import type { Command } from "commander";
import { z } from "zod";
import { FILTER_VALUES } from "../clicks/analytics/cuts.ts";
import { COMMAND } from "../lib/actor.ts";
import { cursorText, placeOf } from "../lib/cursor.ts";
import { given } from "../lib/given.ts";
import { isReport } from "../links/link/internal-target.ts";
import type { Link } from "../links/link/link.ts";
import type { HostOf } from "../links/link/link.ts";
import { createDefine } from "../platform/cli/define.ts";
import { passwordFrom } from "../platform/cli/input.ts";
import {
  lineResult,
  noteResult,
  pageResult,
  parseId,
  type Result,
  rowsResult,
} from "../platform/cli/results.ts";
import type { RoomContext } from "../platform/room-shape.ts";
import { validated } from "../lib/validated.ts";
import { newReport, reportChange, type ReportRecord, type ReportView, viewOfReportPage } from "./report.ts";
import type { ReportPages } from "./reports.service.ts";

type Context = RoomContext<{
  reports: ReportPages;
  links: { domains: { hostOf: HostOf } };
  origins: { ofServer(): string };
}>;

const COLUMNS = [
  "id",
  ["short_url", "SHORT URL"],
  "title",
  "days",
  "owner",
  ["expires_at", "EXPIRES"],
  "mails",
] as const;
const PAGE_SIZE = 100;

const CONTENT = [
  ["--title <text>", "heading of the page"],
  ["--days <number>", "the last days, with today; default: 30", { isNumber: true }],
  ["--from <day>", "first day, such as 2026-11-01; with --to"],
  ["--to <day>", "last day, included"],
  ["--code <code>", "code of the page; default: a random one"],
  ["--domain <host>", "host of its domain; default: the default domain"],
  ["--expires <when>", "RFC 3339, or a duration such as 7d or 1d2h30m", { field: "expires_at" }],
  ["--password", "ask for a password that visitors must enter"],
  ["--password-stdin", "read the password from standard input"],
  ["--owner <owner>", "account, or team:<name>, whose links it shows; default: admin"],
] as const;

/** The filter of the page; `--link` because `--code` is the page's own. */
const FILTER = [
  ["--link <code>", "clicks of this link; repeat it for several", { repeats: true }],
  [
    "--tag <tag>",
    "clicks of links with this tag; repeat it for links that have all of them",
    { repeats: true },
  ],
  ["--link-domain <host>", "clicks of the links of this host; (default): of the default domain"],
  ["--link-owner <owner>", "clicks of the links of this account, or of team:<name>"],
  ["--search <text>", "clicks of links with this text"],
] as const;

const VALUES = FILTER_VALUES.map(
  (name) => [`--${name.replaceAll("_", "-")} <value>`, "clicks with this value"] as const,
);

export async function addReportPageCommands(program: Command, context: Context): Promise<void> {
  const group = program.command("reports");
  const define = createDefine(group, context);

  define("list", "list report pages, newest first")
    .option("--search <text>", "in the code or title, case-insensitive")
    .option("--owner <owner>", "of this account, or of team:<name>")
    .option("--cursor <place>", "the cursor that the previous page printed")
    .result(async ({ search, owner, cursor }) => {
      const { reports, links, origins } = await context.services();
      const found = await reports.page({ search, owner }, placeOf(z.int(), cursor), PAGE_SIZE, COMMAND);
      const rows = found.reports.map((one) =>
        viewOfReportPage(one, origins.ofServer(), links.domains.hostOf),
      );
      const next = found.next === null ? null : cursorText(found.next);
      return pageResult({ name: "reports", rows, columns: COLUMNS, end: { next }, none: "No reports." });
    });

  define("get <id>", "show a report page").result(async (_, id) => {
    const { reports } = await context.services();
    return shown(context, await reports.get(idIn(id), COMMAND));
  });

  define("add", "make a report page")
    .options(CONTENT)
    .options(FILTER)
    .listed(VALUES)
    .result(async (options) => {
      const { reports } = await context.services();
      const input = validated(newReport, await bodyOf(context, options), "The report");
      return shown(context, await reports.create(input, COMMAND));
    });

  define("update <id>", "change a report page; options of the filter replace it whole")
    .options(CONTENT)
    .options(FILTER)
    .listed(VALUES)
    .option("--clear-expiry", "remove the expiry", { field: "expires_at", is: "" })
    .option("--clear-password", "remove the password")
    .option("--all-links", "show every link of the owner")
    .option("--keep-old", "the old code stays as an alias")
    .option("--target <url>", "make it a link to this URL; its mails end")
    .result(async (options, id) => {
      const { reports } = await context.services();
      const { all_links, clear_password, ...rest } = options;
      const body = {
        ...(await bodyOf(context, rest)),
        ...(all_links && { filter: {} }),
        ...(clear_password && { password: null }),
      };
      const input = validated(reportChange, body, "The change");
      const after = await reports.change(idIn(id), input, COMMAND);
      if (isReport(after.target)) return shown(context, after as ReportRecord);
      return lineResult({ id: after.id, target: after.target }, `It redirects to ${after.target} now.`);
    });

  define("delete <id...>", "end report pages and their mails, and free their codes").result(
    async (_, ids) => {
      const { reports } = await context.services();
      for (const id of ids) await reports.remove(idIn(id), COMMAND);
      return noteResult({ ended: ids.map(Number) }, "Ended.");
    },
  );

  await context.extend("reports", group);
}

const idIn = (text: string): number =>
  parseId(text, "Give the ID of a report; 'waymark reports list' has it.");

type BodyOptions = Record<string, unknown> & {
  password?: true | undefined;
  password_stdin?: true | undefined;
};

/** The fields of a request: those of the filter apart, and none if it has none. */
async function bodyOf(context: Context, options: BodyOptions): Promise<Record<string, unknown>> {
  const { link, link_domain, link_owner, tag, search, password, password_stdin, ...rest } = options;
  const values = Object.fromEntries(FILTER_VALUES.map((name) => [name, rest[name]]));
  const filter = given({ code: link, domain: link_domain, owner: link_owner, tag, search, ...values });
  const others = Object.entries(rest).filter(([name]) => !FILTER_VALUES.includes(name as never));
  return given({
    ...Object.fromEntries(others),
    ...(Object.keys(filter).length > 0 && { filter }),
    password: await passwordFrom(context, { password, password_stdin }),
  });
}

async function shown(context: Context, report: ReportRecord | (Link & never)): Promise<Result> {
  const { links, origins } = await context.services();
  const view: ReportView = viewOfReportPage(report, origins.ofServer(), links.domains.hostOf);
  return {
    json: view,
    show(output) {
      rowsResult([view], COLUMNS).show(output);
      if (view.paused)
        output.note(
          "Visitors find nothing: its owner has changed, or what its filter names is gone. Set its filter again.",
        );
    },
  };
}
