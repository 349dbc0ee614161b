import type { Command } from "commander";
import { CLI_AUTHOR, type CommandContext } from "../platform/cli/command.ts";
import { createDefine } from "../platform/cli/define.ts";
import { allPages, noteResult, parseId, rowsResult } from "../platform/cli/results.ts";
import { ROLES, SCOPES, TEAM_ROLES } from "../lib/access.ts";
import { COMMAND } from "../lib/actor.ts";
import { systemClock } from "../lib/clock.ts";
import { LANGUAGES } from "../lib/language.ts";
import { appError } from "../lib/errors.ts";
import { validated } from "../lib/validated.ts";
import { accountNamed, BUILT_IN_ADMIN } from "./account.ts";
import type { Auth } from "./auth.ts";
import { viewSession } from "./sessions/session.ts";
import { createTeamSchema, type Member, type Team, updateTeamSchema, viewTeam } from "./teams/team.ts";
import { createTokenSchema, viewToken } from "./tokens/api-token.ts";
import { createUserSchema, displayNameSchema, newPasswordSchema, type User, viewUser } from "./users/user.ts";

type Context = CommandContext<{
  auth: Auth;
  /** The servers of this data folder know what was written. False: not in time. */
  leases: { untilServersRead(): Promise<boolean> };
}>;

/** A running server applies their changes within a second; `reset-password` waits for it. */
export function addAuthCommands(program: Command, context: Context): void {
  const define = createDefine(program, context);
  define("reset-password")
    .option(...PASSWORD_STDIN)
    .action(async (options) => {
      const password = await readNewPassword(context, options);
      const { auth, leases } = await context.services();
      await auth.resetAdminPassword(password, CLI_AUTHOR);
      const isRead = await leases.untilServersRead();
      const others = isRead
        ? "Running servers use it now, those with another data folder within a second."
        : "A running server has not noticed yet, and uses it as soon as it reaches its database.";
      context.output.note(`The administrator's password is set. ${others}`);
    });
  addUserCommands(program, context);
  addSessionCommands(program, context);
  addTeamCommands(program, context);
  addTokenCommands(program, context);
}

const PASSWORD_STDIN = ["--stdin", "read the password from standard input instead of asking twice"] as const;
const ACCOUNT_JSON = "print the account as JSON";

/** @throws BadRequest when the password is too short, too long, or typed differently the second time */
async function readNewPassword({ input }: Context, { stdin }: { stdin: true | undefined }): Promise<string> {
  const password = stdin ? await input.text() : await input.secret("New password: ");
  validated(newPasswordSchema, password, "The password");
  if (!stdin && (await input.secret("Repeat the password: ")) !== password) {
    throw appError("BadRequest", "The two passwords differ; nothing was changed.");
  }
  return password;
}

