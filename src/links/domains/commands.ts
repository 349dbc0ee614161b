import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { lineResult, type Result, rowsResult } from "../../platform/cli/results.ts";
import { COMMAND } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
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

  define("documents <host>", "list what the host answers with at /.well-known/").result(async (_, text) => {
    const domains = await service();
    const { wellKnown } = await domains.byHost(text);
    return rowsResult(wellKnown, ["name", "type", "size", "sha256"], { none: "There are no documents." });
  });

  define(
    "put-document <host> <name> <file>",
    "answer with a file at /.well-known/<name>; - for standard input",
  )
    .option("--type <type>", "media type; default: by the name")
    .result(async ({ type }, text, name, file) => {
      const document = { name, type, text: file === "-" ? await context.input.text() : readText(file) };
      const done = await changeDocuments(await service(), text, name, document);
      return lineResult(done, `${done.host} answers at /.well-known/${name}.`);
    });

  define("remove-document <host> <name>", "answer no longer at /.well-known/<name>").result(
    async (_, text, name) => {
      const done = await changeDocuments(await service(), text, name, null);
      return lineResult(done, `Removed ${name} from ${done.host}.`);
    },
  );

  define("remove <host>", "delete a domain without links").result(async (_, text) => {
    const domains = await service();
    const { id, host } = await domains.byHost(text);
    await domains.remove(id, COMMAND);
    return lineResult({ host, removed: true }, `Removed ${host}.`);
  });
}

type Document = { name: string; type?: string | undefined; text: string };

/** Puts a document in place of the one with the name, or removes that. @throws NotFound, BadRequest */
async function changeDocuments(domains: DomainService, host: string, name: string, by: Document | null) {
  const { id } = await domains.byHost(host);
  const { wellKnown } = await domains.get(id, COMMAND);
  const kept = wellKnown.filter((document) => document.name !== name);
  if (by === null && kept.length === wellKnown.length)
    throw appError("NotFound", `${host} has no document ${name}.`);
  const documents = [...kept.map(({ type, text = "", ...of }) => ({ name: of.name, type, text })), by ?? []];
  const input = validated(updateDomainSchema, { well_known: documents.flat() }, "The domain");
  return viewDomain(await domains.update(id, input, COMMAND));
}

/** @throws BadRequest for an unreadable file */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw appError("BadRequest", `${file} can't be read; name a text file.`, { cause });
  }
}

const domainResult = (domain: OwnedDomain, done: string): Result =>
  lineResult(viewDomain(domain), `The domain ${domain.host} was ${done}.`);
