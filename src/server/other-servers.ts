/**
 * Finds servers of this machine, as systemd units and processes, that use another database than a command would create.
 * A shell lacks the variables of a unit's EnvironmentFile, so a command would create a database that no server reads.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Env, fileDatabasePath } from "../platform/settings/env.ts";
import { loadEnv } from "./settings.ts";
import { databaseName, parseDatabaseUrl } from "../platform/db/database-url.ts";
import { dataPath } from "../lib/data-folder.ts";
import { appError } from "../lib/errors.ts";

export type MachineFolders = {
  units: readonly string[];
  processes: string;
  /** Its main file, or the single executable. */
  program: string;
};

const MACHINE: MachineFolders = {
  units: ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"],
  processes: "/proc",
  program: Bun.main.startsWith("/$bunfs/") ? process.execPath : Bun.main,
};

type OtherServer = {
  /** How messages name it. */
  name: string;
  /** The working folder of a process; null for a unit. */
  cwd: string | null;
  /** The database of its settings, or null if those are unreadable. */
  env: Env | null;
  /** The settings file that this account can't read. */
  unreadable?: string;
};

type Source = { cwd: string; variables: Record<string, string>; args: readonly string[] };

/**
 * Refuses to create a database when a server uses another one and the command has the server's data folder, or only
 * default settings beside a unit or in the server's working folder.
 * @throws Conflict
 */
export function refuseStrayDatabase(env: Env, cwd: string, machine: MachineFolders = MACHINE): void {
  const isDefault = fileDatabasePath(env.database) === dataPath(join(cwd, "data"), "database");
  for (const server of listServers(machine)) {
    if (server.env?.database.url === env.database.url) continue;
    const isBeside = isDefault && (server.cwd === null || server.cwd === cwd);
    if (!isBeside && server.env?.data.dir !== env.data.dir) continue;
    const theirs =
      server.env === null
        ? `has settings in ${server.unreadable}, which this account can't read`
        : `uses ${databaseName(parseDatabaseUrl(server.env.database.url))}`;
    throw appError(
      "Conflict",
      `The database ${fileDatabasePath(env.database)} does not exist, and ${server.name} ${theirs}. ` +
        `Nothing was created. Run the command with that server's settings, or create a new database here with 'migrate up' first.`,
    );
  }
}

const listServers = ({ units, processes, program }: MachineFolders): OtherServer[] =>
  [...units.flatMap(listUnits), ...listProcesses(processes, program)].filter(
    // A server with invalid settings does not start.
    ({ env, unreadable }) => env !== null || unreadable !== undefined,
  );

function listUnits(folder: string): OtherServer[] {
  return namesIn(folder)
    .filter((name) => /^waymark.*\.service$/.test(name))
    .map((name) => {
      const dropIns = namesIn(join(folder, `${name}.d`)).filter((part) => part.endsWith(".conf"));
      const files = [join(folder, name), ...dropIns.sort().map((part) => join(folder, `${name}.d`, part))];
      return readUnit(name, files);
    });
}

/** Environment and EnvironmentFile as in systemd.exec(5). */
function readUnit(name: string, files: readonly string[]): OtherServer {
  const assignments: string[] = [];
  const source: Source = { cwd: "/", variables: {}, args: [] };
  for (const file of files) {
    for (const line of (textOf(file) ?? "").replaceAll(/\\\n/g, " ").split("\n")) {
      const [, key, text = ""] = /^\s*(\w+)\s*=(.*)/.exec(line) ?? [];
      const value = text.trim();
      if (key === "Environment") assignments.push(...wordsOf(value));
      if (key === "WorkingDirectory") source.cwd = value.replace(/^-/, "");
      if (key === "ExecStart") source.args = wordsOf(value);
      if (key !== "EnvironmentFile") continue;
      const path = value.replace(/^-/, "");
      const variables = textOf(path);
      if (variables === null) return { name, cwd: null, env: null, unreadable: path };
      assignments.push(
        ...variables.split("\n").map((row) => wordsOf(row.replace(/^\s*[#;].*/, "")).join(" ")),
      );
    }
  }
  source.variables = variablesOf(assignments);
  return { name, cwd: null, env: settingsOf(source) };
}

function listProcesses(folder: string, program: string): OtherServer[] {
  return namesIn(folder)
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const args = (textOf(join(folder, pid, "cmdline")) ?? "").split("\0");
      const isOurs = args.includes(program) || targetOf(join(folder, pid, "exe")) === program;
      const variables = textOf(join(folder, pid, "environ"));
      if (!isOurs || !args.includes("serve") || args.includes("--worker-port") || !variables) return [];
      const source = {
        cwd: targetOf(join(folder, pid, "cwd")),
        args,
        variables: variablesOf(variables.split("\0")),
      };
      return [{ name: `the running server (process ${pid})`, cwd: source.cwd, env: settingsOf(source) }];
    });
}

/** The settings of the server, or null if they are invalid. */
function settingsOf({ cwd, variables, args }: Source): Env | null {
  const at = args.findIndex((arg) => arg === "-c" || arg === "--config");
  try {
    return loadEnv({ cwd, processEnv: variables, configFile: at === -1 ? undefined : args[at + 1] });
  } catch {
    return null;
  }
}

const variablesOf = (assignments: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    assignments
      .map((assignment) => /^(\w+)=(.*)$/s.exec(assignment))
      .flatMap((match) => (match === null ? [] : [[match[1]!, match[2]!]])),
  );

/** Splits a line into words and removes quotes. */
const wordsOf = (text: string): string[] =>
  [...text.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|[^\s"']+)+/g)].map(([word]) =>
    word.replaceAll(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
      (_all, double?: string, single?: string) => double ?? single ?? "",
    ),
  );

const namesIn = (folder: string): string[] => attempt(() => readdirSync(folder)) ?? [];
const targetOf = (link: string): string => attempt(() => readlinkSync(link)) ?? dirname(link);

/** Empty when the file is missing, null when it is unreadable. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "" : null;
  }
}

function attempt<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}
