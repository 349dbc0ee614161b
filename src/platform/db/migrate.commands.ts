import type { Command } from "commander";
import type { CommandContext } from "../cli/command.ts";
import { createDefine } from "../cli/define.ts";
import { rowsResult } from "../cli/results.ts";
import { silentLogger } from "../../lib/logger.ts";
import type { Database } from "./database.ts";
import { migrateUp, migrationStatus } from "./migrate.ts";

/** `database` opens the one in use as it is, also if its schema is not up to date. The caller closes it. */
type Context = CommandContext & { database(): Promise<Database> };

const JSON_FORM = "as JSON";

export function addMigrateCommands(program: Command, context: Context): void {
  const define = createDefine(program.command("migrate"), context);

  define("status", "list the schema's steps; exit code 1 when steps are pending")
    .json(JSON_FORM)
    .result(async () => {
      const states = await withDatabase(context, migrationStatus);
      if (states.some(({ executedAt }) => executedAt === null)) process.exitCode = 1;
      const rows = states.map(({ name, executedAt }) => ({
        name,
        applied_at: executedAt === null ? null : new Date(executedAt).toISOString(),
      }));
      return rowsResult(rows, [
        ["name", "STEP"],
        ["applied_at", "APPLIED AT"],
      ]);
    });

  define("up", "apply pending steps; safe while servers run")
    .json(JSON_FORM)
    .result(async () => {
      const applied = await withDatabase(context, (database) =>
        migrateUp(database, { logger: silentLogger }),
      );
      return {
        json: { applied },
        show(output) {
          if (applied.length === 0) output.line("The schema is up to date.");
          for (const name of applied) output.line(`applied ${name}`);
        },
      };
    });
}

async function withDatabase<T>(context: Context, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await context.database();
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}
