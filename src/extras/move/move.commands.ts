import { resolve } from "node:path";
import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { lineResult, type Result } from "../../platform/cli/results.ts";
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

export function addMoveCommand(program: Command, context: Context): void {
  const define = createDefine(program, context);
  define("move")
    .option("--to <url>", "sqlite:path, postgres://…, mysql://… or mariadb://…")
    .option("--stdin", "read that address from standard input")
    .option("--copy-only", "copy and compare, but do not switch yet")
    .option("--cancel", "forget an unfinished move; servers stay with the old database")
    .json("as JSON")
    .result(async ({ to, stdin, copy_only: copyOnly = false, cancel }) => {
      if (cancel) {
        const { database } = await context.services();
        await cancelMove(database);
        return lineResult({ cancelled: true }, `The move has ended. ${database.name} stays in use.`);
      }
      const url = stdin ? (await context.input.text()).trim() : to;
      if (!url) throw appError("BadRequest", "Give the address of the new database with --to or --stdin.");
      const { kind, path } = parseDatabaseUrl(url);
      return moveTo(kind === "sqlite" ? `sqlite:${resolve(path)}` : url, copyOnly, context);
    });
}

async function moveTo(url: string, copyOnly: boolean, context: Context): Promise<Result> {
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
    return {
      json: { from: source.name, to: target.name, rows, closed_ms: closedMs },
      show({ line }) {
        line(`${pluralize(rows, "row")} are in both databases, with the same sums in every table.`);
        if (closedMs === null)
          return line(`${source.name} stays in use. Run the command without --copy-only to switch.`);
        line(
          `Running servers follow to ${target.name} within seconds. ${source.name} takes no more changes.`,
        );
        line("Set database.url to the new address before you remove the old database.");
      },
    };
  } finally {
    await target.close();
  }
}
