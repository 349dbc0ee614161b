/**
 * Start-up settings: built-in defaults, then waymark.toml, then WAYMARK__SECTION__KEY, frozen into one Env.
 * The only reader of process.env. A wrong key or value stops the start and says where and what is allowed.
 */
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { parse, TomlError } from "smol-toml";
import { ENV_SETTINGS, type SettingValue } from "./env-settings.ts";
import { dataPath, type UsedPath, usedInDataFolder } from "./lib/data-folder.ts";
import { appError } from "./lib/errors.ts";
import type { LogSettings } from "./lib/logger.ts";

export type DatabaseSection = {
  /** Always with a scheme; the path of a file database is absolute. May hold a password: never log it. */
  url: string;
  kind: "sqlite" | "postgres" | "mysql" | "mariadb";
  poolSize: number;
};

export type Env = {
  server: {
    host: string;
    port: number;
    unixSocket: string | null;
    /** Paths of PEM files; null serves plain HTTP. */
    tls: { cert: string; key: string } | null;
    workers: number | "auto";
  };
  data: { dir: string };
  storage: {
    /** A secret: never log it. */
    secretKey: string | null;
    /** Absolute folders. */
    localRoots: readonly string[];
  };
  database: DatabaseSection;
  cache: { type: "memory" | "redis"; redisUrl: string; maxLinks: number; ttl: number };
  logging: LogSettings & {
    /** From 0 (none) to 1 (all): how many requests are logged. */
    accessSample: number;
  };
  metrics: { enabled: boolean };
  analytics: { maxminddbPath: string | null; geoipApiUrl: string | null };
  /** Where a test wants the process to die: see lib/fault.ts. */
  fault: string | null;
};

const SETTING_OF_KEY = new Map(ENV_SETTINGS.map((setting) => [setting.key, setting]));

type Source = {
  cwd?: string;
  processEnv?: Record<string, string | undefined>;
  configFile?: string | undefined;
};

/**
 * The frozen settings. The file is `configFile`, else $WAYMARK_CONFIG, else waymark.toml in `cwd` when it exists.
 * @throws BadRequest with file, line and what is allowed
 */
export function loadEnv({ cwd = process.cwd(), processEnv = process.env, configFile }: Source = {}): Env {
  const named = configFile ?? processEnv["WAYMARK_CONFIG"];
  const file = resolve(cwd, named ?? "waymark.toml");
  if (named !== undefined && !existsSync(file)) throw wrong(`${file} does not exist`);
  const values = new Map<string, SettingValue>();
  if (existsSync(file)) readFile(file, values);
  readOverrides(processEnv, values);
  const base = existsSync(file) ? dirname(file) : cwd;
  return freeze(values, base, processEnv["WAYMARK_FAULT"] ?? null);
}

const wrong = (message: string) => appError("BadRequest", message);

function readFile(file: string, values: Map<string, SettingValue>): void {
  const source = readFileSync(file, "utf8");
  let sections: Record<string, unknown>;
  try {
    sections = parse(source);
  } catch (error) {
    if (error instanceof TomlError)
      throw wrong(`${file}:${error.line}:${error.column}: ${error.message.split("\n")[0]}`);
    throw error;
  }
  for (const [section, entries] of Object.entries(sections)) {
    if (typeof entries !== "object" || entries === null || Array.isArray(entries)) {
      throw wrong(`${file}:${lineOf(source, null, section)}: '${section}' stands outside of a section`);
    }
    for (const [name, value] of Object.entries(entries)) {
      const key = `${section}.${name}`;
      values.set(key, check(key, value, `${file}:${lineOf(source, section, name)}`));
    }
  }
}

/** The 1-based line on which `name` of `[section]` is set; the section's own line when it cannot be told. */
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
  processEnv: Record<string, string | undefined>,
  values: Map<string, SettingValue>,
): void {
  for (const [variable, raw] of Object.entries(processEnv)) {
    if (!variable.startsWith("WAYMARK__") || raw === undefined) continue;
    const key = variable.slice("WAYMARK__".length).replace("__", ".").toLowerCase();
    values.set(
      key,
      check(key, readText(raw, SETTING_OF_KEY.get(key)?.default), `environment variable ${variable}`),
    );
  }
}

/** A variable's text as the type of the setting's default, where it reads as that. */
function readText(raw: string, sample: SettingValue | undefined): SettingValue {
  if (typeof sample === "number" && /^-?\d+(\.\d+)?$/.test(raw)) return Number(raw);
  if (typeof sample === "boolean" && /^(true|false)$/.test(raw)) return raw === "true";
  if (Array.isArray(sample)) return raw.split(delimiter).filter(Boolean);
  return raw;
}

