/**
 * Completion for shells. Their scripts ask `waymark completion SHELL -- WORDS…` at each Tab, and complete names of files
 * if there is no answer.
 */
import type { Command, Option } from "commander";

/** What may stand at the place of the last word, which may be unfinished: lines of a word, a tab, and what it is. */
export function completionsOf(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? "";
  let command = program;
  let option: Option | undefined;
  for (const word of words.slice(0, -1)) {
    const { options, commands } = command;
    const isValue = option !== undefined;
    option = isValue ? undefined : options.find(({ short, long }) => word === short || word === long);
    if (!option?.required && !option?.optional) option = undefined;
    const next = commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (!isValue && next !== undefined) command = next;
  }
  const help = command.createHelp();
  const choices = (option ?? command.registeredArguments[0])?.argChoices ?? [];
  const commands = option ? [] : help.visibleCommands(command).filter((one) => one.name() !== "help");
  const found = last.startsWith("-")
    ? help
        .visibleOptions(command)
        .flatMap((one) => [one.short, one.long].map((flag) => [flag, one.description]))
    : [...commands.map((one) => [one.name(), one.description()]), ...choices.map((one) => [one, ""])];
  return found.filter(([word]) => word?.startsWith(last)).map((line) => line.join("\t"));
}

/** For `source`. The program is asked by the name that the user typed. */
export const COMPLETION_SCRIPTS = {
  bash: `_waymark() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
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
