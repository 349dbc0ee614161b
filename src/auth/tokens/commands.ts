import type { Command } from "commander";
import { type CommandContext, JSON_OPTION, type JsonOption, subcommand } from "../../platform/cli/command.ts";
import { allPages, idArgument, showRows } from "../../platform/cli/listing.ts";
import { COMMAND } from "../../lib/actor.ts";
import { systemClock } from "../../lib/clock.ts";
import { SCOPES } from "../../lib/access.ts";
import { validated } from "../../lib/validated.ts";
import { accountNamed, BUILT_IN_ADMIN, type FindAccount } from "../account.ts";
import { createTokenSchema, viewToken } from "./api-token.ts";
import type { ApiTokens } from "./service.ts";

type Context = CommandContext<{ auth: { users: FindAccount; apiTokens: ApiTokens } }>;
type AddOptions = JsonOption & { scope: string[]; user: string; expires?: string };

const COLUMNS = {
  id: "ID",
  username: "USERNAME",
  name: "NAME",
  scopes: "SCOPES",
  expires_at: "EXPIRES",
  expired: "EXPIRED",
  last_used_at: "LAST USED",
};

export function addTokenCommands(program: Command, context: Context): void {
  const tokens = program.command("tokens");
  addCreating(tokens, context);
  addListing(tokens, context);
  addRevoking(tokens, context);
}

function addCreating(tokens: Command, context: Context): void {
  subcommand(tokens, "add <name>", "create a token and print it; it can't be shown again")
    .requiredOption("--scope <scope...>", SCOPES.join(", "))
    .option("--user <username>", "the account that the token acts for", BUILT_IN_ADMIN.username)
    .option("--expires <when>", "RFC 3339, or a duration such as 90d; default: never")
    .option(...JSON_OPTION)
    .action(async (name: string, { scope: scopes, user, expires, json }: AddOptions) => {
      const input = validated(createTokenSchema, { name, scopes, expires_at: expires }, "The token");
      const { auth } = await context.services();
      const { id } = await accountNamed(auth.users, user);
      const { text, ...token } = await auth.apiTokens.create(id, input, COMMAND);
      if (json)
        return context.output.json({ ...viewToken(token, systemClock.now()), username: user, token: text });
      context.output.line(text);
      context.output.note(`Token ${token.id} '${token.name}' created. It is not shown again.`);
    });
}

function addListing(tokens: Command, context: Context): void {
  subcommand(tokens, "list", "list the tokens of all accounts, or of one")
    .option("--user <username>", "only this account's")
    .option(...JSON_OPTION)
    .action(async ({ user, json }: JsonOption & { user?: string }) => {
      const { auth } = await context.services();
      const wanted = user === undefined ? null : (await accountNamed(auth.users, user)).id;
      const found = await allPages(async (at) => (await auth.apiTokens.list(wanted, at)).tokens);
      const rows = found.toReversed().map((token) => ({
        ...viewToken(token, systemClock.now()),
        username: token.owner,
      }));
      showRows(context.output, rows, {
        json,
        columns: COLUMNS,
        cells: ({ scopes, expired }) => ({ scopes: scopes.join(" "), expired: expired ? "yes" : "" }),
      });
    });
}

function addRevoking(tokens: Command, context: Context): void {
  subcommand(tokens, "revoke <id>", "end a token of any account")
    .option("--json", "print the revoked token as JSON")
    .action(async (id: string, { json }: JsonOption) => {
      const known = idArgument(id, "revoke needs the ID of a token; 'waymark tokens list' shows it.");
      const { auth } = await context.services();
      const token = await auth.apiTokens.revoke(known, null, COMMAND);
      if (json) context.output.json(viewToken(token, systemClock.now()));
      else context.output.note(`Token ${token.id} '${token.name}' revoked.`);
    });
}
