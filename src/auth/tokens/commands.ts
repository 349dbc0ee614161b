import type { Command } from "commander";
import type { CommandContext } from "../../cli/command.ts";
import { COMMAND } from "../../lib/actor.ts";
import { systemClock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { SCOPES } from "../../lib/access.ts";
import { validated } from "../../lib/validated.ts";
import { BUILT_IN_ADMIN } from "../account.ts";
import { createTokenSchema, type ListedToken, viewToken } from "./api-token.ts";
import type { ApiTokens } from "./service.ts";

const PAGE_SIZE = 100;

type Users = { getByUsername(username: string): Promise<{ id: number }> };
type Context = CommandContext<{ auth: { users: Users; apiTokens: ApiTokens } }>;
type JsonOption = { json?: boolean };
type AddOptions = JsonOption & { scope: string[]; user: string; expires?: string };

export function addTokenCommands(program: Command, context: Context): void {
  const tokens = program.command("tokens");
  addCreating(tokens, context);
  addListing(tokens, context);
  addRevoking(tokens, context);
}

function addCreating(tokens: Command, context: Context): void {
  tokens
    .command("add <name>")
    .description("create a token and print it; it can't be shown again")
    .requiredOption("--scope <scope...>", SCOPES.join(", "))
    .option("--user <username>", "the account that the token acts for", BUILT_IN_ADMIN.username)
    .option("--expires <when>", "RFC 3339, or a duration such as 90d; default: never")
    .option("--json", "print JSON")
    .action(async (name: string, { scope: scopes, user, expires, json }: AddOptions) => {
      const input = validated(createTokenSchema, { name, scopes, expires_at: expires }, "The token");
      const { auth } = await context.services();
      const { text, ...token } = await auth.apiTokens.create(
        await accountId(auth.users, user),
        input,
        COMMAND,
      );
      if (json)
        return context.output.json({ ...viewToken(token, systemClock.now()), username: user, token: text });
      context.output.line(text);
      context.output.note(`Token ${token.id} '${token.name}' created. It is not shown again.`);
    });
}

function addListing(tokens: Command, context: Context): void {
  tokens
    .command("list")
    .description("list the tokens of all accounts, or of one")
    .option("--user <username>", "only this account's")
    .option("--json", "print JSON")
    .action(async ({ user, json }: JsonOption & { user?: string }) => {
      const { auth } = await context.services();
      const wanted = user === undefined ? null : await accountId(auth.users, user);
      const found: ListedToken[] = [];
      for (let page = 1; ; page++) {
        const listed = await auth.apiTokens.list(wanted, { page, pageSize: PAGE_SIZE });
        found.push(...listed.tokens);
        if (listed.tokens.length < PAGE_SIZE) break;
      }
      const rows = found.toReversed().map((token) => ({
        ...viewToken(token, systemClock.now()),
        username: token.owner,
      }));
      if (json) return context.output.json(rows);
      context.output.table(
        rows.map((row) => ({ ...row, scopes: row.scopes.join(" "), expired: row.expired ? "yes" : "" })),
        {
          id: "ID",
          username: "USERNAME",
          name: "NAME",
          scopes: "SCOPES",
          expires_at: "EXPIRES",
          expired: "EXPIRED",
          last_used_at: "LAST USED",
        },
      );
    });
}

function addRevoking(tokens: Command, context: Context): void {
  tokens
    .command("revoke <id>")
    .description("end a token of any account")
    .option("--json", "print the revoked token as JSON")
    .action(async (id: string, { json }: JsonOption) => {
      if (!/^[1-9]\d{0,15}$/.test(id)) {
        throw appError("BadRequest", "revoke needs the ID of a token; 'waymark tokens list' shows it.");
      }
      const { auth } = await context.services();
      const token = await auth.apiTokens.revoke(Number(id), null, COMMAND);
      if (json) context.output.json(viewToken(token, systemClock.now()));
      else context.output.note(`Token ${token.id} '${token.name}' revoked.`);
    });
}

async function accountId(users: Users, username: string): Promise<number> {
  if (username.toLowerCase() === BUILT_IN_ADMIN.username) return BUILT_IN_ADMIN.id;
  return (await users.getByUsername(username)).id;
}
