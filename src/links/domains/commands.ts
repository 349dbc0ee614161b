import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { lineResult, type Result, rowsResult } from "../../platform/cli/results.ts";
import { COMMAND } from "../../lib/actor.ts";
import { validated } from "../../lib/validated.ts";
import { createDomainSchema, type OwnedDomain, updateDomainSchema, viewDomain } from "./domain.ts";
import type { DomainService } from "./service.ts";

const COLUMNS = [
  "id",
  "host",
  "owner",
  ["default_url", "ROOT"],
  ["not_found_url", "UNKNOWN CODES"],
  ["expired_url", "EXPIRED LINKS"],
  ["ignore_case", "IGNORES CASE"],
] as const;

const urlOptions = (absent: string) =>
  [
    ["--default-url <url>", `where its root leads; ${absent}`],
    ["--not-found-url <url>", `where unknown codes lead; ${absent}`],
    ["--expired-url <url>", `where expired links lead; ${absent}`],
    ["--owner <owner>", `account, or team:<name> whose editors alone make links on it; ${absent}`],
  ] as const;

export function addDomainCommands(
  program: Command,
  context: CommandContext<{ domains: DomainService }>,
): void {
  const define = createDefine(program.command("domains"), context);
  const service = async () => (await context.services()).domains;

  define("list", "list the domains").result(async () => {
    const domains = await (await service()).list(COMMAND);
    const none = "There are no domains besides the default one.";
    return rowsResult(domains.map(viewDomain), COLUMNS, { none });
  });

  define("add <host>", "add a domain")
    .options(urlOptions("none when absent"))
    .option("--ignore-case", "compare codes without case")
    .result(async (options, host) => {
      const input = validated(createDomainSchema, { ...options, host }, "The domain");
      return domainResult(await (await service()).create(input, COMMAND), "added");
    });

  define("update <host>", "change a domain")
    .options(urlOptions("an empty text removes it"))
    .json("print JSON")
    .option("--host <host>", "new host; the links follow")
    .option("--ignore-case", "compare codes without case")
    .option("--no-ignore-case", "compare codes with case; they stay in lower case")
    .result(async (options, host) => {
      const input = validated(updateDomainSchema, options, "The domain");
      const domains = await service();
      const { id } = await domains.byHost(host);
      return domainResult(await domains.update(id, input, COMMAND), "changed");
    });

  define("remove <host>", "delete a domain without links").result(async (_, text) => {
    const domains = await service();
    const { id, host } = await domains.byHost(text);
    await domains.remove(id, COMMAND);
    return lineResult({ host, removed: true }, `Removed ${host}.`);
  });
}

const domainResult = (domain: OwnedDomain, done: string): Result =>
  lineResult(viewDomain(domain), `The domain ${domain.host} was ${done}.`);
