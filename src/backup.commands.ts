import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { CommandContext } from "./cli/command.ts";
import { readInstance } from "./cluster/instance.repository.ts";
import { fileDatabasePath } from "./env.ts";
import { systemClock } from "./lib/clock.ts";
import { appError } from "./lib/errors.ts";
import { VERSION } from "./lib/version.ts";
import { countRunning } from "./status.commands.ts";
import { makeBackup, restoreBackup } from "./upkeep/backup.ts";

export function addBackupCommands(program: Command, context: CommandContext): void {
  const { output } = context;
  program
    .command("backup")
    .description("copy database, keys and stored files into a new folder, while servers run")
    .argument("<dir>", "folder to make")
    .option("--json", "print the manifest as JSON")
    .action(async (dir: string, { json }: { json?: boolean }) => {
      const { env, database } = await context.services();
      const progress = output.progress("files copied");
      const manifest = await makeBackup(resolve(dir), {
        dataDir: env.data.dir,
        database,
        instance: await readInstance(database),
        version: VERSION,
        now: systemClock.now,
        onFile: progress.update,
      }).finally(progress.finish);
      if (json) return output.json(manifest);
      output.line(`${manifest.files.length} files are in ${resolve(dir)}.`);
      if (manifest.database.file === null) {
        output.line("The database is on a server and not in it. Dump it now, with its own tools:");
        output.line(`  ${manifest.database.advice}`);
      }
    });
  program
    .command("restore")
    .description("put a backup into the (empty) data folder of these settings; no server may run on it")
    .argument("<dir>", "folder that backup made")
    .option("--json", "print the manifest as JSON")
    .action(async (dir: string, { json }: { json?: boolean }) => {
      const env = context.env();
      if (countRunning(join(env.data.dir, "journal")) > 0) {
        throw appError("Conflict", "A server runs on this data folder; stop it first.");
      }
      const manifest = await restoreBackup(resolve(dir), {
        dataDir: env.data.dir,
        databasePath: fileDatabasePath(env.database),
      });
      if (json) return output.json(manifest);
      output.line(`Restored ${manifest.files.length} files of ${manifest.created_at} into ${env.data.dir}.`);
      if (manifest.database.file === null)
        output.line(`Restore the database with its own tools: ${manifest.database.advice}`);
    });
}
