/**
 * The database of a command. Commands that set something up make one where there is none; all others refuse that,
 * because in a wrong folder they would make an empty one and report on it as if it were the installation's.
 */
import { existsSync } from "node:fs";
import type { Command } from "commander";
import type { CommandContext } from "../platform/cli/command.ts";
import type { Database } from "../platform/db/database.ts";
import { type Env, fileDatabasePath } from "../platform/settings/env.ts";
import { type AppError, appError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { programName } from "../lib/program-name.ts";
import { useLongSlices } from "../lib/time-slices.ts";
import type { OpenRooms } from "./open.ts";
import { ROOMS } from "./rooms.ts";
import { findMisspelledVariables } from "./settings.ts";

/** `serve`, which opens its own, makes one too. */
const isSetUp = (path: string): boolean => ROOMS.some(({ setUpCommands }) => setUpCommands?.includes(path));

/** Its names, such as `links list`. */
export function commandPath(command: Command): string {
  const names: string[] = [];
  for (let one: Command | null = command; one?.parent; one = one.parent) names.unshift(one.name());
  return names.join(" ");
}

/** Logs warnings only. @throws Conflict (see refuseStrayDatabase), ServiceUnavailable without a database */
export async function openForCommand(context: CommandContext, path: string): Promise<OpenRooms> {
  const settings = context.env();
  noteMisspelled(context);
  await refuseMissingFile(settings, path);
  const { openRooms } = await import("./open.ts");
  useLongSlices();
  return openRooms(settings, {
    logger: await createWarner(),
    isServer: false,
    ...(!isSetUp(path) && {
      refuseNew: (name: string) => noDatabase(`${name} has none of its tables`),
    }),
    onNewDatabase: (name) => context.output.note(`waymark: created a new database: ${name}`),
  });
}

/** After a move the one that it went to. Throws like openForCommand. */
export async function openInUse(context: CommandContext, path: string): Promise<Database> {
  const settings = context.env();
  noteMisspelled(context);
  await refuseMissingFile(settings, path);
  const { openCurrentDatabase, openSecretBox } = await import("./open.ts");
  const options = {
    isServer: false,
    box: openSecretBox(settings),
    step: <T>(work: () => Promise<T>) => work(),
  };
  return (await openCurrentDatabase(settings, { ...options, logger: await createWarner() })).database;
}

async function refuseMissingFile(settings: Env, path: string): Promise<void> {
  const file = fileDatabasePath(settings.database);
  if (file === null || existsSync(file)) return;
  const { refuseStrayDatabase } = await import("./other-servers.ts");
  refuseStrayDatabase(settings, process.cwd());
  if (!isSetUp(path)) throw noDatabase(`${file} does not exist`);
}

/** @param fact where no database was found */
const noDatabase = (fact: string): AppError =>
  appError(
    "ServiceUnavailable",
    `There is no database of Waymark here: ${fact}, and this command makes none. ` +
      `Run it in the server's folder, or choose its settings with --config, or its database with WAYMARK__DATABASE__URL or WAYMARK__DATA__DIR. ` +
      `'${programName()} serve' makes a new one.`,
  );

const noteMisspelled = ({ output }: CommandContext): void => {
  for (const sentence of findMisspelledVariables()) output.note(`waymark: ${sentence}`);
};

async function createWarner(): Promise<Logger> {
  const { createLogger } = await import("../lib/logger.ts");
  return createLogger({ level: "warn", format: "pretty", file: null });
}
