/**
 * The command line. The code of a room is loaded when one of its commands is named, because all of it takes half a
 * second; the others are only names.
 */
import { Argument, Command, CommanderError, type Option } from "commander";
import type { CommandContext } from "../platform/cli/command.ts";
import { commandPath, openForCommand, openInUse } from "./command-database.ts";
import { COMPLETION_SCRIPTS, completionsOf } from "../platform/cli/completion.ts";
import { createInput } from "../platform/cli/input.ts";
import { createOutput } from "../platform/cli/output.ts";
import type { Database } from "../platform/db/database.ts";
import { databaseRefusalOf } from "../platform/db/failures.ts";
import { type Env, loadEnv } from "../platform/settings/env.ts";
import { COMMAND } from "../lib/actor.ts";
import { AppError, type ErrorKind } from "../lib/errors.ts";
import { fileTrouble } from "../lib/file-trouble.ts";
import { VERSION } from "../lib/version.ts";
import type { Services } from "./services.ts";

/** 0 is success, any other error 1. */
const EXIT_CODE_OF_KIND: Partial<Record<ErrorKind, number>> = {
  invalid: 2,
  too_large: 2,
  not_found: 3,
  conflict: 4,
  unavailable: 5,
  full: 5,
};

type Context = CommandContext<Services> & { database(): Promise<Database> };

/** In the order of the help. */
export const COMMAND_ROOMS: readonly {
  /** By name, what they are about. */
  commands: Readonly<Record<string, string>>;
  add(program: Command, context: Context): Promise<void>;
}[] = [
  {
    commands: {
      serve:
        "run the server until SIGTERM or SIGINT; SIGHUP opens the log file again and replaces the workers one by one",
    },
    add: async (...to) => (await import("./server.commands.ts")).addServeCommand(...to),
  },
  {
    commands: {
      "reset-password":
        "set the administrator's password and end the administrator's sessions; works before the first start",
      users: "accounts besides the built-in administrator",
      sessions: "where accounts are signed in",
      teams: "teams that own links, folders and domains",
      tokens: "API tokens of accounts",
    },
    add: async (...to) => (await import("../auth/auth.commands.ts")).addAuthCommands(...to),
  },
  {
    commands: {
      "reset-secret-key":
        "when the secret key is lost on all nodes and in all backups: go on with another one",
    },
    add: async (...to) => (await import("../extras/upkeep/key.commands.ts")).addKeyCommand(...to),
  },
  {
    commands: { config: "show and change settings" },
    add: async (...to) => (await import("../platform/config/config.commands.ts")).addConfigCommands(...to),
  },
  {
    commands: {
      links: "create, find, change and remove links",
      tags: "list, rename and remove tags of links",
      events: "list who did what, newest first",
    },
    add: addLinksAndEvents,
  },
  {
    commands: {
      files: "files and folders of an account or team",
      shares: "short links to files and folders",
      drops: "drop boxes: short links that take files into a folder",
    },
    add: addFilesAndShares,
  },
  {
    commands: { domains: "hosts besides the default one" },
    async add(program, context) {
      const { addDomainCommands } = await import("../links/domains/commands.ts");
      const services = async () => ({ domains: (await context.services()).links.domainService });
      addDomainCommands(program, { ...context, services });
    },
  },
  {
    commands: { import: "bring links, visits and files from another product" },
    add: async (...to) => (await import("../extras/imports/imports.commands.ts")).addImportCommands(...to),
  },
  {
    commands: { mail: "mails that were sent, wait or have failed" },
    add: async (...to) => (await import("../extras/mail/mail.commands.ts")).addMailCommands(...to),
  },
  {
    commands: { webhooks: "requests that tell programs what happened" },
    add: async (...to) => (await import("../extras/webhooks/webhooks.commands.ts")).addWebhookCommands(...to),
  },
  {
    commands: { analytics: "read and maintain the click statistics" },
    add: async (...to) => (await import("../clicks/clicks.commands.ts")).addClickCommands(...to),
  },
  {
    commands: { privacy: "what is stored of a person: by an address, an account, or a name in a drop box" },
    add: async (...to) => (await import("../extras/privacy/privacy.commands.ts")).addPrivacyCommands(...to),
  },
  {
    commands: { migrate: "show or update the database schema" },
    add: async (...to) => (await import("../platform/db/migrate.commands.ts")).addMigrateCommands(...to),
  },
  {
    commands: { successor: "a signed file from which a host of files, or serve --from, answers all codes" },
    add: async (...to) =>
      (await import("../extras/successor/successor.commands.ts")).addSuccessorCommands(...to),
  },
  {
    commands: { status: "print the state of this installation; exit code 5 when the database is away" },
    add: async (...to) => (await import("../extras/upkeep/status.commands.ts")).addStatusCommand(...to),
  },
  {
    commands: {
      doctor: "check every part of this installation and advise what to do; exit code 1 on a failure",
    },
    add: async (...to) => (await import("../extras/upkeep/doctor.commands.ts")).addDoctorCommand(...to),
  },
  {
    commands: {
      backup: "copy database, keys and stored files into a new folder; servers may run",
      restore:
        "restore a backup into the data folder of these settings, or finish an interrupted restore; stop servers first",
    },
    add: async (...to) => (await import("../extras/upkeep/backup.commands.ts")).addBackupCommands(...to),
  },
  {
    commands: {
      move: "move everything in the database to another, empty one while servers run; run again to continue",
    },
    add: async (...to) => (await import("../extras/move/move.commands.ts")).addMoveCommand(...to),
  },
];

