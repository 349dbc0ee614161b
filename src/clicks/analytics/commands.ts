import type { Command } from "commander";
import { z } from "zod";
import type { CommandContext, Output } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { type Columns, type Result, rowsResult } from "../../platform/cli/results.ts";
import type { Database } from "../../platform/db/database.ts";
import { systemClock } from "../../lib/clock.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { appError } from "../../lib/errors.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { validated } from "../../lib/validated.ts";
import { VISITORS, type Visitors, visitorsOf, visitorsQuery } from "../../lib/visitors.ts";
import { COMMAND } from "../../lib/actor.ts";
import { clickQuery, compareQuery, limited, valuesOf, zoneNote } from "./schemas.routes.ts";
import { type Calendar, UTC } from "../rollups/calendar.ts";
import { type Comparison, COMPARISONS, type DateRange, parseDate, parseRange } from "./range.ts";
import type { ReachableLinks } from "./routes.ts";
import { isDetail, type ReportBy, REPORTS } from "./report.ts";
import { type ClickFilter, FILTER_VALUES } from "./cuts.ts";
import { type Analytics, createAnalytics } from "./service.ts";
import { viewOfDevices, viewOfLinkReport, viewOfReportRow } from "./views.ts";

type Context = CommandContext<{ database: Database; links: Pick<ReachableLinks, "domains"> }>;
type ReportContext = CommandContext<{ database: Database; links: Pick<ReachableLinks, "domains" | "by"> }>;

const RANGE_OPTIONS = [
  ["--from <date>", "start, a day or an instant; with --to; default: the last 30 days"],
  ["--to <date>", "end, an instant or the day after the last one"],
] as const;
const VISITORS_OPTION = [
  "--visitors <whose>",
  "all, human or automated; default: all",
  { values: VISITORS },
] as const;

const COMPARE_OPTION = [
  "--compare <with>",
  "previous (as many whole weeks back) or year (52 weeks back)",
  { values: COMPARISONS },
] as const;

const reportCommandQuery = limited(200, 1_000).extend(clickQuery.shape).extend(compareQuery);
const statsCommandQuery = z.object({ ...visitorsQuery, ...compareQuery });

export function addReportCommand(group: Command, context: ReportContext): void {
  const define = createDefine(group, context);
  define("report", "count clicks by one thing; those of the last seconds may not be counted yet")
    .argument("<by>", "", { choices: REPORTS })
    .options(RANGE_OPTIONS)
    .option("--limit <number>", "rows, at most 1,000; default: 200")
    .option(...VISITORS_OPTION)
    .option(...COMPARE_OPTION)
    .option("--code <code>", "of this link; repeat it for several", { repeats: true })
    .option("--tag <tag>", "of links with this tag; repeat it for links that have all of them", {
      repeats: true,
    })
    .option("--domain <host>", "of the links of this host; (default): of the default domain")
    .option("--owner <owner>", "of the links of this account, or of team:<name>")
    .option("--team <team>", "of the links of this team")
    .option("--search <text>", "of links with this text")
    .listed(
      FILTER_VALUES.map((name) => [
        `--${name.replaceAll("_", "-")} <value>`,
        "clicks with this value, from the click log",
      ]),
    )
    .result((options, by) => runReport(context, by as ReportBy, options));
}

async function runReport({ services }: ReportContext, by: ReportBy, options: Range): Promise<Result> {
  const query = validated(reportCommandQuery, options, "The command");
  const { database, links } = await services();
  const analytics = createAnalytics({ database, clock: systemClock });
  const calendar = await analytics.calendar();
  const range = parseRangeOptions(options, calendar);
  const filter = {
    visitors: visitorsOf(query),
    links: await links.by(COMMAND).chosen(query),
    values: valuesOf(query),
  };
  const { rows, total, other, none } = await analytics.report(by, range, query.limit, filter);
  const data = rows.map((row) => viewOfReportRow(by, row, links.domains.nameOf));
  const from = await analytics.detailsFrom(range, filter, { by, isSummed: !isDetail(by), useMonths: true });
  const details_from = from === null ? undefined : formatRfc3339(from);
  const place = by === "link" ? ["title", "domain"] : by === "city" ? ["country"] : [];
  const compared = await comparedWith(analytics, query.compare, range, filter);
  return {
    json: {
      data,
      total,
      other,
      none,
      details_from,
      ...jsonOfCompared(compared),
      ...zoneNote(calendar, range),
    },
    show(output) {
      output.line(
        `${countText(total, filter.visitors)} ${rangeText(range, calendar)}, ${other.toLocaleString("en")} of them not below`,
      );
      showCompared(output, compared, calendar, filter.visitors);
      if (details_from !== undefined)
        output.line(`Clicks before ${details_from} are missing: their details are not kept.`);
      showZone(output, range, calendar);
      const unique = data.some((row) => "visitors" in row) ? ["visitors" as const] : [];
      const counted = data.map((row) => ({ ...row, all: row.human + row.automated }));
      showSection(output, counted, [
        ["value", by.toUpperCase()],
        ...place,
        ["human", "HUMAN CLICKS"],
        ["automated", "BOT CLICKS"],
        ["all", "ALL CLICKS"],
        ...unique,
      ]);
    },
  };
}

const countText = (count: number, visitors: Visitors): string =>
  visitors === "all"
    ? `${pluralize(count, "click")} in all`
    : pluralize(count, visitors === "human" ? "human click" : "bot click");

