/**
 * Completion for shells. Their scripts ask `waymark completion SHELL -- WORDS…` at each Tab, and complete names of files
 * if there is no answer.
 */
import type { Command, Option } from "commander";

/** And what it is. */
export type CompletionWord = readonly [word: string, about: string];
/** For the unfinished word, after the arguments that the command has. */
export type ValuesOf = (last: string, args: readonly string[]) => readonly (CompletionWord | string)[];
/** By option and by name of argument. */
export type CompletionValues = Readonly<
  Record<string, readonly (CompletionWord | string | number)[] | ValuesOf>
>;

type Place = {
  command: Command;
  /** Names from the program on. */
  path: string[];
  /** Whose value the last word is. */
  option: Option | undefined;
  args: string[];
};

const isOption = (word: string): boolean => word.startsWith("-") && word !== "-" && word !== "--";

function placeOf(program: Command, words: readonly string[]): Place {
  const place: Place = { command: program, path: [], option: undefined, args: [] };
  for (const word of words) {
    const { options, commands } = place.command;
    const isValue = place.option !== undefined && !isOption(word);
    if (isValue) {
      if (!place.option!.variadic) place.option = undefined;
      continue;
    }
    const named = options.find(({ short, long }) => word === short || word === long);
    place.option = named?.required || named?.optional ? named : undefined;
    if (isOption(word)) continue;
    const next = commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next === undefined) place.args.push(word);
    else Object.assign(place, { command: next, path: [...place.path, next.name()], args: [] });
  }
  return place;
}

/**
 * What may stand at the place of the last word, which may be unfinished: lines of a word, a tab, and what it is.
 * @param valuesOf what options and arguments of a command take, besides their `choices`
 */
export async function completionsOf(
  program: Command,
  words: readonly string[],
  valuesOf: (command: string) => Promise<CompletionValues> = async () => ({}),
): Promise<string[]> {
  const last = words.at(-1) ?? "";
  const { command, path, option, args } = placeOf(program, words.slice(0, -1));
  const values = await valuesOf(path.join(" "));
  const of = (name: string, choices: readonly string[] | undefined, begin: string) => {
    const known = values[name] ?? choices ?? [];
    const allowed = typeof known === "function" ? known(begin, args) : known;
    return allowed.map((one) => (typeof one === "object" ? one : ([String(one), ""] as const)));
  };
  const help = command.createHelp();

  function found(): readonly (readonly [string | undefined, string])[] {
    const assigned = /^(--[a-z0-9-]+)=(.*)$/s.exec(last);
    if (assigned !== null) {
      const named = command.options.find(({ long }) => long === assigned[1]);
      const taken = named ? of(named.long!, named.argChoices, assigned[2]!) : [];
      return taken.map(([word, about]) => [`${assigned[1]}=${word}`, about]);
    }
    if (isOption(last) || last === "-" || last === "--")
      return help
        .visibleOptions(command)
        .flatMap((one) => [one.short, one.long].map((flag) => [flag, one.description] as const));
    if (option !== undefined) return of(option.long ?? "", option.argChoices, last);
    const expected = command.registeredArguments[args.length] ?? command.registeredArguments.at(-1);
    const isTaken =
      expected !== undefined && (args.length < command.registeredArguments.length || expected.variadic);
    const named = isTaken ? of(expected.name(), expected.argChoices, last) : [];
    const commands = help.visibleCommands(command).filter((one) => one.name() !== "help");
    return [...commands.map((one) => [one.name(), one.description()] as const), ...named];
  }

  // A tab or line in a description would be another word.
  const line = ([word, about]: readonly [string | undefined, string]) =>
    `${word}\t${about.replace(/\s+/g, " ")}`;
  return found()
    .filter(([word]) => word?.startsWith(last))
    .map(line);
}

/** For `source`. The program is asked by the name that the user typed. */
export const COMPLETION_SCRIPTS = {
  // Bash parts words at = and :, which belong to them, and replaces what is after the last one.
  bash: `_waymark() {
  local IFS=$'\\n' word last='' words=() found i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $last && ( $word == [:=]* || $last == *[:=] ) ]]; then words[\${#words[@]} - 1]+=$word; else words+=("$word"); fi
    last=\${words[\${#words[@]} - 1]}
  done
  found=($("\${COMP_WORDS[0]}" completion bash -- "\${words[@]}" 2>/dev/null | cut -f 1))
  COMPREPLY=("\${found[@]#"\${last%"\${last##*[:=]}"}"}")
}
complete -o default -F _waymark waymark`,

  zsh: `#compdef waymark
_waymark() {
  local -a found
  found=(\${(f)"$("\${words[1]}" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  found=(\${found//:/\\\\:})
  found=(\${found/$'\\t'/:})
  if [[ -n "$found" ]]; then _describe command found
  else _files
  fi
}
if [[ \${funcstack[1]} == _waymark ]]; then _waymark "$@"; else compdef _waymark waymark; fi`,

  fish: `function __waymark_complete
  set -l words (commandline -opc)
  set -l found ($words[1] completion fish -- $words[2..-1] "$(commandline -ct)" 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c waymark -f -a '(__waymark_complete)'`,
};
