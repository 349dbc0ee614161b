/** Writes the list of all commands in docs/cli.md, below MARK, from the commands themselves. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { createProgram } from "../src/server/cli.ts";

export const CLI_PAGE = join(import.meta.dir, "../docs/cli.md");
const MARK = "<!-- Below: made from the commands by `bin/bun scripts/cli-page.ts`. -->";

/** The page as it should be: what is written by hand stays. */
export async function renderCliPage(page: string): Promise<string> {
  const end = page.indexOf(MARK);
  if (end < 0) throw new Error(`docs/cli.md lacks the line ${MARK}`);
  const { program } = await createProgram();
  const groups = program.commands.map((command) => sectionsOf(command, [], 3).join("\n\n"));
  return `${page.slice(0, end)}${MARK}\n\n${groups.join("\n\n")}\n`;
}

/** A heading, what it is, its arguments and options, and its commands. */
function sectionsOf(command: Command, path: readonly string[], level: number): string[] {
  const names = [...path, command.name()];
  const help = command.createHelp();
  const list = [
    ...help.visibleArguments(command).map((one) => [help.argumentTerm(one), help.argumentDescription(one)]),
    ...help
      .visibleOptions(command)
      // The page says of all commands what these two do.
      .filter(({ long, description }) => long !== "--help" && description !== "print JSON")
      .map((one) => [help.optionTerm(one), help.optionDescription(one)]),
  ];
  const args = command.registeredArguments.map((one) => help.argumentTerm(one));
  const usage = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? "..." : ""}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  const own = [
    `${"#".repeat(level)} ${names.join(" ")}`,
    ...(usage.length > 0 ? [`\`waymark ${[...names, ...usage].join(" ")}\``] : []),
    sentence(command.description()),
    table(list.filter(([term, about]) => about !== "" || !args.includes(term!))),
  ];
  const inner = command.commands.filter((one) => one.name() !== "help");
  return [...own.filter((part) => part !== ""), ...inner.flatMap((one) => sectionsOf(one, names, 4))];
}

const sentence = (text: string): string =>
  text === "" ? "" : `${escaped(text[0]!.toUpperCase() + text.slice(1))}.`;
const escaped = (text: string): string => text.replaceAll(/[*_|<]/g, "\\$&");

function table(rows: readonly (readonly (string | undefined)[])[]): string {
  if (rows.length === 0) return "";
  const lines = rows.map(([term, about]) => `| \`${term!.replaceAll("|", "\\|")}\` | ${escaped(about!)} |`);
  return ["| | |", "|---|---|", ...lines].join("\n");
}

if (import.meta.main) await Bun.write(CLI_PAGE, await renderCliPage(readFileSync(CLI_PAGE, "utf8")));
