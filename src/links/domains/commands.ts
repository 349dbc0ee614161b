import type { Command } from "commander";
import {
  type CommandContext,
  JSON_OPTION,
  type JsonOption,
  subcommand,
  type Texts,
} from "../../platform/cli/command.ts";
import { showRows } from "../../platform/cli/listing.ts";
import { COMMAND } from "../../lib/actor.ts";
import { validated } from "../../lib/validated.ts";
import { createDomainSchema, type OwnedDomain, updateDomainSchema, viewDomain } from "./domain.ts";
import type { DomainService } from "./service.ts";

type Context = CommandContext<{ domains: DomainService }>;
type Options = JsonOption & Texts<"owner" | "defaultUrl" | "notFoundUrl" | "expiredUrl" | "host">;

const COLUMNS = {
  id: "ID",
  host: "HOST",
  owner: "OWNER",
  default_url: "ROOT",
  not_found_url: "UNKNOWN CODES",
  expired_url: "EXPIRED LINKS",
};

export function addDomainCommands(program: Command, context: Context): void {
  const group = program.command("domains");
  subcommand(group, "list", "list the domains")
    .option(...JSON_OPTION)
    .action(async ({ json }: Options) => {
      const { domains } = await context.services();
      const rows = (await domains.list(COMMAND)).map(viewDomain);
      const none = "There are no domains besides the default one.";
      showRows(context.output, rows, { json, columns: COLUMNS, none });
    });

  withUrls(subcommand(group, "add <host>", "add a domain"), "none when absent").action(
    async (host: string, options: Options) => {
      const input = validated(createDomainSchema, { host, ...urlsOf(options) }, "The domain");
      const { domains } = await context.services();
      show(context, await domains.create(input, COMMAND), options, "added");
    },
  );

  withUrls(subcommand(group, "update <host>", "change a domain"), "an empty text removes it")
    .option("--host <host>", "new host; the links follow")
    .action(async (host: string, options: Options) => {
      const input = validated(updateDomainSchema, { host: options.host, ...urlsOf(options) }, "The domain");
      const { domains } = await context.services();
      const { id } = await domains.byHost(host);
      show(context, await domains.update(id, input, COMMAND), options, "changed");
    });

  subcommand(group, "remove <host>", "delete a domain without links")
    .option(...JSON_OPTION)
    .action(async (text: string, { json }: Options) => {
      const { domains } = await context.services();
      const { id, host } = await domains.byHost(text);
      await domains.remove(id, COMMAND);
      if (json) context.output.json({ host, removed: true });
      else context.output.line(`Removed ${host}.`);
    });
}

const withUrls = (command: Command, absent: string): Command =>
  command
    .option("--default-url <url>", `where its root leads; ${absent}`)
    .option("--not-found-url <url>", `where unknown codes lead; ${absent}`)
    .option("--expired-url <url>", `where expired links lead; ${absent}`)
    .option("--owner <owner>", `account, or team:<name> whose editors alone make links on it; ${absent}`)
    .option(...JSON_OPTION);

const urlsOf = ({ owner, defaultUrl, notFoundUrl, expiredUrl }: Options) => ({
  default_url: defaultUrl,
  not_found_url: notFoundUrl,
  expired_url: expiredUrl,
  owner,
});

function show(context: Context, domain: OwnedDomain, { json }: Options, done: string): void {
  if (json) context.output.json(viewDomain(domain));
  else context.output.line(`The domain ${domain.host} was ${done}.`);
}
