/**
 * Completion for shells. Their scripts ask `waymark completion SHELL -- WORDS…` at each Tab, and complete names of
 * files if there is no response.
 */
import type { Argument, Command, Option } from "commander";
import { type CompletionWord, completionValuesOf } from "./define.ts";

type Place = {
  command: Command;
  /** The option whose value the last word is. */
  option: Option | undefined;
  args: string[];
};

const isOption = (word: string): boolean => word.startsWith("-") && word !== "-" && word !== "--";

function placeOf(program: Command, words: readonly string[]): Place {
  const place: Place = { command: program, option: undefined, args: [] };
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
    else Object.assign(place, { command: next, args: [] });
  }
  return place;
}

/**
 * Lists what may stand at the place of the last word, which may be unfinished: a line is a word, a tab, and what it is.
 */
export function completionsOf(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? "";
  const { command, option, args } = placeOf(program, words.slice(0, -1));
  const wordsOf = (slot: Option | Argument, begin: string): readonly CompletionWord[] => {
    const values = completionValuesOf(slot);
    if (typeof values === "function") return values(begin, args);
    return values.map((one) => (typeof one === "object" ? one : [String(one), ""]));
  };
  const help = command.createHelp();

  function found(): readonly (readonly [string | undefined, string])[] {
    const assigned = /^(--[a-z0-9-]+)=(.*)$/s.exec(last);
    if (assigned !== null) {
      const named = command.options.find(({ long }) => long === assigned[1]);
      const taken = named ? wordsOf(named, assigned[2]!) : [];
      return taken.map(([word, about]) => [`${assigned[1]}=${word}`, about]);
    }
    if (isOption(last) || last === "-" || last === "--")
      return help
        .visibleOptions(command)
        .flatMap((one) => [one.short, one.long].map((flag) => [flag, one.description] as const));
    if (option !== undefined) return wordsOf(option, last);
    const expected = command.registeredArguments[args.length] ?? command.registeredArguments.at(-1);
    const isTaken =
      expected !== undefined && (args.length < command.registeredArguments.length || expected.variadic);
    const named = isTaken ? wordsOf(expected, last) : [];
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

/** Scripts for `source`. They run the program by the name that the user typed. */
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
