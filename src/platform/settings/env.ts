/** Start-up settings: defaults, then waymark.toml, then WAYMARK__SECTION__KEY. A wrong key or value stops the start. */
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { parse, TomlError } from "smol-toml";
import {
  listSettings,
  readSettings,
  sectionOf,
  type Setting,
  type SettingSection,
  type SettingValue,
  type StartSettings,
} from "./env-settings.ts";
import { dataPath, type UsedPath, usedInDataFolder } from "../../lib/data-folder.ts";
import type { DiskProbe } from "../../lib/disk-check.ts";
import { snakeCased } from "../../lib/case-names.ts";
import { closestWord } from "../../lib/closest-word.ts";
import { appError } from "../../lib/errors.ts";

export type Env = StartSettings & {
  /** Where a test kills the process; see lib/fault.ts. */
  readonly fault: string | null;
  /** Serves a successor bundle. */
  readonly isSuccessor?: true;
};

type Settings = ReturnType<typeof listSettings>;

type Source = {
  cwd?: string;
  processEnv?: Record<string, string | undefined>;
  configFile?: string | undefined;
};

/** @param sections what rooms add to the settings of the core */
export function createEnvReader(sections: readonly SettingSection[]) {
  const settings = listSettings(sections);
  return {
    settings,

    /**
     * Reads `configFile`, else $WAYMARK_CONFIG, else waymark.toml in `cwd` if it exists.
     * @throws BadRequest with file, line and what is allowed
     */
    loadEnv({ cwd = process.cwd(), processEnv = process.env, configFile }: Source = {}): Env {
      const named = configFile ?? processEnv["WAYMARK_CONFIG"];
      const file = resolve(cwd, named ?? "waymark.toml");
      if (named !== undefined && !existsSync(file)) throw wrong(`${file} does not exist`);
      const values = new Map<string, SettingValue>();
      if (existsSync(file)) readFile(settings, file, values);
      readOverrides(settings, processEnv, values);
      const base = existsSync(file) ? dirname(file) : cwd;
      const read = readSettings(settings, values, base);
      if ((read.server.tlsCert === null) !== (read.server.tlsKey === null)) {
        throw wrong("'server.tls_cert' and 'server.tls_key' belong together: set both or neither");
      }
      const conflict = acmeConflict(read.server);
      if (conflict !== null) throw wrong(conflict);
      for (const section of sections) {
        const refusal = section.refusal?.(sectionOf(read, section)) ?? null;
        if (refusal !== null) throw wrong(refusal);
      }
      return Object.freeze({ ...read, fault: processEnv["WAYMARK_FAULT"] ?? null });
    },

    /**
     * Names variables that are ignored and differ from a setting's only in case and separators, such as
     * WAYMARK_SERVER_PORT. Returns sentences.
     */
    findMisspelledVariables: (processEnv: Source["processEnv"] = process.env): string[] =>
      Object.entries(processEnv).flatMap(([variable, value = ""]) => {
        if (!/^waymark/i.test(variable) || variable.startsWith("WAYMARK__") || SERVICE_LINK.test(value))
          return [];
        const meant = keyLike(settings, variable.slice("waymark".length));
        if (meant === undefined) return [];
        return [`The environment variable ${variable} is ignored: the setting is ${variableOf(meant)}.`];
      }),
  };
}

const wrong = (message: string) => appError("BadRequest", message);

function acmeConflict({ acme, tlsCert, unixSocket, port, httpPort }: StartSettings["server"]): string | null {
  if (!acme) return null;
  if (tlsCert !== null)
    return "'server.acme' orders certificates itself: set it or 'server.tls_cert', not both";
  if (unixSocket !== null) return "'server.acme' needs ports: leave 'server.unix_socket' out";
  return port === httpPort ? "'server.port' and 'server.http_port' must differ" : null;
}

/** Whether the server itself speaks HTTPS. */
export const servesHttps = ({ tlsCert, acme }: Pick<Env["server"], "tlsCert" | "acme">): boolean =>
  tlsCert !== null || acme;

function readFile(settings: Settings, file: string, values: Map<string, SettingValue>): void {
  let source: string;
  let sections: Record<string, unknown>;
  try {
    source = readFileSync(file, "utf8");
  } catch (error) {
    throw wrong(`${file} can't be read: ${(error as Error).message}`);
  }
  try {
    sections = parse(source);
  } catch (error) {
    if (error instanceof TomlError)
      throw wrong(`${file}:${error.line}:${error.column}: ${error.message.split("\n")[0]}`);
    throw error;
  }
  for (const [section, entries] of Object.entries(sections)) {
    if (typeof entries !== "object" || entries === null || Array.isArray(entries)) {
      throw wrong(`${file}:${lineOf(source, null, section)}: '${section}' is outside of a section`);
    }
    for (const [name, value] of Object.entries(entries)) {
      const key = `${section}.${name}`;
      values.set(key, check(settings, key, value, `${file}:${lineOf(source, section, name)}`));
    }
  }
}