function addUserCommands(program: Command, context: Context): void {
  const define = createDefine(program.command("users"), context);
  const auth = async () => (await context.services()).auth;
  const changed = (user: User, done: string) =>
    noteResult(viewUser(user), `Account '${user.username}' ${done}.`);

  define("list", "list the accounts by username").result(async () => {
    const { users } = await auth();
    const found = await allPages(async (at) => (await users.list(at)).users);
    return rowsResult(found.map(viewUser), [
      "id",
      "username",
      ["display_name", "NAME"],
      "role",
      "disabled",
      ["email", "E-MAIL"],
      "created_at",
    ]);
  });

  define("add <username>", "create an account")
    .option("--role <role>", "user (files only), editor (own links and files) or admin (everything)", {
      default: "user",
      values: ROLES,
    })
    .option(...PASSWORD_STDIN)
    .option("--display-name <name>", "what people see in place of the username")
    .option("--email <address>", "address for mails")
    .option("--invite", "mail a link by which the account chooses its password")
    .option("--language <language>", "of mails: en, de, fr, zh or ja", { default: "en", values: LANGUAGES })
    .json(ACCOUNT_JSON)
    .result(async (options, username) => {
      const { invite } = options;
      const schema = createUserSchema.omit({ password: true });
      const input = validated(schema, { ...options, username }, "The account");
      const password = invite ? {} : { password: await readNewPassword(context, options) };
      const user = await (await auth()).contacts.createUser({ ...input, ...password }, COMMAND);
      return changed(user, invite ? "invited" : "created");
    })
    .alias("create");

  define(
    "rename <username> [display-name]",
    "say what an account, or admin, is called; without a name it has none",
  )
    .json(ACCOUNT_JSON)
    .result(async (_, username, name) => {
      const displayName = validated(displayNameSchema, name || null, "The name") ?? null;
      const { users, contacts } = await auth();
      const account = await accountNamed(users, username);
      await contacts.rename(account, COMMAND, displayName);
      return noteResult(
        { id: account.id, username: account.username, display_name: displayName },
        displayName === null
          ? `Account '${account.username}' has no display name.`
          : `Account '${account.username}' is called ${displayName}.`,
      );
    });

  define("invite <username>", "mail an account a new link by which it chooses its password")
    .json(ACCOUNT_JSON)
    .result(async (_, username) => {
      const { users, contacts } = await auth();
      const { id } = await users.getByUsername(username);
      return changed(await contacts.inviteAgain(id, COMMAND), "invited");
    });

  define("passwd <username>", "set an account's password and end its sessions")
    .option(...PASSWORD_STDIN)
    .json(ACCOUNT_JSON)
    .result(async (options, username) => {
      const { users } = await auth();
      const { id } = await users.getByUsername(username);
      const password = await readNewPassword(context, options);
      return changed(await users.update(id, { password }, COMMAND), "has a new password");
    });

  for (const [name, disabled, about] of [
    ["disable", true, "refuse sign-ins of an account and end its sessions"],
    ["enable", false, "let a disabled account sign in again"],
  ] as const) {
    define(`${name} <username>`, about)
      .json(ACCOUNT_JSON)
      .result(async (_, username) => {
        const { users } = await auth();
        const { id } = await users.getByUsername(username);
        return changed(await users.update(id, { disabled }, COMMAND), `${name}d`);
      });
  }

  define(
    "reset-2fa <username>",
    "remove an account's authenticator app and passkeys, and end its sessions; takes admin too",
  )
    .json(ACCOUNT_JSON)
    .result(async (_, username) => {
      const { users, secondFactor } = await auth();
      const account = await accountNamed(users, username);
      await secondFactor.reset(account, COMMAND);
      return noteResult(
        { id: account.id, username: account.username },
        `Account '${account.username}' signs in with its password alone again.`,
      );
    });

  define("remove <username>", "delete an account and end its sessions")
    .option("--transfer-to <owner>", "account, or team:<name>, that gets links, files and domains")
    .json("print the deleted account as JSON")
    .result(async ({ transfer_to: heir }, username) => {
      const { users } = await auth();
      const { id } = await users.getByUsername(username);
      return changed(await users.remove(id, COMMAND, heir), "removed");
    });
}

const SESSION_COLUMNS = [
  "id",
  "last_used_at",
  ["created_at", "SIGNED IN"],
  "address",
  "browser",
  ["os", "SYSTEM"],
  "signed_in_by",
] as const;

function addSessionCommands(program: Command, context: Context): void {
  const define = createDefine(program.command("sessions"), context);
  define(
    "list [username]",
    "list the sessions of an account, by default the administrator's; the last used first",
  ).result(async (_, username = BUILT_IN_ADMIN.username) => {
    const { auth } = await context.services();
    const { id } = await accountNamed(auth.users, username);
    const found = await allPages(async (at) => (await auth.sessions.list(id, at)).sessions);
    return rowsResult(found.map(viewSession), SESSION_COLUMNS);
  });
  define("end <id>", "end a session of any account")
    .json("print the ended session as JSON")
    .result(async (_, id) => {
      const { auth } = await context.services();
      const session = await auth.sessions.endOne(id, null, COMMAND);
      return noteResult(viewSession(session), `Session ${session.id} ended.`);
    });
}

const MEMBER = [
  "--member <account:role>",
  "a member; repeat it. role: viewer (default), editor or manager",
  {
    repeats: true,
    /** After `anna:` the roles. */
    values: (last: string) => {
      const name = /^[^:]+:/.exec(last)?.[0];
      return name === undefined ? [] : TEAM_ROLES.map((role) => [name + role, ""] as const);
    },
  },
] as const;
const QUOTA = [
  "--quota <bytes>",
  "most bytes of its files together; 0: unlimited",
  { field: "quota_bytes", isNumber: true },
] as const;

const parseMembers = (members: readonly string[]) =>
  members.map((text) => {
    const [account, role = "viewer"] = text.split(":");
    return { account, role };
  });

