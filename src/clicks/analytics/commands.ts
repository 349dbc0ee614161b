import { Argument, type Command } from "commander";
import { z } from "zod";
import { type CommandContext, type Output, subcommand } from "../../platform/cli/command.ts";
import type { Database } from "../../platform/db/database.ts";
import { systemClock } from "../../lib/clock.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { appError } from "../../lib/errors.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { validated } from "../../lib/validated.ts";
import { visitorsOf, visitorsQuery } from "../../lib/visitors.ts";
import { COMMAND } from "../../lib/actor.ts";
import { collected } from "../../links/list/filter-options.ts";
import { limited, type ClickQuery, clickQuery, valuesOf } from "./schemas.routes.ts";
import { type DateRange, parseDate, parseRange } from "./range.ts";
import type { ReachableLinks } from "./routes.ts";
import { type ReportBy, REPORTS } from "./report.ts";
import { FILTER_VALUES } from "./cuts.ts";
import { createAnalytics } from "./service.ts";
import { viewOfDevices, viewOfLinkReport, viewOfReportRow } from "./views.ts";

type Context = CommandContext<{ database: Database; links: Pick<ReachableLinks, "domains"> }>;

type ReportContext = CommandContext<{ database: Database; links: Pick<ReachableLinks, "domains" | "by"> }>;

type ReportOptions = StatsOptions & { limit?: string } & Omit<ClickQuery, "visitors">;

export function addReportCommand(group: Command, context: ReportContext): void {
  const command = subcommand(
    group,
    "report",
    "count clicks by one thing; those of the last seconds may not be counted yet",
  )
    .addArgument(new Argument("<by>").choices(REPORTS))
    .option("--from <date>", "start, a day or an instant; with --to; default: the last 30 days")
    .option("--to <date>", "end, an instant or the day after the last one")
    .option("--limit <number>", "rows, at most 1,000; default: 200")
    .option("--visitors <whose>", "all, human or automated; default: all")
    .option("--code <code>", "of this link; repeat it for several", collected)
    .option("--tag <tag>", "of links with this tag; repeat it for links that have all of them", collected)
    .option("--domain <host>", "of the links of this host; (default): of the default domain")
    .option("--owner <owner>", "of the links of this account, or of team:<name>")
    .option("--team <team>", "of the links of this team")
    .option("--search <text>", "of links with this text");
  for (const name of FILTER_VALUES) {
    command.option(`--${name.replaceAll("_", "-")} <value>`, "clicks with this value, from the click log");
  }
  command.option("--json", "print JSON").action(async (by: ReportBy, options: Record<string, never>) => {
    const input = Object.fromEntries(
      Object.entries(options).map(([name, value]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value,
      ]),
    );
    await runReport(context, by, input);
  });
}

async function runReport(
  { services, output }: ReportContext,
  by: ReportBy,
  input: ReportOptions,
): Promise<void> {
  const range = rangeOf(input);
  const query = validated(reportCommandQuery, input, "The command");
  const { database, links } = await services();
  const analytics = createAnalytics({ database, clock: systemClock });
  const filter = {
    visitors: visitorsOf(query),
    links: await links.by(COMMAND).chosen(query),
    values: valuesOf(query),
  };
  const { rows, total, other } = await analytics.report(by, range, query.limit, filter);
  const shown = rows.map((row) => viewOfReportRow(by, row, links.domains.nameOf));
  const from = await analytics.detailsFrom(range, filter, by);
  const details_from = from === null ? undefined : formatRfc3339(from);
  if (input.json) return output.json({ data: shown, total, other, details_from });
  const clicks = pluralize(total, "click");
  output.line(
    `${clicks} from ${formatRfc3339(range.start)} to ${formatRfc3339(range.end)}, ${other.toLocaleString("en")} of them not below`,
  );
  if (details_from !== undefined)
    output.line(`Clicks before ${details_from} are missing: their details are not kept.`);
  const place = by === "link" ? { domain: "DOMAIN" } : by === "city" ? { country: "COUNTRY" } : {};
  section(output, shown, {
    value: by.toUpperCase(),
    ...place,
    clicks: "CLICKS",
    human: "HUMAN",
    automated: "AUTOMATED",
  });
}

const reportCommandQuery = limited(200, 1_000).extend(clickQuery.shape);

type StatsOptions = { domain?: string; from?: string; to?: string; visitors?: string; json?: true };

const MOST_ROWS = 10;

export function addLinkStatsCommand(group: Command, context: Context): void {
  subcommand(group, "stats <code>", "show a link's clicks; those of the last seconds may not be counted yet")
    .option("--domain <host>", "host of the link's domain")
    .option("--from <date>", "start, a day or an instant; with --to; default: the last 30 days")
    .option("--to <date>", "end, an instant or the day after the last one")
    .option("--visitors <whose>", "all, human or automated; default: all")
    .option("--json", "print JSON")
    .action(async (code: string, options: StatsOptions) => {
      const range = rangeOf(options);
      const visitors = visitorsOf(validated(z.object(visitorsQuery), options, "The command"));
      const { database, links } = await context.services();
      const key = links.domains.key(code, options.domain);
      const analytics = createAnalytics({ database, clock: systemClock });
      const report = viewOfLinkReport(await analytics.link(key, range, { visitors }), links.domains.nameOf);
      const devices = viewOfDevices(await analytics.devices(range, MOST_ROWS, { visitors, key }));
      if (options.json) context.output.json({ ...report, devices });
      else print(context.output, range, report, devices);
    });
}

/** @throws BadRequest if one of the two is missing or no date */
function rangeOf({ from, to }: StatsOptions): DateRange {
  const areDates = [from, to].every((text) => parseDate(text) !== null);
  if (!areDates && (from ?? to) !== undefined) {
    throw appError(
      "BadRequest",
      "--from and --to must be given together, each a day such as 2026-11-20 or an RFC 3339 instant.",
    );
  }
  return parseRange(from, to, systemClock.now());
}

function print(
  output: Output,
  { start, end }: DateRange,
  report: ReturnType<typeof viewOfLinkReport>,
  devices: ReturnType<typeof viewOfDevices>,
): void {
  const clicks = pluralize(report.total_clicks, "click");
  output.line(`${report.code}: ${clicks} from ${formatRfc3339(start)} to ${formatRfc3339(end)}`);
  const [human, automated] = [report.human_clicks, report.automated_clicks].map((of) =>
    of.toLocaleString("en"),
  );
  output.line(`Of all clicks, ${human} are human and ${automated} automated.`);
  const days = report.trend.labels
    .map((day, at) => ({ day, clicks: report.trend.values[at] ?? 0 }))
    .filter((row) => row.clicks > 0);
  section(output, days, { day: "DAY", clicks: "CLICKS" });
  const shares = { count: "CLICKS", percentage: "%" };
  section(output, report.top_referrers, { referrer: "REFERRER", ...shares });
  section(output, report.geo_distribution, { country: "COUNTRY", city: "CITY", ...shares });
  section(output, devices.browsers, { name: "BROWSER", ...shares });
  section(output, devices.operating_systems, { name: "SYSTEM", ...shares });
  section(output, devices.devices, { name: "DEVICE", ...shares });
}

function section(
  output: Output,
  rows: readonly Record<string, unknown>[],
  columns: Record<string, string>,
): void {
  if (rows.length === 0) return;
  output.line("");
  output.table(rows, columns);
}