/** The 1-based line that sets `name` in `[section]`, else the section's line. */
function lineOf(source: string, section: string | null, name: string): number {
  let current: string | null = null;
  let heading = 1;
  for (const [index, line] of source.split("\n").entries()) {
    const opened = /^\s*\[\s*"?([^\]"]+?)"?\s*\]/.exec(line)?.[1];
    if (opened !== undefined) {
      current = opened;
      if (opened === section) heading = index + 1;
    }
    const key = /^\s*"?([\w.-]+)"?\s*=/.exec(line)?.[1];
    if ((current === section && key === name) || key === `${section}.${name}`) return index + 1;
  }
  return heading;
}

function readOverrides(
  settings: Settings,
  processEnv: Record<string, string | undefined>,
  values: Map<string, SettingValue>,
): void {
  for (const [variable, raw] of Object.entries(processEnv)) {
    if (!variable.startsWith("WAYMARK__") || raw === undefined) continue;
    const key = variable.slice("WAYMARK__".length).replace("__", ".").toLowerCase();
    const setting = settings.find((one) => one.key === key);
    values.set(key, check(settings, key, readText(raw, setting), `environment variable ${variable}`));
  }
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
const variableOf = (key: string): string => `WAYMARK__${key.toUpperCase().replace(".", "__")}`;
/** Finds the key that differs in case and separators only. */
const keyLike = (settings: Settings, text: string): string | undefined =>
  settings.find(({ key }) => lettersOf(key) === lettersOf(text))?.key;
/** Kubernetes sets such variables for each service, for example WAYMARK_SERVER_PORT=tcp://10.0.0.1:80. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;

/** Takes the type of the default, if the text has that form. */
function readText(raw: string, setting: Setting | undefined): SettingValue {
  const sample = setting?.default;
  if (typeof sample === "number" && /^-?\d+(\.\d+)?$/.test(raw)) return Number(raw);
  if (typeof sample === "boolean" && /^(true|false)$/.test(raw)) return raw === "true";
  if (Array.isArray(sample)) {
    const items = raw.split(setting?.separator ?? delimiter).map((item) => item.trim());
    return items.filter((item) => item !== "");
  }
  return raw;
}

function alternativesTo(settings: Settings, key: string): string {
  const meant = keyLike(settings, key);
  if (meant !== undefined) return `did you mean '${meant}', as a variable ${variableOf(meant)}?`;
  const known = settings.map((setting) => setting.key);
  const siblings = known.filter((one) => one.startsWith(`${key.split(".")[0]}.`));
  if (siblings.length > 0) return `allowed: ${siblings.join(", ")}`;
  const [section = "", name = ""] = key.split(".");
  const sections = [...new Set(known.map((one) => one.split(".")[0]!))];
  const closest = closestWord(section, sections);
  if (closest !== null) {
    const names = known.filter((one) => one.startsWith(`${closest}.`));
    return names.includes(`${closest}.${name}`)
      ? `did you mean '${closest}.${name}'?`
      : `did you mean the section '${closest}'? It has: ${names.join(", ")}`;
  }
  return `allowed: ${known.join(", ")}. Other settings are changed in the panel or by 'waymark config set'`;
}

function check(settings: Settings, key: string, value: unknown, where: string): SettingValue {
  const setting = settings.find((one) => one.key === key);
  if (setting === undefined) {
    throw wrong(`${where}: unknown setting '${key}'; ${alternativesTo(settings, key)}`);
  }
  const typed = setting.loose && typeof value === "number" ? String(value) : value;
  if (typeof typed !== typeof setting.default || !setting.accepts(typed as SettingValue)) {
    throw wrong(`${where}: '${key}' must be ${setting.allowed}`);
  }
  return typed as SettingValue;
}

export const fileDatabaseUrl = (path: string): string => `sqlite:${path}`;

/** Returns null when a server keeps the database. */
export const fileDatabasePath = ({ url }: Env["database"]): string | null =>
  url.startsWith("sqlite:") ? url.slice("sqlite:".length) : null;

/** Run-time settings that the start-up settings decide; those of [mail] all together. */
export function fixedSettings(env: Env): Record<string, string> {
  const { mail } = env as Env & { mail?: Record<string, string | number> };
  const given = Object.entries(snakeCased(env.oidc)).filter(([, value]) => value.length > 0);
  return Object.fromEntries([
    ...given.map(([name, value]) => [
      `oidc.${name}`,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
    ...(mail?.["host"] ? Object.entries(mail).map(([name, value]) => [`mail.${name}`, String(value)]) : []),
  ]);
}

export const usedPaths = (env: Env): UsedPath[] => [
  ...usedInDataFolder(env.data.dir),
  ...[
    fileDatabasePath(env.database),
    env.logging.file,
    env.server.unixSocket,
    env.server.tlsCert,
    env.server.tlsKey,
    env.analytics.maxminddbPath,
  ].flatMap((path) => (path ? [{ path: resolve(path), isFile: true }] : [])),
];

/** Probes of data folder and file database. Backups exclude their files. */
export function diskProbes({ data, database }: Env): DiskProbe[] {
  const own = { folder: data.dir, file: join(dataPath(data.dir, "processes"), "disk-probe") };
  const file = fileDatabasePath(database);
  if (file === null || dirname(file) === data.dir) return [own];
  return [own, { folder: dirname(file), file: `${file}-disk-probe` }];
}
