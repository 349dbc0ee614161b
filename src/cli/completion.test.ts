/** Completion scripts in the shells themselves. */
import { expect, test } from "bun:test";
import { Command, Option } from "commander";
import { completionScript } from "./completion.ts";
import { type Shell, SHELLS } from "./shells.ts";

const program = new Command("waymark").option("-c, --config <file>", "settings file");
const files = program.command("files").description("it's about files: all");
files.command("ls").alias("list").description("list a folder").option("--json", "print JSON");
files.command("put").description("upload").argument("<source>").option("--owner <owner>", "whose");
program.command("shares").addOption(new Option("--kind <kind>", "of this kind").choices(["file", "folder"]));

const QUESTIONS: Record<Shell, (line: string) => string[]> = {
  bash: (line) => [
    "bash",
    "-c",
    `source /dev/stdin; COMP_WORDS=(${line.replace(/ $/, " ''")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _waymark; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // Without a terminal, zsh has no completion of its own: these stand for its builtins.
  zsh: (line) => [
    "zsh",
    "-fc",
    `compdef() { }; compadd() { shift; print -l -- "$@" }; _files() { }
_describe() { [[ $1 == -o ]] && shift; print -l -- "\${\${(P)2}[@]%%:*}" }
source /dev/stdin; words=(${line.replace(/ $/, " ''")}); CURRENT=$#words; _waymark`,
  ],
  fish: (line) => ["fish", "--no-config", "-c", `source -; complete -C ${JSON.stringify(line)}`],
};

const LINES = {
  "waymark f": ["files"],
  "waymark files ": ["ls", "put"],
  "waymark files put --o": ["--owner"],
  "waymark files list --j": ["--json"],
  "waymark shares --kind ": ["file", "folder"],
};

test.each(SHELLS)("%s completes commands, options and choices", (shell) => {
  if (Bun.which(shell) === null) return console.warn(`${shell} is not installed, and is not tested.`);
  const stdin = Buffer.from(completionScript(program, shell));
  for (const [line, wanted] of Object.entries(LINES)) {
    const { stdout, stderr } = Bun.spawnSync(QUESTIONS[shell](line), { stdin });
    const prefix = line.slice(line.lastIndexOf(" ") + 1);
    const words = stdout
      .toString()
      .split("\n")
      .map((word) => word.split("\t")[0]!)
      .filter((word) => word !== "" && word.startsWith(prefix));
    expect([line, words.toSorted(), stderr.toString()]).toEqual([line, wanted, ""]);
  }
});
