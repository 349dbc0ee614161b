import { type CommandContext, JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import { allPages, showRows } from "../../platform/cli/listing.ts";
import type { Users } from "./service.ts";
import type { Command } from "commander";
import { type Actor, COMMAND } from "../../lib/actor.ts";
import { validated } from "../../lib/validated.ts";
import { accountNamed } from "../account.ts";
import { type CreateUser, createUserSchema, type User, viewUser } from "./user.ts";
import { type PasswordOptions, readNewPassword } from "./new-password.ts";

type Reset = { reset(account: { id: number; username: string }, actor: Actor): Promise<void> };
type Context = CommandContext<{
  auth: {
    users: Users;
    secondFactor: Reset;
    contacts: {
      createUser(fields: CreateUser, actor: Actor): Promise<User>;
      inviteAgain(id: number, actor: Actor): Promise<User>;
    };
  };
}>;
type CreateOptions = PasswordOptions &
  JsonOption & { role: string; email?: string; invite?: boolean; language: string };

const COLUMNS = {
  id: "ID",
  username: "USERNAME",
  role: "ROLE",
  disabled: "DISABLED",
  email: "E-MAIL",
  created_at: "CREATED",
};

export function addUserCommands(program: Command, context: Context): void {
  const users = program.command("users");
  addListing(users, context);
  addCreating(users, context);
  addChanging(users, context);
}

function addListing(users: Command, context: Context): void {
  subcommand(users, "list", "list the accounts by username")
    .option(...JSON_OPTION)
    .action(async ({ json }: JsonOption) => {
      const { auth } = await context.services();
      const found = await allPages(async (at) => (await auth.users.list(at)).users);
      showRows(context.output, found.map(viewUser), { json, columns: COLUMNS });
    });
}

function addCreating(users: Command, context: Context): void {
  subcommand(users, "add <username>", "create an account")
    .alias("create")
    .option("--role <role>", "user (files only), editor (own links and files) or admin (everything)", "user")
    .option("--stdin", "read the password from standard input instead of asking twice")
    .option("--email <address>", "address for mails")
    .option("--invite", "mail a link by which the account chooses its password")
    .option("--language <language>", "of mails: en, de, fr, zh or ja", "en")
    .option("--json", "print the account as JSON")
    .action(async (username: string, { stdin, json, ...given }: CreateOptions) => {
      const schema = createUserSchema.omit({ password: true });
      const fields = validated(schema, { username, ...given }, "The account");
      const password = given.invite
        ? {}
        : { password: await readNewPassword(context, { ...(stdin && { stdin }) }) };
      const { auth } = await context.services();
      const user = await auth.contacts.createUser({ ...fields, ...password }, COMMAND);
      show(context, user, { json, done: given.invite ? "invited" : "created" });
    });
  subcommand(users, "invite <username>", "mail an account a new link by which it chooses its password")
    .option("--json", "print the account as JSON")
    .action(async (username: string, options: JsonOption) => {
      const { auth } = await context.services();
      const { id } = await auth.users.getByUsername(username);
      show(context, await auth.contacts.inviteAgain(id, COMMAND), { ...options, done: "invited" });
    });
}

function addChanging(users: Command, context: Context): void {
  subcommand(users, "passwd <username>", "set an account's password and end its sessions")
    .option("--stdin", "read the password from standard input instead of asking twice")
    .option("--json", "print the account as JSON")
    .action(async (username: string, options: PasswordOptions & JsonOption) => {
      const { auth } = await context.services();
      const { id } = await auth.users.getByUsername(username);
      const password = await readNewPassword(context, options);
      show(context, await auth.users.update(id, { password }, COMMAND), {
        ...options,
        done: "has a new password",
      });
    });

  for (const [name, disabled, description] of [
    ["disable", true, "refuse sign-ins of an account and end its sessions"],
    ["enable", false, "let a disabled account sign in again"],
  ] as const) {
    subcommand(users, `${name} <username>`, description)
      .option("--json", "print the account as JSON")
      .action(async (username: string, options: JsonOption) => {
        const { auth } = await context.services();
        const { id } = await auth.users.getByUsername(username);
        show(context, await auth.users.update(id, { disabled }, COMMAND), { ...options, done: `${name}d` });
      });
  }

  subcommand(
    users,
    "reset-2fa <username>",
    "remove an account's authenticator app and passkeys, and end its sessions; takes admin too",
  )
    .option("--json", "print the account as JSON")
    .action(async (username: string, { json }: JsonOption) => {
      const { auth } = await context.services();
      const account = await accountNamed(auth.users, username);
      await auth.secondFactor.reset(account, COMMAND);
      const done = `Account '${account.username}' signs in with its password alone again.`;
      if (json) context.output.json({ id: account.id, username: account.username });
      else context.output.note(done);
    });

  subcommand(users, "remove <username>", "delete an account and end its sessions")
    .option("--transfer-to <owner>", "account, or team:<name>, that gets links, files and domains")
    .option("--json", "print the deleted account as JSON")
    .action(async (username: string, options: JsonOption & { transferTo?: string }) => {
      const { auth } = await context.services();
      const { id } = await auth.users.getByUsername(username);
      show(context, await auth.users.remove(id, COMMAND, options.transferTo), {
        ...options,
        done: "removed",
      });
    });
}

function show({ output }: Context, user: User, { json, done }: JsonOption & { done: string }): void {
  if (json) output.json(viewUser(user));
  else output.note(`Account '${user.username}' ${done}.`);
}
