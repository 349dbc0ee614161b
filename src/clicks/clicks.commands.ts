/** Works with servers running or not. */
import type { Command } from "commander";
import type { CommandContext } from "../platform/cli/command.ts";
import { createDefine } from "../platform/cli/define.ts";
import type { Result } from "../platform/cli/results.ts";
import type { Database } from "../platform/db/database.ts";
import { createLeases } from "../platform/cluster/leases.ts";
import { systemClock } from "../lib/clock.ts";
import { pluralize } from "../lib/pluralize.ts";
import { appError } from "../lib/errors.ts";
import { parseRfc3339 } from "../lib/rfc3339.ts";
import { addReportCommand } from "./analytics/commands.ts";
import { addMissingCommand } from "./missing/commands.ts";
import type { ReachableLinks } from "./analytics/routes.ts";
import { createAgents } from "../lib/agents.ts";
import { createMaintenance } from "./rollups/retention.ts";
import { createRebuild } from "./rollups/rebuild.ts";
import { UTC } from "./rollups/calendar.ts";

type Context = CommandContext<{
  database: Database;
  links: Pick<ReachableLinks, "domains" | "by">;
  config: { get(key: "analytics.hourly_retention_days"): number };
}>;

export function addClickCommands(program: Command, context: Context): void {
  const group = program.command("analytics");
  const define = createDefine(group, context);
  define(
    "rebuild",
    "recompute the statistics from the click log; counts are raised where it has more, never lowered",
  )
    .option("--from <date>", "first day, such as 2026-11-20; default: the oldest day of the click log")
    .option("--to <date>", "last day, included; default: the newest day of the click log")
    .result((options) => rebuildStatistics(context, options));
  addReportCommand(group, context);
  addMissingCommand(group, context);
}

type Range = { from: string | undefined; to: string | undefined };

async function rebuildStatistics({ services, output }: Context, { from, to }: Range): Promise<Result> {
  const days = { from: parseDay("--from", from), to: parseDay("--to", to) };
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
  const report = await rebuild.run(days, progress.update).finally(progress.finish);
  const { days: rebuilt, clicks, raised, rewritten, kept } = report;
  return {
    json: report,
    show({ line }) {
      line(`${pluralize(rebuilt, "day")} rebuilt from ${pluralize(clicks, "click")}.`);
      line(`${pluralize(raised, "count was", "counts were")} too low and raised.`);
      line(
        `Referrers, places and devices of a day: ${rewritten.toLocaleString("en")} rewritten, ` +
          `${kept.toLocaleString("en")} unchanged because the click log lacks some of their clicks.`,
      );
    },
  };
}

/** @throws BadRequest */
function parseDay(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseRfc3339(`${text}T00:00:00Z`) : null;
  if (instant !== null && instant >= 0) return UTC.day.of(instant);
  throw appError("BadRequest", `${option} must be a day such as 2026-11-20.`);
}
