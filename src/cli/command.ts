/**
 * The context of commands. A room exports its commands as `addXCommands(program, context)`; cli.ts lists them. An action
 * throws AppError. The runner prints its message on standard error and exits with the code of its kind.
 */
import type { Env } from "../env.ts";

export type ProgressLine = {
  /** Redraws one status line on standard error, at most ten times a second. Silent unless that is a terminal. */
  update(done: number, total?: number): void;
  finish(): void;
};

export type Output = {
  /** One line on standard output. */
  line(text: string): void;
  /** A value as JSON on standard output, for scripts (`--json`). */
  json(value: unknown): void;
  /** Rows as aligned columns. `columns` maps keys to headings. */
  table(rows: readonly Record<string, unknown>[], columns: Record<string, string>): void;
  /** A remark on standard error. */
  note(text: string): void;
  progress(label: string): ProgressLine;
};

export type Input = {
  /** All of standard input as text, at most 1 MiB, without the final line break. */
  text(): Promise<string>;
  /** Asks on the terminal without echo. @throws BadRequest without a terminal */
  secret(question: string): Promise<string>;
  /** Asks yes or no. False without a terminal. */
  confirm(question: string): Promise<boolean>;
};

/** Who changed something, as histories name a command. */
export const CLI_AUTHOR = "cli";

/** `S` are the services that the command needs. */
export type CommandContext<S = unknown> = {
  env(): Env;
  /** Services on a migrated database, opened at first use and closed at the end of the command. */
  services(): Promise<S>;
  output: Output;
  input: Input;
};
