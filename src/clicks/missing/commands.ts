import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { rowsResult } from "../../platform/cli/results.ts";
import type { Database } from "../../platform/db/database.ts";
import { systemClock } from "../../lib/clock.ts";
import { validated } from "../../lib/validated.ts";
import { visitorsOf } from "../../lib/visitors.ts";
import type { LinkName } from "../../links/domains/registry.ts";
import { limited } from "../analytics/schemas.routes.ts";
import { createAnalytics } from "../analytics/service.ts";
import { createMissingReport } from "./report.ts";

type Context = CommandContext<{
  database: Database;
  links: { domains: { nameOf(key: string): LinkName } };
}>;

export function addMissingCommand(group: Command, context: Context): void {
  createDefine(group, context)("missing", "list codes that were requested but have no link")
    .option("--from <date>", "first day; with --to; default: the last 30 days")
    .option("--to <date>", "the day after the last one")
    .option("--limit <number>", "rows, at most 1,000; default: 100")
    .result(async ({ from, to, ...options }) => {
      const query = validated(limited(100, 1_000), options, "The command");
      const { database, links } = await context.services();
      const range = await createAnalytics({ database, clock: systemClock }).range(from, to);
      const report = createMissingReport(database, links.domains.nameOf);
      const { codes, further } = await report(range, visitorsOf(query), query.limit);
      const rows = rowsResult(codes, ["code", "domain", "human", "automated", ["seen_at", "LAST"]]);
      return {
        json: { data: codes, further },
        show(output) {
          rows.show(output);
          const more = further.human + further.automated;
          if (more > 0)
            output.line(`${more.toLocaleString("en")} requests of codes beyond the first 1,000 of a day.`);
        },
      };
    });
}
