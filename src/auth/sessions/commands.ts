import type { Command } from "commander";
import type { CommandContext } from "../../cli/command.ts";
import { COMMAND } from "../../lib/actor.ts";
import { BUILT_IN_ADMIN } from "../account.ts";
import { viewSession } from "./session.ts";
import type { Sessions } from "./service.ts";

const PAGE_SIZE = 100;

type Users = { getByUsername(username: string): Promise<{ id: number }> };
type Context = CommandContext<{ auth: { users: Users; sessions: Sessions } }>;
type JsonOption = { json?: boolean };

export function addSessionCommands(program: Command, context: Context): void {
  const sessions = program.command("sessions");
  sessions
    .command("list [username]")
    .description("list the sessions of an account, by default the administrator's; the last used first")
    .option("--json", "print JSON")
    .action(async (username: string | undefined, { json }: JsonOption) => {
      const { auth } = await context.services();
      const isBuiltIn = username === undefined || username.toLowerCase() === BUILT_IN_ADMIN.username;
      const id = isBuiltIn ? BUILT_IN_ADMIN.id : (await auth.users.getByUsername(username)).id;
      const rows: ReturnType<typeof viewSession>[] = [];
      for (let page = 1; ; page++) {
        const { sessions: listed } = await auth.sessions.list(id, { page, pageSize: PAGE_SIZE });
        rows.push(...listed.map(viewSession));
        if (listed.length < PAGE_SIZE) break;
      }
      if (json) return context.output.json(rows);
      context.output.table(rows, {
        id: "ID",
        last_used_at: "LAST USED",
        created_at: "SIGNED IN",
        address: "ADDRESS",
        browser: "BROWSER",
        os: "SYSTEM",
        signed_in_by: "SIGNED IN BY",
      });
    });
  sessions
    .command("end <id>")
    .description("end a session of any account")
    .option("--json", "print the ended session as JSON")
    .action(async (id: string, { json }: JsonOption) => {
      const { auth } = await context.services();
      const session = await auth.sessions.endOne(id, null, COMMAND);
      if (json) context.output.json(viewSession(session));
      else context.output.note(`Session ${session.id} ended.`);
    });
}
