/**
 * The command line. The code of a room is loaded when one of its commands is named, because all of it takes half a
 * second; the others are only names.
 */
import { Argument, Command, CommanderError, type Option } from "commander";
import { COMPLETION_SCRIPTS, completionsOf } from "../platform/cli/completion.ts";
import type { CommandContext } from "../platform/cli/command.ts";
import { createInput } from "../platform/cli/input.ts";
import { createOutput } from "../platform/cli/output.ts";
import { databaseRefusalOf } from "../platform/db/failures.ts";
import type { Room, RoomContext } from "../platform/room-shape.ts";
import type { Env } from "../platform/settings/env.ts";
import { AppError, type ErrorKind } from "../lib/errors.ts";
import { fileTrouble } from "../lib/file-trouble.ts";
import { VERSION } from "../lib/version.ts";
import { commandPath, openForCommand, openInUse } from "./command-database.ts";
import type { OpenRooms } from "./open.ts";
import { loadEnv, START_SETTINGS } from "./settings.ts";
import { HELP_ORDER, sortedBy, ROOMS, type Services } from "./rooms.ts";

/** 0 is success, any other error 1. */
const EXIT_CODE_OF_KIND: Partial<Record<ErrorKind, number>> = {
  invalid: 2,
  too_large: 2,
  not_found: 3,
  conflict: 4,
  unavailable: 5,
  full: 5,
};

type Context = RoomContext<Services>;

/** The command that runs the rooms as a server. */
const SERVE = {
  name: "serve",
  commands: {
    serve:
      "run the server until SIGTERM or SIGINT; SIGHUP opens the log file again and replaces the workers one by one",
  },
  loadCommands: async () => (await import("./server.commands.ts")).addServeCommand,
} satisfies Room;

/** Has the rooms add those commands that the words name. */
export async function addCommands(program: Command, context: Context, words?: readonly string[]) {
  const about = new Map<string, string>();
  for (const { commands = {}, loadCommands } of [SERVE as Room, ...ROOMS]) {
    const names = Object.keys(commands);
    if (loadCommands && (!words || names.some((name) => words.includes(name)))) {
      await (await loadCommands())(program, context as never);
    }
    for (const name of names) about.set(name, commands[name]!);
  }
  const known = new Map(program.commands.map((command) => [command.name(), command]));
  const sorted = sortedBy([...about.keys()], HELP_ORDER, (name) => name);
  // What is not loaded is only a name.
  const inHelp = sorted.map((name) => (known.get(name) ?? new Command(name)).description(about.get(name)!));
  (program.commands as Command[]).splice(0, Infinity, ...inHelp);
}

/** The program with the commands that the words name, or with all of them. */
export async function createProgram(words?: readonly string[]) {
  const program = new Command("waymark")
    .description("Short links and the files behind them")
    .version(VERSION, "-V, --version")
    .option("-c, --config <file>", "settings file (default: waymark.toml if it exists)")
    .showHelpAfterError("Use --help to list the options.")
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "waymark: ")) })
    .exitOverride();
  let ran = program;
  const session = createSession(program, () => ran);
  program.hook("preAction", (_, command) => void (ran = command));
  await addCommands(program, session.context, words);
  program
    .command("version")
    .description("print the version")
    .action(() => session.context.output.line(VERSION));
  program
    .command("completion")
    .description("print the script that makes a shell complete commands and options")
    .addArgument(new Argument("<shell>").choices(Object.keys(COMPLETION_SCRIPTS)))
    .argument("[words...]", "print what may be the last of these words, as the script asks")
    .action((shell: keyof typeof COMPLETION_SCRIPTS, typed: string[]) => {
      const text = typed.length > 0 ? completionsOf(program, typed).join("\n") : COMPLETION_SCRIPTS[shell];
      session.context.output.line(text);
    });
  return { program, session, ranCommand: () => ran };
}

/** Resolves with the exit code; never rejects. */
export async function runCli(argv: readonly string[]): Promise<number> {
  const { program, session, ranCommand } = await createProgram(argv);
  // What is not loaded does not say what it takes.
  program.configureHelp({ subcommandTerm: (command) => command.name() });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return explain(error, session.context, ranCommand());
  } finally {
    await session.close();
  }
}

function createSession(program: Command, ran: () => Command): { context: Context; close(): Promise<void> } {
  let env: Env | undefined;
  let opened: Promise<OpenRooms> | undefined;
  const context: Context = {
    env: () => (env ??= loadEnv({ configFile: program.opts<{ config?: string }>().config })),
    services: async () => (await (opened ??= openForCommand(context, commandPath(ran())))).house,
    database: () => openInUse(context, commandPath(ran())),
    extend: extendCommand,
    startSettings: START_SETTINGS,
    output: createOutput(leavable(process.stdout), leavable(process.stderr)),
    input: createInput(process.stdin, process.stderr),
  };
  const close = async () => {
    await (await opened?.catch(() => undefined))?.close();
  };
  return { context, close };
}

async function extendCommand<T>(this: Context, name: string, command: Command): Promise<T[]> {
  const added: T[] = [];
  for (const { extensions = {} } of ROOMS) {
    const add = await extensions[name]?.();
    if (add) added.push(add(command, this as never) as T);
  }
  return added;
}

/** Its reader may leave before the end, as `head` does; what a command does is done all the same. */
const leavable = <S extends NodeJS.WriteStream>(stream: S): S =>
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });

/** Sentences begin with a field of the API; the user typed an option, such as --expires for expires_at. */
export const inOptions = (message: string, command: Command): string =>
  message.replaceAll(/(^|\. )([a-z_]+)(?:\.\w+)*(?= must |: | is required| can't )/g, (all, start, field) => {
    const named = ({ long }: Option) => long && field.startsWith(long.slice(2).replaceAll("-", "_"));
    const option = command.options.find(named);
    return option === undefined ? all : `${start}${option.long}`;
  });

function explain(error: unknown, { output }: CommandContext, command: Command): number {
  // Commander has printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof AppError && error.kind !== "internal") {
    output.note(`waymark: ${inOptions(databaseRefusalOf(error) ?? error.message, command)}`);
    return EXIT_CODE_OF_KIND[error.kind] ?? 1;
  }
  const cause = error instanceof AppError && error.cause !== undefined ? error.cause : error;
  const trouble = fileTrouble(cause);
  if (trouble !== null) {
    output.note(`waymark: ${trouble}`);
    return 1;
  }
  output.note(`waymark: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`);
  return 1;
}
