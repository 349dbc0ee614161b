/**
 * A room exports its commands as `addXCommands(program, context)`; cli.ts lists them. An action throws AppError; the
 * runner prints its message on standard error and exits with the code of its kind.
 */
import type { Command } from "commander";
import type { Env } from "../settings/env.ts";

export type ProgressLine = {
  /** One status line on standard error, at most ten times a second. Silent unless that is a terminal. */
  update(done: number, total?: number): void;
  /** Shows a text of its own, which is made only if it shows. */
  show(text: () => string): void;
  finish(): void;
};

export type Output = {
  /** Whether standard output is a terminal. */
  isTerminal: boolean;
  line(text: string): void;
  /** Prints JSON on standard output, for `--json`. */
  json(value: unknown): void;
  /** Prints aligned columns. `columns` maps keys of rows to headings. */
  table(rows: readonly Record<string, unknown>[], columns: Record<string, string>): void;
  /** Prints a sentence on standard error. */
  note(text: string): void;
  progress(label: string): ProgressLine;
};

export type Input = {
  /** Reads standard input, at most 1 MiB, without the final line break. */
  text(): Promise<string>;
  /** Asks without echo. `option` is what reads the secret from standard input instead. @throws BadRequest without a terminal */
  secret(question: string, option?: string): Promise<string>;
  /** Whether the user answers yes. False without a terminal. */
  confirm(question: string): Promise<boolean>;
};

export type JsonOption = { json?: true | undefined };
export const JSON_OPTION = ["--json", "print JSON"] as const;

/** The author of a command's changes in histories. */
export const CLI_AUTHOR = "cli";

/** @param usage its name, then its arguments: `rename <tag> <name>` */
export const subcommand = (group: Command, usage: string, about: string): Command =>
  group.command(usage).description(about);

/** What a command gets. `S` are the services that it needs. */
export type CommandContext<S = unknown> = {
  env(): Env;
  /** Opens a migrated database at first use and closes it at the end of the command. */
  services(): Promise<S>;
  output: Output;
  input: Input;
};
