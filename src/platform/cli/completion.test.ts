/** What completes, and the scripts in the shells themselves. */
import { expect, test } from "bun:test";
import { Command, Option } from "commander";
import { COMPLETION_SCRIPTS, completionsOf } from "./completion.ts";
import { type CompletionWord, createDefine } from "./define.ts";

const program = new Command("waymark").option("-c, --config <file>", "settings file");
const files = program.command("files").description("it's about files: all");
files.command("ls").alias("list").description("list a folder").option("--json", "print JSON");
files.command("put").description("upload").argument("<source>").option("--owner <owner>", "whose");
program.command("shares").addOption(new Option("--kind <kind>", "of this kind").choices(["file", "folder"]));

const define = createDefine(program.command("keys").description("keys"), { output: null as never });
const WORDS: CompletionWord[] = [
  ["a:b", "colon"],
  ["c", ""],
];
define("set")
  .argument("<key>", "", { values: WORDS })
  .argument("[value]", "", { values: (_, [key]) => [[`of ${key}`, ""]] })
  .action(() => undefined);
define("add")
  .option("--scope <scope...>", "scopes", { values: WORDS })
  .option("--once", "once")
  .action(() => undefined);

test.each([
  ["f", ["files\tit's about files: all"]],
  ["files ", ["ls\tlist a folder", "put\tupload"]],
  ["files put --o", ["--owner\twhose"]],
  ["files put --owner ", []],
  [
    "files put --owner shares -",
    ["--owner\twhose", "-h\tdisplay help for command", "--help\tdisplay help for command"],
  ],
  ["files ls --", ["--json\tprint JSON", "--help\tdisplay help for command"]],
  ["files list --j", ["--json\tprint JSON"]],
  ["shares --kind ", ["file\t", "folder\t"]],
  ["-c files s", ["shares\t"]],
  ["shares --kind=f", ["--kind=file\t", "--kind=folder\t"]],
  ["shares --kind file ", []],
  ["keys set ", ["a:b\tcolon", "c\t"]],
  ["keys set a", ["a:b\tcolon"]],
  ["keys set c ", ["of c\t"]],
  ["keys set c x ", []],
  ["keys add --scope ", ["a:b\tcolon", "c\t"]],
  ["keys add --scope c ", ["a:b\tcolon", "c\t"]],
  ["keys add --scope=a", ["--scope=a:b\tcolon"]],
  ["keys add --scope c --on", ["--once\tonce"]],
])("%p", (line, found) => {
  expect(completionsOf(program, line.split(" "))).toEqual(found);
});

/** Before and after the script. `waymark` prints how many words it got, the empty one too. */
const ASKING: Record<string, { before: string; after: string; found: string }> = {
  bash: {
    before: `waymark() { printf '%s\\tabout\\n' one: $#; }`,
    after: `COMP_WORDS=(waymark files ''); COMP_CWORD=2; _waymark; printf '%s\\n' "\${COMPREPLY[@]}"`,
    found: "one:\n5\n",
  },
  zsh: {
    // Without a terminal, zsh has no completion of its own: these stand for its builtins.
    before: `compdef() { }; _describe() { print -rl -- "\${(@P)2}" }
waymark() { printf '%s\\tabout\\n' one: $# }`,
    after: `words=(waymark files ''); CURRENT=3; _waymark`,
    found: "one\\::about\n5:about\n",
  },
  fish: {
    before: `function waymark; printf '%s\\tabout\\n' one: (count $argv); end`,
    after: `complete -C "waymark files "`,
    found: "5\tabout\none:\tabout\n",
  },
};

const PARTED: readonly (readonly [words: string[], replies: string])[] = [
  [["waymark", "x", "--scope", "links", ":", "re"], "read\nwrite\n"],
  [["waymark", "x", "--scope", "links", ":"], "read\nwrite\n"],
  [["waymark", "x", "--scope", "=", "links", ":", "r"], "read\nwrite\n"],
  [["waymark", "x", "li"], "links:read\nlinks:write\n"],
];

test.each(PARTED)(
  "bash puts a word with : and = together, and replaces what it parted: %p",
  (words, replies) => {
    const typed = words
      .slice(2)
      .join(" ")
      .replaceAll(" : ", ":")
      .replaceAll(" :", ":")
      .replaceAll(" = ", "=");
    const last = typed.split(" ").at(-1)!;
    const prefix = last.startsWith("--scope=") ? "--scope=" : "";
    const fake = `waymark() { [[ "\${*: -1}" == ${last} ]] && printf '%s\\tabout\\n' ${prefix}links:read ${prefix}links:write; }`;
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const run = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _waymark; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = Bun.spawnSync(["bash"], {
      stdin: Buffer.from([fake, COMPLETION_SCRIPTS.bash, run].join("\n")),
    });
    expect([stdout.toString(), stderr.toString()]).toEqual([replies, ""]);
  },
);

test.each(Object.entries(COMPLETION_SCRIPTS))("%s asks for the last word", (shell, script) => {
  if (Bun.which(shell) === null) return console.warn(`${shell} is not installed, and is not tested.`);
  const { before, after, found } = ASKING[shell]!;
  const stdin = Buffer.from([before, script, after].join("\n"));
  const { stdout, stderr } = Bun.spawnSync([shell], {
    stdin,
    env: { PATH: process.env["PATH"]!, HOME: "/none" },
  });
  expect([stdout.toString(), stderr.toString()]).toEqual([found, ""]);
});