function check(key: string, value: unknown, where: string): SettingValue {
  const setting = SETTING_OF_KEY.get(key);
  if (setting === undefined) {
    const section = `${key.split(".")[0]}.`;
    const siblings = ENV_SETTINGS.filter((known) => known.key.startsWith(section)).map((known) => known.key);
    const allowed = siblings.length > 0 ? siblings : ENV_SETTINGS.map((known) => known.key);
    throw wrong(`${where}: unknown setting '${key}'; allowed: ${allowed.join(", ")}`);
  }
  const typed = setting.loose && typeof value === "number" ? String(value) : value;
  if (typeof typed !== typeof setting.default || !setting.accepts(typed as SettingValue)) {
    throw wrong(`${where}: '${key}' must be ${setting.allowed}`);
  }
  return typed as SettingValue;
}

function freeze(values: Map<string, SettingValue>, base: string, fault: string | null): Env {
  const get = (key: string): SettingValue => values.get(key) ?? SETTING_OF_KEY.get(key)!.default;
  const string = (key: string) => String(get(key));
  const optional = (key: string) => string(key) || null;
  const number = (key: string) => Number(get(key));
  const list = (key: string) => Object.freeze([...(get(key) as readonly string[])]);
  const path = (value: string) => (isAbsolute(value) ? value : join(base, value));
  const optionalPath = (key: string) => (optional(key) === null ? null : path(string(key)));
  const dir = path(string("data.dir"));
  const workers = string("server.workers");
  const env: Env = {
    server: {
      host: string("server.host"),
      port: number("server.port"),
      unixSocket: optionalPath("server.unix_socket"),
      tls: tlsFiles(optionalPath("server.tls_cert"), optionalPath("server.tls_key")),
      workers: workers === "auto" ? "auto" : Number(workers),
    },
    data: { dir },
    storage: {
      secretKey: optional("storage.secret_key"),
      localRoots: list("storage.local_roots"),
    },
    database: { ...databaseUrl(string("database.url"), dir, path), poolSize: number("database.pool_size") },
    cache: {
      type: string("cache.type") as Env["cache"]["type"],
      redisUrl: string("cache.redis_url"),
      maxLinks: number("cache.max_links"),
      ttl: number("cache.ttl"),
    },
    logging: {
      level: string("logging.level") as LogSettings["level"],
      format: string("logging.format") as LogSettings["format"],
      file: optionalPath("logging.file"),
      accessSample: number("logging.access_sample"),
    },
    metrics: { enabled: get("metrics.enabled") === true },
    analytics: {
      maxminddbPath: optionalPath("analytics.maxminddb_path"),
      geoipApiUrl: optional("analytics.geoip_api_url"),
    },
    fault,
  };
  for (const section of Object.values(env)) Object.freeze(section);
  return Object.freeze(env);
}

function tlsFiles(cert: string | null, key: string | null): Env["server"]["tls"] {
  if ((cert === null) !== (key === null)) {
    throw wrong("'server.tls_cert' and 'server.tls_key' belong together: set both, or neither");
  }
  return cert === null || key === null ? null : { cert, key };
}

function databaseUrl(
  url: string,
  dir: string,
  path: (value: string) => string,
): Pick<DatabaseSection, "url" | "kind"> {
  if (url === "") return { url: `sqlite:${dataPath(dir, "database")}`, kind: "sqlite" };
  if (url.startsWith("sqlite:"))
    return { url: `sqlite:${path(url.replace(/^sqlite:(\/\/(?=\/|[^/]))?/, ""))}`, kind: "sqlite" };
  const scheme = url.slice(0, url.indexOf(":"));
  return { url, kind: scheme === "postgresql" ? "postgres" : (scheme as "postgres" | "mysql" | "mariadb") };
}

/** Where the file database lies; null when a server keeps the database. */
export const fileDatabasePath = ({ url, kind }: DatabaseSection): string | null =>
  kind === "sqlite" ? url.slice("sqlite:".length) : null;

/** What the program keeps for itself, in the data folder and wherever the settings say. */
export const usedPaths = (env: Env): UsedPath[] => [
  ...usedInDataFolder(env.data.dir),
  ...[
    fileDatabasePath(env.database),
    env.logging.file,
    env.server.unixSocket,
    env.server.tls?.cert,
    env.server.tls?.key,
    env.analytics.maxminddbPath,
  ].flatMap((path) => (path ? [{ path: resolve(path), isFile: true }] : [])),
];