/** The clicks of the range before. Null if none is asked for. */
async function comparedWith(
  analytics: Analytics,
  comparison: Comparison | "" | undefined,
  range: DateRange,
  filter: ClickFilter,
): Promise<{ range: DateRange; clicks: number } | null> {
  if (!comparison) return null;
  const found = await analytics.compared(range, "day", comparison, filter);
  return { range: found.range, clicks: found.values.reduce((sum, clicks) => sum + clicks, 0) };
}

type Compared = Awaited<ReturnType<typeof comparedWith>>;

const jsonOfCompared = (compared: Compared) =>
  compared !== null && {
    compared: {
      clicks: compared.clicks,
      start_date: formatRfc3339(compared.range.start),
      end_date: formatRfc3339(compared.range.end),
    },
  };

function showCompared(output: Output, compared: Compared, calendar: Calendar, visitors: Visitors): void {
  if (compared !== null)
    output.line(`Before: ${countText(compared.clicks, visitors)} ${rangeText(compared.range, calendar)}`);
}

const MOST_ROWS = 10;

export function addLinkStatsCommand(group: Command, context: Context): void {
  const define = createDefine(group, context);
  define("stats <code>", "show a link's clicks; those of the last seconds may not be counted yet")
    .option("--domain <host>", "host of the link's domain")
    .options(RANGE_OPTIONS)
    .option(...VISITORS_OPTION)
    .option(...COMPARE_OPTION)
    .result(async (options, code) => {
      const query = validated(statsCommandQuery, options, "The command");
      const visitors = visitorsOf(query);
      const { database, links } = await context.services();
      const key = links.domains.key(code, options.domain);
      const analytics = createAnalytics({ database, clock: systemClock });
      const calendar = await analytics.calendar();
      const range = parseRangeOptions(options, calendar);
      const report = viewOfLinkReport(await analytics.link(key, range, { visitors }), links.domains.nameOf);
      const devices = viewOfDevices(await analytics.devices(range, MOST_ROWS, { visitors, key }));
      const compared = await comparedWith(analytics, query.compare, range, { visitors, key });
      return {
        json: { ...report, devices, ...jsonOfCompared(compared), ...zoneNote(calendar, range) },
        show(output) {
          showLinkReport(output, { range, calendar, visitors }, report, devices, compared);
        },
      };
    });
}

type Range = { from: string | undefined; to: string | undefined };

/** @throws BadRequest if one of the two is missing or no date */
function parseRangeOptions({ from, to }: Range, calendar: Calendar): DateRange {
  const areDates = [from, to].every((text) => parseDate(text, calendar) !== null);
  if (!areDates && (from ?? to) !== undefined) {
    throw appError(
      "BadRequest",
      "--from and --to must be given together, each a day such as 2026-11-20 or an RFC 3339 instant.",
    );
  }
  return parseRange(from, to, systemClock.now(), calendar);
}

const rangeText = ({ start, end }: DateRange, { zone }: Calendar): string => {
  if (zone === UTC.zone) return `from ${formatRfc3339(start)} to ${formatRfc3339(end)}`;
  const [from, to] = [start, end].map((at) =>
    Temporal.Instant.fromEpochMilliseconds(at)
      .toZonedDateTimeISO(zone)
      .toString({ timeZoneName: "never", fractionalSecondDigits: 0 }),
  );
  return `from ${from} to ${to} (${zone})`;
};

function showZone(output: Output, { start }: DateRange, { zone, since }: Calendar): void {
  if (since === null || start >= since) return;
  output.line(`Days before ${formatRfc3339(since)} are those of another time zone than ${zone}.`);
}

function showLinkReport(
  output: Output,
  { range, calendar, visitors }: { range: DateRange; calendar: Calendar; visitors: Visitors },
  report: ReturnType<typeof viewOfLinkReport>,
  devices: ReturnType<typeof viewOfDevices>,
  compared: Compared,
): void {
  const [human, bots] = [
    countText(report.human_clicks, "human"),
    countText(report.automated_clicks, "automated"),
  ];
  output.line(`${report.code}: ${human} and ${bots} ${rangeText(range, calendar)}`);
  showCompared(output, compared, calendar, visitors);
  showZone(output, range, calendar);
  const heading = { all: "ALL CLICKS", human: "HUMAN CLICKS", automated: "BOT CLICKS" }[visitors];
  const unique = report.trend.visitors;
  if ("visitors" in report)
    output.line(
      `${pluralize(report.visitors ?? 0, "visit by day", "visits by day")}: each visitor counts once a day.`,
    );
  const days = report.trend.labels
    .map((day, at) => ({
      day,
      clicks: report.trend.values[at] ?? 0,
      ...(unique && { visitors: unique[at] ?? "" }),
    }))
    .filter((row) => row.clicks > 0);
  const shares = [
    ["count", heading],
    ["percentage", "%"],
  ] as const;
  showSection(output, days, ["day", ["clicks", heading], ...(unique ? ["visitors" as const] : [])]);
  showSection(output, report.top_referrers, ["referrer", ...shares]);
  showSection(output, report.geo_distribution, ["country", "city", ...shares]);
  showSection(output, devices.browsers, [["name", "BROWSER"], ...shares]);
  showSection(output, devices.operating_systems, [["name", "SYSTEM"], ...shares]);
  showSection(output, devices.devices, [["name", "DEVICE"], ...shares]);
}

function showSection(output: Output, rows: readonly Record<string, unknown>[], columns: Columns): void {
  if (rows.length === 0) return;
  output.line("");
  rowsResult(rows, columns).show(output);
}
