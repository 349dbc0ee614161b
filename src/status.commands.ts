import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { CommandContext } from "./cli/command.ts";
import { listSlots, tryTakeSlot } from "./clicks/journal.slot.ts";
import { VERSION } from "./lib/version.ts";

export function addStatusCommand(program: Command, context: CommandContext): void {
  program
    .command("status")
    .description("say how this installation is; exit code 5 when the database is away")
    .option("--json", "as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const status = await readStatus(context);
      if (json) return context.output.json(status);
      const { links, ...rest } = status;
      const rows = Object.entries({ ...rest, ...links }).map(([name, value]) => ({
        name: name.replaceAll("_", " "),
        value,
      }));
      context.output.table(rows, { name: "WHAT", value: "VALUE" });
    });
}

async function readStatus(context: CommandContext) {
  const env = context.env();
  const { database, links, auth } = await context.services();
  const { totalLinks, totalClicks, activeLinks } = await links.stats();
  return {
    version: VERSION,
    data_dir: env.data.dir,
    database: database.dialect.name,
    running_servers: countRunning(join(env.data.dir, "journal")),
    admin_api: auth.isAdminEnabled() ? "on" : "off until a password is set with reset-password",
    links: { total_links: totalLinks, active_links: activeLinks, total_clicks: totalClicks },
  };
}

/** Server processes on this data folder: each holds the lock of its journal slot as long as it lives. */
function countRunning(journalDir: string): number {
  if (!existsSync(journalDir)) return 0;
  let running = 0;
  for (const dir of listSlots(journalDir)) {
    const slot = tryTakeSlot(dir);
    if (slot === null) running++;
    slot?.lock.release();
  }
  return running;
}
