/** The command line: registers the rooms' commands. */
import { existsSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { addAuthCommands } from "./auth/auth.commands.ts";
import { addBackupCommands } from "./upkeep/backup.commands.ts";
import type { CommandContext } from "./cli/command.ts";
import { COMMAND } from "./lib/actor.ts";
import { createInput } from "./cli/input.ts";
import { createOutput } from "./cli/output.ts";
import { addClickCommands } from "./clicks/clicks.commands.ts";
import { addLinkStatsCommand } from "./clicks/analytics/commands.ts";
import { addConfigCommands } from "./config/config.commands.ts";
import { addMigrateCommands } from "./db/migrate.commands.ts";
import { addDoctorCommand } from "./upkeep/doctor.commands.ts";
import { addEventCommands } from "./events/events.commands.ts";
import { type Env, fileDatabasePath, loadEnv } from "./env.ts";
import { AppError, type ErrorKind } from "./lib/errors.ts";
import { fileTrouble } from "./lib/file-trouble.ts";
import { createLogger } from "./lib/logger.ts";
import { VERSION } from "./lib/version.ts";
import { addDeletedCommands } from "./links/deleted/commands.ts";
import { addDomainCommands } from "./links/domains/commands.ts";
import { addLinkCommands } from "./links/links.commands.ts";
import { addServeCommand } from "./server.commands.ts";
import { refuseStrayDatabase } from "./other-servers.ts";
import { openServices, type Services } from "./services.ts";
import { addStatusCommand } from "./upkeep/status.commands.ts";

/** 0 is success, any other error 1. */
const EXIT_CODE_OF_KIND: Partial<Record<ErrorKind, number>> = {
  invalid: 2,
  too_large: 2,
  not_found: 3,
  conflict: 4,
  unavailable: 5,
};

/** Resolves with the exit code; never rejects. */
export async function runCli(argv: readonly string[]): Promise<number> {
  const program = new Command("waymark")
    .description("Short links and the files behind them")
    .version(VERSION, "-V, --version")
    .option("-c, --config <file>", "settings file (default: waymark.toml if it exists)")
    .showHelpAfterError("Use --help to list the options.")
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "waymark: ")) })
    .exitOverride();
  const session = createSession(program);
  addServeCommand(program, session.context);
  addAuthCommands(program, session.context);
  addConfigCommands(program, session.context);
  const links = addLinkCommands(program, session.context);
  addLinkStatsCommand(links, session.context);
  addDeletedCommands(links, session.context);
  addEventCommands(program, links, {
    ...session.context,
    services: async () => historyServices(await session.context.services()),
  });
  addDomainCommands(program, {
    ...session.context,
    services: async () => ({ domains: (await session.context.services()).links.domainService }),
  });
  addClickCommands(program, session.context);
  addMigrateCommands(program, session.context);
  addStatusCommand(program, session.context);
  addDoctorCommand(program, session.context);
  addBackupCommands(program, session.context);
  program
    .command("version")
    .description("print the version")
    .action(() => session.context.output.line(VERSION));
  try {
    await program.parseAsync([...argv], { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return explain(error, session.context);
  } finally {
    await session.close();
  }
}

const historyServices = ({ events, links }: Services) => ({
  events,
  linkId: async (code: string, domain: string | undefined) =>
    (await links.by(COMMAND).get(links.domains.key(code, domain))).id,
});

function createSession(program: Command): { context: CommandContext<Services>; close(): Promise<void> } {
  let env: Env | undefined;
  let services: Promise<Services> | undefined;
  const context: CommandContext<Services> = {
    env: () => (env ??= loadEnv({ configFile: program.opts<{ config?: string }>().config })),
    services: () => (services ??= openForCommand(context)),
    output: createOutput(process.stdout, process.stderr),
    input: createInput(process.stdin, process.stderr),
  };
  const close = async () => {
    const opened = await services?.catch(() => undefined);
    await opened?.close();
  };
  return { context, close };
}

/** Logs warnings only. @throws Conflict; see refuseStrayDatabase */
async function openForCommand({ env, output }: CommandContext): Promise<Services> {
  const settings = env();
  const file = fileDatabasePath(settings.database);
  if (file !== null && !existsSync(file)) refuseStrayDatabase(settings, process.cwd());
  return openServices(settings, {
    logger: await createLogger({ level: "warn", format: "pretty", file: null }),
    server: false,
    onNewDatabase: (name) => output.note(`waymark: created a new database: ${name}`),
  });
}

function explain(error: unknown, { output }: CommandContext): number {
  // Commander has printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof AppError && error.kind !== "internal") {
    output.note(`waymark: ${error.message}`);
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
