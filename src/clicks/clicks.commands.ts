/** Works with servers running or not. */
import type { Command } from "commander";
import { type CommandContext, subcommand } from "../platform/cli/command.ts";
import type { Database } from "../platform/db/database.ts";
import { createLeases } from "../platform/cluster/leases.ts";
import { systemClock } from "../lib/clock.ts";
import { pluralize } from "../lib/pluralize.ts";
import { appError } from "../lib/errors.ts";
import { parseRfc3339 } from "../lib/rfc3339.ts";
import { addReportCommand } from "./analytics/commands.ts";
import type { ReachableLinks } from "./analytics/routes.ts";
import { createAgents } from "../lib/agents.ts";
import { createMaintenance } from "./rollups/retention.ts";
import { createRebuild, type RebuildReport } from "./rollups/rebuild.ts";
import { BUCKETS } from "./rollups/time-buckets.ts";

type Context = CommandContext<{
  database: Database;
  links: Pick<ReachableLinks, "domains" | "by">;
  config: { get(key: "analytics.hourly_retention_days"): number };
}>;

type RebuildOptions = { from?: string; to?: string; json?: true };

export function addClickCommands(program: Command, context: Context): void {
  const group = program.command("analytics");
  subcommand(
    group,
    "rebuild",
    "recompute the statistics from the click log; counts are raised where it has more, never lowered",
  )
    .option("--from <date>", "first day (UTC), such as 2026-11-20; default: the oldest day of the click log")
    .option("--to <date>", "last day, included; default: the newest day of the click log")
    .option("--json", "print JSON")
    .action((options: RebuildOptions) => runRebuild(context, options));
  addReportCommand(group, context);
}

async function runRebuild({ services, output }: Context, options: RebuildOptions): Promise<void> {
  const days = { from: dayOf("--from", options.from), to: dayOf("--to", options.to) };
  if (days.from !== null && days.to !== null && days.from > days.to) {
    throw appError("BadRequest", "--from is a later day than --to.");
  }
  const { database, config } = await services();
  const rebuild = createRebuild({
    database,
    maintenance: createMaintenance(createLeases({ database })),
    clock: systemClock,
    describeAgent: createAgents().describe,
    hourlyRetentionDays: () => config.get("analytics.hourly_retention_days"),
  });
  const progress = output.progress("Days");
  try {
    const report = await rebuild.run(days, progress.update);
    progress.finish();
    if (options.json) output.json(report);
    else tell(output, report);
  } finally {
    progress.finish();
  }
}

function tell(output: CommandContext["output"], report: RebuildReport): void {
  const { days, clicks, raised, rewritten, kept } = report;
  output.line(`${pluralize(days, "day")} rebuilt from ${pluralize(clicks, "click")}.`);
  output.line(`${pluralize(raised, "count was", "counts were")} too low and raised.`);
  output.line(
    `Referrers, places and devices of a day: ${rewritten.toLocaleString("en")} rewritten, ` +
      `${kept.toLocaleString("en")} unchanged because the click log lacks some of their clicks.`,
  );
}

function dayOf(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseRfc3339(`${text}T00:00:00Z`) : null;
  if (instant !== null && instant >= 0) return BUCKETS.day.of(instant);
  throw appError("BadRequest", `${option} must be a day such as 2026-11-20.`);
}