async function addFilesAndShares(program: Command, context: Context): Promise<void> {
  const { addFileCommands } = await import("../files/commands/files.commands.ts");
  const { addShareCommands } = await import("../files/commands/shares.commands.ts");
  const { addDropCommands } = await import("../files/commands/drops.commands.ts");
  addFileCommands(program, context);
  addShareCommands(program, context);
  addDropCommands(program, context);
}

async function addLinksAndEvents(program: Command, context: Context): Promise<void> {
  const { addLinkCommands } = await import("../links/links.commands.ts");
  const { addLinkStatsCommand } = await import("../clicks/analytics/commands.ts");
  const { addDeletedCommands } = await import("../links/deleted/commands.ts");
  const { addSafetyCommands } = await import("../links/safety/commands.ts");
  const { addEventCommands } = await import("../platform/events/events.commands.ts");
  const links = addLinkCommands(program, context);
  addLinkStatsCommand(links, context);
  addDeletedCommands(links, context);
  addSafetyCommands(links, context);
  const services = async () => historyServices(await context.services());
  addEventCommands(program, links, { ...context, services });
}

/** Resolves with the exit code; never rejects. */
export async function runCli(argv: readonly string[]): Promise<number> {
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
  for (const { commands, add } of COMMAND_ROOMS) {
    if (Object.keys(commands).some((name) => argv.includes(name))) await add(program, session.context);
    for (const [name, about] of Object.entries(commands)) {
      (program.commands.find((one) => one.name() === name) ?? program.command(name)).description(about);
    }
  }
  program
    .command("version")
    .description("print the version")
    .action(() => session.context.output.line(VERSION));
  program
    .command("completion")
    .description("print the script that makes a shell complete commands and options")
    .addArgument(new Argument("<shell>").choices(Object.keys(COMPLETION_SCRIPTS)))
    .argument("[words...]", "print what may be the last of these words, as the script asks")
    .action(async (shell: keyof typeof COMPLETION_SCRIPTS, words: string[]) => {
      const { commandValues } = await import("./cli-values.ts");
      const found = words.length > 0 ? await completionsOf(program, words, commandValues) : [];
      session.context.output.line(words.length > 0 ? found.join("\n") : COMPLETION_SCRIPTS[shell]);
    });
  // What is not loaded does not say what it takes.
  program.configureHelp({ subcommandTerm: (command) => command.name() });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return explain(error, session.context, ran);
  } finally {
    await session.close();
  }
}

const historyServices = ({ events, links }: Services) => ({
  events,
  linkId: async (code: string, domain: string | undefined) =>
    (await links.by(COMMAND).get(links.domains.key(code, domain))).id,
});

function createSession(program: Command, ran: () => Command): { context: Context; close(): Promise<void> } {
  let env: Env | undefined;
  let services: Promise<Services> | undefined;
  const context: Context = {
    env: () => (env ??= loadEnv({ configFile: program.opts<{ config?: string }>().config })),
    services: () => (services ??= openForCommand(context, commandPath(ran()))),
    database: () => openInUse(context, commandPath(ran())),
    output: createOutput(leavable(process.stdout), leavable(process.stderr)),
    input: createInput(process.stdin, process.stderr),
  };
  const close = async () => {
    const opened = await services?.catch(() => undefined);
    await opened?.close();
  };
  return { context, close };
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
