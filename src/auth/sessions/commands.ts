import type { Command } from "commander";
import { type CommandContext, JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import { allPages, showRows } from "../../platform/cli/listing.ts";
import { COMMAND } from "../../lib/actor.ts";
import { accountNamed, BUILT_IN_ADMIN, type FindAccount } from "../account.ts";
import { viewSession } from "./session.ts";
import type { Sessions } from "./service.ts";

type Context = CommandContext<{ auth: { users: FindAccount; sessions: Sessions } }>;

const COLUMNS = {
  id: "ID",
  last_used_at: "LAST USED",
  created_at: "SIGNED IN",
  address: "ADDRESS",
  browser: "BROWSER",
  os: "SYSTEM",
  signed_in_by: "SIGNED IN BY",
};

export function addSessionCommands(program: Command, context: Context): void {
  const sessions = program.command("sessions");
  subcommand(
    sessions,
    "list [username]",
    "list the sessions of an account, by default the administrator's; the last used first",
  )
    .option(...JSON_OPTION)
    .action(async (username: string | undefined, { json }: JsonOption) => {
      const { auth } = await context.services();
      const { id } = await accountNamed(auth.users, username ?? BUILT_IN_ADMIN.username);
      const found = await allPages(async (at) => (await auth.sessions.list(id, at)).sessions);
      showRows(context.output, found.map(viewSession), { json, columns: COLUMNS });
    });
  subcommand(sessions, "end <id>", "end a session of any account")
    .option("--json", "print the ended session as JSON")
    .action(async (id: string, { json }: JsonOption) => {
      const { auth } = await context.services();
      const session = await auth.sessions.endOne(id, null, COMMAND);
      if (json) context.output.json(viewSession(session));
      else context.output.note(`Session ${session.id} ended.`);
    });
}
