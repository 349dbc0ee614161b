import type { Command } from "commander";
import { type CommandContext, subcommand } from "../cli/command.ts";
import { silentLogger } from "../../lib/logger.ts";
import type { Database } from "./database.ts";
import { type MigrationState, migrateUp, migrationStatus } from "./migrate.ts";

/** `database` opens the one in use as it is, also if its schema is not up to date. The caller closes it. */
type Context = CommandContext & { database(): Promise<Database> };

export function addMigrateCommands(program: Command, context: Context): void {
  const migrate = program.command("migrate");
  subcommand(migrate, "status", "list the schema's steps; exit code 1 when steps are pending")
    .option("--json", "as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const states = await withDatabase(context, migrationStatus);
      if (json) context.output.json(states.map(shown));
      else context.output.table(states.map(shown), { name: "STEP", applied_at: "APPLIED AT" });
      if (states.some(({ executedAt }) => executedAt === null)) process.exitCode = 1;
    });
  subcommand(migrate, "up", "apply pending steps; safe while servers run")
    .option("--json", "as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const applied = await withDatabase(context, (database) =>
        migrateUp(database, { logger: silentLogger }),
      );
      if (json) context.output.json({ applied });
      else if (applied.length === 0) context.output.line("The schema is up to date.");
      else for (const name of applied) context.output.line(`applied ${name}`);
    });
}

const shown = ({ name, executedAt }: MigrationState) => ({
  name,
  applied_at: executedAt === null ? null : new Date(executedAt).toISOString(),
});

async function withDatabase<T>(context: Context, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await context.database();
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}
