/**
 * Completion scripts for shells. They hold all commands, options and choices, and start no process. A word is the next
 * part of the command if the way so far has it; the shell completes names of files wherever a value is free.
 */
import type { Command, Option } from "commander";
import type { Shell } from "./shells.ts";

type Step = {
  /** Such as ` files put`; empty for the program. */
  path: string;
  commands: { name: string; about: string }[];
  options: { flags: string[]; about: string; takesValue: boolean; choices: readonly string[] }[];
  /** Of the first argument. */
  choices: readonly string[];
};

/** The command and all below it. */
function stepsOf(command: Command, path = ""): Step[] {
  const inside = command.createHelp().visibleCommands(command);
  const below = inside.filter((one) => one.name() !== "help");
  const step = {
    path,
    commands: below.map((one) => ({ name: one.name(), about: one.description() })),
    options: command.createHelp().visibleOptions(command).map(optionOf),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [
    step,
    ...below.flatMap((one) =>
      [one.name(), ...one.aliases()].flatMap((name) => stepsOf(one, `${path} ${name}`)),
    ),
  ];
}

const optionOf = ({ short, long, description, required, optional, argChoices }: Option) => ({
  flags: [short, long].filter((flag) => flag !== undefined),
  about: description,
  takesValue: required || optional,
  choices: argChoices ?? [],
});

/** For `source`. */
export function completionScript(program: Command, shell: Shell): string {
  const steps = stepsOf(program);
  return { bash, zsh, fish }[shell](program.name(), steps);
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const either = (words: readonly string[]): string => words.map(quoted).join("|");
/** All but the program. */
const ways = (steps: readonly Step[]): string[] => steps.slice(1).map(({ path }) => path);
/** The patterns of an option's value. */
const valueOf = ({ path }: Step, { flags }: Step["options"][number]): string =>
  either(flags.map((flag) => `${path} ${flag}`));

const valued = (steps: readonly Step[], line: (choices: readonly string[]) => string): string =>
  steps
    .flatMap((step) =>
      step.options
        .filter(({ takesValue }) => takesValue)
        .map((option) => `    ${valueOf(step, option)}) ${line(option.choices)} ;;`),
    )
    .join("\n");

const bash = (name: string, steps: readonly Step[]): string => `_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} way= commands= options= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$way \${COMP_WORDS[i]}" in
      ${either(ways(steps))}) way+=" \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$way $prev" in
${valued(steps, (choices) => `COMPREPLY=($(compgen -W ${quoted(choices.join(" "))} -- "$cur")); return`)}
  esac
  case "$way" in
${steps
  .map(({ path, commands, options, choices }) => {
    const words = [...commands.map((one) => one.name), ...choices].join(" ");
    const flags = options.flatMap((option) => option.flags).join(" ");
    return `    ${quoted(path)}) commands=${quoted(words)} options=${quoted(flags)} ;;`;
  })
  .join("\n")}
  esac
  [[ $cur == -* ]] && commands=$options
  COMPREPLY=($(compgen -W "$commands" -- "$cur"))
}
complete -o default -F _${name} ${name}
`;

/** For _describe. */
const described = (items: readonly (readonly [name: string, about: string])[]): string =>
  items.map(([one, about]) => quoted(`${one.replaceAll(":", String.raw`\:`)}:${about}`)).join(" ");

const zsh = (name: string, steps: readonly Step[]): string => `#compdef ${name}
_${name}() {
  local way= i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    case "$way \${words[i]}" in
      (${either(ways(steps))}) way+=" \${words[i]}" ;;
    esac
  done
  case "$way \${words[CURRENT-1]}" in
${valued(steps, (choices) => (choices.length > 0 ? `compadd -- ${choices.map(quoted).join(" ")}; return` : "_files; return")).replaceAll(/^ {4}'/gm, "    ('")}
  esac
  case "$way" in
${steps
  .map(({ path, commands, options, choices }) => {
    const words = [
      ...commands.map((one) => [one.name, one.about] as const),
      ...choices.map((one) => [one, one] as const),
    ];
    const flags = options.flatMap(({ flags: all, about }) => all.map((flag) => [flag, about] as const));
    return `    (${quoted(path)}) commands=(${described(words)}) options=(${described(flags)}) ;;`;
  })
  .join("\n")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe -o option options
  elif ((\${#commands})); then _describe command commands
  else _files
  fi
}
if [[ \${funcstack[1]} == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;

/** Fish knows other escapes than the other shells. */
const inFish = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;

function fish(name: string, steps: readonly Step[]): string {
  const lines = steps.flatMap(({ path, commands, options, choices }) => {
    const here = `complete -c ${name} -n ${inFish(`__${name}_at ${quoted(path)}`)}`;
    const words = [...commands, ...choices.map((one) => ({ name: one, about: "" }))];
    return [
      ...words.map((one) => `${here} -f -a ${inFish(one.name)} -d ${inFish(one.about)}`),
      ...options.map(({ flags, about, takesValue, choices: values }) => {
        const names = flags.map((flag) =>
          flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        const value = values.length > 0 ? ` -x -a ${inFish(values.join(" "))}` : takesValue ? " -r" : "";
        return `${here} ${names.join(" ")}${value} -d ${inFish(about)}`;
      }),
    ];
  });
  return `function __${name}_at
  set -l way ''
  set -l words (commandline -opc)
  set -e words[1]
  for word in $words
    switch "$way $word"
      case ${ways(steps).map(inFish).join(" ")}
        set way "$way $word"
    end
  end
  test "$way" = "$argv[1]"
end
${lines.join("\n")}
`;
}
