/**
 * What a room's commands are given. A room brings its commands as `addXCommands(program, context)`; cli.ts lists them.
 * An action throws AppError; the runner prints its message on standard error and exits with the code of its kind.
 */
import type { Env } from "../env.ts";

export type ProgressLine = {
  /** Redraws one status line on standard error when that is a terminal, at most ten times a second; silent otherwise. */
  update(done: number, total?: number): void;
  finish(): void;
};

export type Output = {
  /** One line on standard output. */
  line(text: string): void;
  /** A value as JSON on standard output, for scripts (`--json`). */
  json(value: unknown): void;
  /** Rows as aligned columns, the keys of `columns` as headings. */
  table(rows: readonly Record<string, unknown>[], columns: Record<string, string>): void;
  /** A remark on standard error. */
  note(text: string): void;
  progress(label: string): ProgressLine;
};

export type Input = {
  /** Standard input to its end as text, at most 1 MiB, without the final line break. */
  text(): Promise<string>;
  /** Asks on the terminal without echo. @throws BadRequest when there is no terminal (use --stdin). */
  secret(question: string): Promise<string>;
  /** Asks yes or no; false when there is no terminal. */
  confirm(question: string): Promise<boolean>;
};

/** `S` is what the command needs of the services; a room names only that. */
export type CommandContext<S = unknown> = {
  env(): Env;
  /** The rooms' services on a migrated database, opened at first use and closed when the command ends. */
  services(): Promise<S>;
  output: Output;
  input: Input;
};
