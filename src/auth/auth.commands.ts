import type { Command } from "commander";
import { CLI_AUTHOR, type CommandContext } from "../platform/cli/command.ts";
import type { Auth } from "./auth.ts";
import { type PasswordOptions, readNewPassword } from "./users/new-password.ts";
import { addSessionCommands } from "./sessions/commands.ts";
import { addTeamCommands } from "./teams/commands.ts";
import { addTokenCommands } from "./tokens/commands.ts";
import { addUserCommands } from "./users/commands.ts";

type Context = CommandContext<{
  auth: Auth;
  /** The servers of this data folder know what was written. False: not in time. */
  leases: { heard(): Promise<boolean> };
}>;

/** A running server applies their changes within a second; `reset-password` waits for it. */
export function addAuthCommands(program: Command, context: Context): void {
  program
    .command("reset-password")
    .option("--stdin", "read the password from standard input instead of asking twice")
    .action(async (options: PasswordOptions) => {
      const password = await readNewPassword(context, options);
      const { auth, leases } = await context.services();
      await auth.resetAdminPassword(password, CLI_AUTHOR);
      const isHeard = await leases.heard();
      const others = isHeard
        ? "Running servers use it now, those with another data folder within a second."
        : "A running server has not noticed yet, and uses it as soon as it reaches its database.";
      context.output.note(`The administrator's password is set. ${others}`);
    });

  addUserCommands(program, context);
  addSessionCommands(program, context);
  addTeamCommands(program, context);
  addTokenCommands(program, context);
}
