import { resolve } from "node:path";
import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { type Database, openDatabase } from "../../platform/db/database.ts";
import { parseDatabaseUrl } from "../../platform/db/database-url.ts";
import { cancelMove, moveDatabase } from "./move.ts";
import type { Env } from "../../platform/settings/env.ts";
import { systemClock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { silentLogger } from "../../lib/logger.ts";
import { pluralize } from "../../lib/pluralize.ts";
import type { SecretBox } from "../../lib/secret-box.ts";

type Context = CommandContext<{
  env: Env;
  database: Database;
  sealMove(url: string): ReturnType<SecretBox["seal"]>;
}>;

type Options = { to?: string; stdin?: boolean; copyOnly?: boolean; cancel?: boolean; json?: boolean };

export function addMoveCommand(program: Command, context: Context): void {
  program
    .command("move")
    .option("--to <url>", "sqlite:path, postgres://…, mysql://… or mariadb://…")
    .option("--stdin", "read that address from standard input")
    .option("--copy-only", "copy and compare, but do not switch yet")
    .option("--cancel", "forget an unfinished move; servers stay with the old database")
    .option("--json", "as JSON")
    .action(async (options: Options) => {
      if (options.cancel) {
        const { database } = await context.services();
        await cancelMove(database);
        return context.output.line(`The move has ended. ${database.name} stays in use.`);
      }
      const url = options.stdin ? (await context.input.text()).trim() : options.to;
      if (!url) throw appError("BadRequest", "Give the address of the new database with --to or --stdin.");
      const { kind, path } = parseDatabaseUrl(url);
      await moveTo(kind === "sqlite" ? `sqlite:${resolve(path)}` : url, options, context);
    });
}

async function moveTo(url: string, { copyOnly = false, json }: Options, context: Context): Promise<void> {
  const { output } = context;
  const { database: source, env, sealMove } = await context.services();
  const target = await openDatabase({ ...env.database, url }, { threads: false, logger: silentLogger });
  const stopping = new AbortController();
  process.once("SIGINT", () =>
    stopping.abort(appError("BadRequest", "Stopped. The same command continues the move.")),
  );
  const bars = {
    copy: output.progress("Copying"),
    compare: output.progress("Comparing"),
    follow: output.progress("Following"),
  };
  try {
    const { rows, closedMs } = await moveDatabase({
      source,
      target,
      sealedUrl: await sealMove(url),
      copyOnly,
      now: systemClock.now,
      signal: stopping.signal,
      onProgress: (step, what) => bars[step].show(() => what),
    }).finally(() => Object.values(bars).forEach((bar) => bar.finish()));
    if (json) return output.json({ from: source.name, to: target.name, rows, closed_ms: closedMs });
    output.line(`${pluralize(rows, "row")} are in both databases, with the same sums in every table.`);
    if (closedMs === null)
      return output.line(`${source.name} stays in use. Run the command without --copy-only to switch.`);
    output.line(
      `Running servers follow to ${target.name} within seconds. ${source.name} takes no more changes.`,
    );
    output.line("Set database.url to the new address before you remove the old database.");
  } finally {
    await target.close();
  }
}
