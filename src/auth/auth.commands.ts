import type { Command } from "commander";
import type { CommandContext } from "../cli/command.ts";
import type { Auth } from "./auth.ts";
import { appError } from "../lib/errors.ts";
import { validated } from "../lib/validated.ts";
import { createUserSchema, newPasswordSchema, type User, viewUser } from "./users/user.ts";

type Context = CommandContext<{ auth: Auth }>;

const PAGE_SIZE = 100;
/** Recorded in the history of the setting. */
const CHANGED_BY = "cli";

type PasswordOptions = { stdin?: boolean };
type JsonOption = { json?: boolean };

/** Adds `reset-password` and `users …`. A running server applies their changes within a second. */
export function addAuthCommands(program: Command, context: Context): void {
  program
    .command("reset-password")
    .description(
      "set the administrator's password and end the administrator's sessions; works before the first start",
    )
    .option("--stdin", "read the password from standard input instead of asking twice")
    .action(async (options: PasswordOptions) => {
      const password = await readNewPassword(context, options);
      const { auth } = await context.services();
      await auth.resetAdminPassword(password, CHANGED_BY);
      context.output.note("The administrator's password is set.");
    });

  const users = program.command("users").description("accounts besides the built-in administrator");
  addListing(users, context);
  addCreating(users, context);
  addChanging(users, context);
}

function addListing(users: Command, context: Context): void {
  users
    .command("list")
    .description("list the accounts by username")
    .option("--json", "print JSON")
    .action(async ({ json }: JsonOption) => {
      const { auth } = await context.services();
      const rows: ReturnType<typeof viewUser>[] = [];
      for (let page = 1; ; page++) {
        const { users: listed } = await auth.users.list({ page, pageSize: PAGE_SIZE });
        rows.push(...listed.map(viewUser));
        if (listed.length < PAGE_SIZE) break;
      }
      if (json) context.output.json(rows);
      else {
        context.output.table(rows, {
          id: "ID",
          username: "USERNAME",
          role: "ROLE",
          disabled: "DISABLED",
          created_at: "CREATED",
        });
      }
    });
}

function addCreating(users: Command, context: Context): void {
  users
    .command("add <username>")
    .description("create an account")
    .option("--role <role>", "user (files only) or admin (everything)", "user")
    .option("--stdin", "read the password from standard input instead of asking twice")
    .option("--json", "print the account as JSON")
    .action(async (username: string, options: PasswordOptions & JsonOption & { role: string }) => {
      const schema = createUserSchema.omit({ password: true });
      const fields = validated(schema, { username, role: options.role }, "The account");
      const password = await readNewPassword(context, options);
      const { auth } = await context.services();
      show(context, await auth.users.create({ ...fields, password }), { ...options, done: "created" });
    });
}

function addChanging(users: Command, context: Context): void {
  users
    .command("passwd <username>")
    .description("set an account's password and end its sessions")
    .option("--stdin", "read the password from standard input instead of asking twice")
    .option("--json", "print the account as JSON")
    .action(async (username: string, options: PasswordOptions & JsonOption) => {
      const { auth } = await context.services();
      const { id } = await auth.users.getByUsername(username);
      const password = await readNewPassword(context, options);
      show(context, await auth.users.update(id, { password }), { ...options, done: "has a new password" });
    });

  for (const [name, disabled, description] of [
    ["disable", true, "refuse sign-ins of an account and end its sessions"],
    ["enable", false, "let a disabled account sign in again"],
  ] as const) {
    users
      .command(`${name} <username>`)
      .description(description)
      .option("--json", "print the account as JSON")
      .action(async (username: string, options: JsonOption) => {
        const { auth } = await context.services();
        const { id } = await auth.users.getByUsername(username);
        show(context, await auth.users.update(id, { disabled }), { ...options, done: `${name}d` });
      });
  }

  users
    .command("remove <username>")
    .description("delete an account and end its sessions")
    .option("--json", "print the deleted account as JSON")
    .action(async (username: string, options: JsonOption) => {
      const { auth } = await context.services();
      const { id } = await auth.users.getByUsername(username);
      show(context, await auth.users.remove(id), { ...options, done: "removed" });
    });
}

function show({ output }: Context, user: User, { json, done }: JsonOption & { done: string }): void {
  if (json) output.json(viewUser(user));
  else output.note(`Account '${user.username}' ${done}.`);
}

/** @throws BadRequest when the password is too short, too long, or typed differently the second time */
async function readNewPassword({ input }: Context, { stdin }: PasswordOptions): Promise<string> {
  const password = stdin ? await input.text() : await input.secret("New password: ");
  validated(newPasswordSchema, password, "The password");
  if (!stdin && (await input.secret("Repeat the password: ")) !== password) {
    throw appError("BadRequest", "The two passwords differ; nothing was changed.");
  }
  return password;
}
