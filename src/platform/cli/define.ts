/**
 * Commands as rows. The types of a command's options and arguments follow from its usage and flags, so that no action
 * declares them again; options have the names of the fields of the API that they fill.
 */
import { Argument, type Command, Option } from "commander";
import type { CommandContext, Output } from "./command.ts";
import type { Result } from "./results.ts";

/** A word that a shell may complete, and what it is. */
export type CompletionWord = readonly [word: string, about: string];
/** Lists the words for the unfinished last one, after the arguments that the command has. */
export type ValuesOf = (last: string, args: readonly string[]) => readonly CompletionWord[];
/** What an option or argument takes. */
export type CompletionValues = readonly (string | number | CompletionWord)[] | ValuesOf;

type Details = {
  /** The field that the option fills. Default: its name in snake case. */
  field?: string;
  /** The value that a flag gives its field. Default: true, or false for `--no-…`. */
  is?: string;
  /** The option collects a list, one value each time. */
  repeats?: true;
  /** The value becomes a number, and NaN if it is none, which schemas refuse. */
  isNumber?: true;
  isRequired?: true;
  /** The help shows it. */
  default?: string;
  /** Commander refuses other values, and the help lists them. */
  choices?: readonly string[];
  /** What a shell completes. The schema of the command validates. */
  values?: CompletionValues;
};

/** An option. */
export type OptionRow = readonly [flags: string, about: string, details?: Details];

type Snake<S extends string> = S extends `${infer A}-${infer B}` ? `${A}_${Snake<B>}` : S;
type LongName<F extends string> = F extends `${string}--no-${infer N}`
  ? N
  : F extends `${string}--${infer N} ${string}`
    ? N
    : F extends `${string}--${infer N}`
      ? N
      : never;
type FieldOf<R extends OptionRow> = R[2] extends { field: infer F extends string }
  ? F
  : Snake<LongName<R[0]>>;
type ValueOf<R extends OptionRow> = R[2] extends { repeats: true }
  ? string[]
  : R[2] extends { isNumber: true }
    ? number
    : R[0] extends `${string}...>`
      ? string[]
      : R[0] extends `${string}<${string}`
        ? R[2] extends { choices: readonly (infer C)[] }
          ? C
          : string
        : R[0] extends `${string}[${string}`
          ? string | true
          : R[2] extends { is: infer V }
            ? V
            : R[0] extends `${string}--no-${string}`
              ? boolean
              : true;
type IsSet<R extends OptionRow> = R[2] extends { isRequired: true } | { default: string } ? never : undefined;
/** What an action gets of these rows. */
export type OptionsOf<Rows extends readonly OptionRow[]> = {
  [R in Rows[number] as FieldOf<R>]: ValueOf<R> | IsSet<R>;
};

type ArgumentOf<Word extends string> = Word extends `<${string}...>`
  ? [string[]]
  : Word extends `<${string}>`
    ? [string]
    : Word extends `[${string}...]`
      ? [string[]]
      : Word extends `[${string}]`
        ? [string | undefined]
        : [];
type ArgumentsOf<Usage extends string> = Usage extends `${infer Word} ${infer Rest}`
  ? [...ArgumentOf<Word>, ...ArgumentsOf<Rest>]
  : ArgumentOf<Usage>;

export class CompletedOption extends Option {
  readonly values: CompletionValues | undefined;
  readonly #field: string | undefined;
  constructor([flags, about, details = {}]: OptionRow) {
    super(flags, about);
    this.values = details.values ?? details.choices;
    this.#field = details.field;
    const { is, choices, default: value } = details;
    if (is !== undefined) this.negate = false;
    if (choices !== undefined) this.choices(choices);
    if (value !== undefined) this.default(value);
    if (details.isRequired) this.makeOptionMandatory();
    if (is !== undefined) this.argParser(() => is);
    else if (details.isNumber) this.argParser((text) => Number(text || Number.NaN));
    else if (details.repeats) this.argParser((text, before: string[] = []) => [...before, text]);
  }
  override attributeName(): string {
    return this.#field ?? this.name().replace(/^no-/, "").replaceAll("-", "_");
  }
}

class CompletedArgument extends Argument {
  readonly values: CompletionValues | undefined;
  constructor(word: string, about: string, { values, choices, default: value }: Details = {}) {
    super(word, about);
    this.values = values ?? choices;
    if (choices !== undefined) this.choices(choices);
    if (value !== undefined) this.default(value);
  }
}

/** The values that complete an option or argument. */
export const completionValuesOf = (slot: Option | Argument): CompletionValues =>
  (slot instanceof CompletedOption || slot instanceof CompletedArgument ? slot.values : slot.argChoices) ??
  [];

type Empty = Record<never, never>;
type Act<Options, Args extends unknown[], R> = (options: Options, ...args: Args) => Promise<R> | R;

/** One command while its options are added. `action` or `result` comes last. */
class Definition<Options, Args extends unknown[]> {
  constructor(
    private readonly command: Command,
    private readonly output: Output,
  ) {}

  option<const R extends OptionRow>(...row: R): Definition<Options & OptionsOf<readonly [R]>, Args> {
    this.command.addOption(new CompletedOption(row));
    return this as never;
  }

  options<const Rows extends readonly OptionRow[]>(rows: Rows): Definition<Options & OptionsOf<Rows>, Args> {
    for (const row of rows) this.option(...row);
    return this as never;
  }

  /** Options that are known only at run time. */
  listed(rows: readonly OptionRow[]): this {
    for (const row of rows) this.option(...row);
    return this;
  }

  /** An argument after those of the usage. */
  argument<const Word extends string, const D extends Details>(
    word: Word,
    about: string,
    details?: D,
  ): Definition<Options, [...Args, ...(D extends { default: string } ? [string] : ArgumentOf<Word>)]> {
    this.command.addArgument(new CompletedArgument(word, about, details));
    return this as never;
  }

  /** @param about what `--json` prints. Without this call it is the last option of a command with a result. */
  json(about: string): Definition<Options & { json: true | undefined }, Args> {
    return this.option("--json", about) as never;
  }

  /** The command prints by itself what it does. */
  action(act: Act<Options, Args, void>): Command {
    return this.command.action(async (...given: unknown[]) => {
      await act(given.at(-2) as Options, ...(given.slice(0, -2) as Args));
    });
  }

  /** The command prints what `act` returns, as text or, with `--json`, as JSON. */
  result(act: Act<Options & { json: true | undefined }, Args, Result | void>): Command {
    const { command, output } = this;
    if (!command.options.some(({ long }) => long === "--json")) this.json("print JSON");
    return command.action(async (...given: unknown[]) => {
      const options = given.at(-2) as Options & { json: true | undefined };
      const result = await act(options, ...(given.slice(0, -2) as Args));
      if (!result) return;
      if (options.json) output.json(result.json);
      else result.show(output);
      for (const note of result.notes ?? []) output.note(note);
    });
  }
}

/** @returns what adds a command to the group, or to the program */
export const createDefine =
  (group: Command, { output }: Pick<CommandContext, "output">) =>
  /** @param usage the command's name, then its arguments: `rename <tag> <name>` */
  <const Usage extends string>(usage: Usage, about = ""): Definition<Empty, ArgumentsOf<Usage>> => {
    const [name = "", ...words] = usage.split(" ");
    const definition = new Definition<Empty, unknown[]>(group.command(name).description(about), output);
    for (const word of words) definition.argument(word, "");
    return definition as never;
  };