const membersText = (members: readonly Member[]): string =>
  members.map(({ account, role }) => `${account}:${role}`).join(" ");

function addTeamCommands(program: Command, context: Context): void {
  const define = createDefine(program.command("teams"), context);
  const teams = async () => (await context.services()).auth.teams;
  const changed = (team: Team, done: string) => noteResult(viewTeam(team), `Team '${team.name}' ${done}.`);

  define("list", "list the teams by name").result(async () => {
    const service = await teams();
    const found = await allPages(async (at) => (await service.list(COMMAND, at)).teams);
    return rowsResult(found.map(viewTeam), ["id", "name", "quota", "members"], {
      cells: ({ quota_bytes: quota, members }) => ({ quota: quota || "", members: membersText(members) }),
      none: "There are no teams.",
    });
  });

  define("add <name>", "make a team")
    .option(...MEMBER)
    .option(...QUOTA)
    .result(async ({ member, ...fields }, name) => {
      const given = { ...fields, name, members: parseMembers(member ?? []) };
      const input = validated(createTeamSchema, given, "The team");
      return changed(await (await teams()).create(input, COMMAND), "made");
    });

  define("change <name>", "rename a team, replace its members or change its quota")
    .option("--name <name>", "new name")
    .option(...MEMBER)
    .option("--no-members", "without members")
    .option(...QUOTA)
    .result(async ({ member, members: keeps, ...fields }, name) => {
      const members = member || keeps === false ? parseMembers(member ?? []) : undefined;
      const input = validated(updateTeamSchema, { ...fields, members }, "The team");
      const service = await teams();
      const { id } = await service.byName(name);
      return changed(await service.update(id, input, COMMAND), "changed");
    });

  define("remove <name>", "delete a team; what it owns needs another owner")
    .option("--transfer-to <owner>", "account, or team:<name>, that gets links, files and domains")
    .result(async ({ transfer_to: heir }, name) => {
      const service = await teams();
      const { id } = await service.byName(name);
      return changed(await service.remove(id, heir, COMMAND), "removed");
    });
}

function addTokenCommands(program: Command, context: Context): void {
  const define = createDefine(program.command("tokens"), context);

  define("add <name>", "create a token and print it; it can't be shown again")
    .option("--scope <scope...>", SCOPES.join(", "), { field: "scopes", isRequired: true, values: SCOPES })
    .option("--user <username>", "the account that the token acts for", { default: BUILT_IN_ADMIN.username })
    .option("--expires <when>", "RFC 3339, or a duration such as 90d; default: never", {
      field: "expires_at",
    })
    .option(
      "--folder <id>",
      "it reaches only this folder and what is below it; 'waymark files ls' shows IDs",
      {
        field: "folder_id",
        isNumber: true,
      },
    )
    .result(async ({ user, ...fields }, name) => {
      const input = validated(createTokenSchema, { ...fields, name }, "The token");
      const { auth } = await context.services();
      const { id } = await accountNamed(auth.users, user);
      const { text, ...token } = await auth.apiTokens.create(id, input, COMMAND);
      return {
        json: { ...viewToken(token, systemClock.now()), username: user, token: text },
        show(output) {
          output.line(text);
          output.note(`Token ${token.id} '${token.name}' created. It is not shown again.`);
        },
      };
    });

  define("list", "list the tokens of all accounts, or of one")
    .option("--user <username>", "only this account's")
    .result(async ({ user }) => {
      const { auth } = await context.services();
      const owner = user === undefined ? null : (await accountNamed(auth.users, user)).id;
      const found = await allPages(async (at) => (await auth.apiTokens.list(owner, at)).tokens);
      const now = systemClock.now();
      return rowsResult(
        found.toReversed().map((token) => ({ ...viewToken(token, now), username: token.owner })),
        ["id", "username", "name", "scopes", "folder_id", "expires_at", "expired", "last_used_at"],
        { cells: ({ scopes, expired }) => ({ scopes: scopes.join(" "), expired: expired ? "yes" : "" }) },
      );
    });

  define("revoke <id>", "end a token of any account")
    .json("print the revoked token as JSON")
    .result(async (_, text) => {
      const id = parseId(text, "revoke needs the ID of a token; 'waymark tokens list' shows it.");
      const { auth } = await context.services();
      const token = await auth.apiTokens.revoke(id, null, COMMAND);
      return noteResult(viewToken(token, systemClock.now()), `Token ${token.id} '${token.name}' revoked.`);
    });
}
