/** The table of start-up settings, from which the type `StartSettings` follows. */
import { isAbsolute, join } from "node:path";
import { dataPath } from "../../lib/data-folder.ts";

export type SettingValue = string | number | boolean | readonly string[];

export type SettingSource = {
  /** Folder of waymark.toml, else the working folder. */
  base: string;
  /** Absolute. */
  dataDir: string;
};

export type Setting<T = unknown> = {
  default: SettingValue;
  description: string;
  /** What error messages say. */
  allowed: string;
  /** The value has the type of the default. */
  accepts(value: SettingValue): boolean;
  /** Converts an allowed value. */
  read(value: SettingValue, place: SettingSource): T;
  /** A text that may be a number in the file. */
  loose?: boolean;
  /** Separator of a list in an environment variable; by default as in PATH. */
  separator?: string;
};

const text = (fallback: string, description: string, allowed = "a text"): Setting<string> => ({
  default: fallback,
  description,
  allowed,
  accepts: (value) => !String(value).includes("\0"),
  read: String,
});

const optional = <T>(setting: Setting<T>): Setting<T | null> => ({
  ...setting,
  read: (value, place) => (value === "" ? null : setting.read(value, place)),
});

const absolute = (path: string, { base }: SettingSource): string =>
  isAbsolute(path) ? path : join(base, path);

/** Relative to the folder of waymark.toml. */
const path = (fallback: string, description: string): Setting<string> => ({
  ...text(fallback, description),
  read: (value, place) => absolute(String(value), place),
});

const integer = (fallback: number, min: number, max: number, description: string): Setting<number> => ({
  default: fallback,
  description,
  allowed: `a whole number from ${min} to ${max}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  read: Number,
});

/** An environment variable separates paths as PATH does. */
const folders = (description: string): Setting<readonly string[]> => ({
  default: [],
  description,
  allowed: 'a list of absolute paths such as ["/srv/files"], as a variable /srv/files:/mnt/more',
  accepts: (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof one === "string" && one.startsWith("/") && !one.includes("\0")),
  read: (value) => Object.freeze([...(value as readonly string[])]),
});

/** An environment variable separates them by commas. */
const names = (description: string, example: string): Setting<readonly string[]> => ({
  ...folders(description),
  allowed: `a list of texts such as ${example}, as a variable separated by commas`,
  separator: ",",
  accepts: (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
});

const share = (description: string): Setting<number> => ({
  default: 0,
  description,
  allowed: "a number from 0 to 1",
  accepts: (value) => Number(value) >= 0 && Number(value) <= 1,
  read: Number,
});

const flag = (fallback: boolean, description: string): Setting<boolean> => ({
  default: fallback,
  description,
  allowed: "true or false",
  accepts: () => true,
  read: (value) => value === true,
});

/** The first option is the default. */
const choice = <const T extends string>(options: readonly [T, ...T[]], description: string): Setting<T> => ({
  default: options[0],
  description,
  allowed: options.map((option) => `"${option}"`).join(" or "),
  accepts: (value) => options.some((option) => option === value),
  read: (value) => value as T,
});

const matching = (
  fallback: string,
  pattern: RegExp,
  allowed: string,
  description: string,
): Setting<string> => ({
  ...text(fallback, description, allowed),
  accepts: (value) => value === "" || pattern.test(String(value)),
});

const httpUrl = (description: string) =>
  optional(matching("", /^https?:\/\/\S+$/, "an http or https URL", description));

const DATABASE_URL = /^(sqlite:.+|(postgres|postgresql|mysql|mariadb):\/\/\S+)$/;

/** Returns a URL with a scheme; the path of a file database is absolute. */
function readDatabaseUrl(value: SettingValue, place: SettingSource): string {
  const url = String(value);
  if (url === "") return `sqlite:${dataPath(place.dataDir, "database")}`;
  if (!url.startsWith("sqlite:")) return url;
  return `sqlite:${absolute(url.replace(/^sqlite:(\/\/(?=\/|[^/]))?/, ""), place)}`;
}

/** What sections of rooms are made of. */
export const settingKinds = { text, integer, flag, choice, matching, httpUrl };

type Rows = Readonly<Record<string, Setting>>;

/** A section that a room adds. */
export type SettingSection<R extends Rows = Rows> = {
  name: string;
  /** The section of the core that follows in the template. Default: none. */
  before?: string;
  rows: R;
  /** Reports what is wrong with values together; null: nothing. */
  refusal?(values: SectionValues<R>): string | null;
};

/** Sections in the order of the template. */
const SECTIONS = {
  server: {
    host: text("127.0.0.1", "Address to listen on; 0.0.0.0 or :: for all interfaces."),
    port: integer(8080, 0, 65535, "Port to listen on; 0 picks a free one."),
    unix_socket: optional(path("", "Path of a unix socket to listen on instead of host and port.")),
    tls_cert: optional(
      path(
        "",
        "PEM file with the certificate and its chain, to serve HTTPS, read again on SIGHUP; needs server.tls_key.",
      ),
    ),
    tls_key: optional(path("", "PEM file with the certificate's private key.")),
    acme: flag(
      false,
      "Whether to order certificates from an authority, for the host of features.public_url and every domain, and to serve HTTPS with them on server.port (443 on the internet).",
    ),
    acme_email: text("", "Address that the authority may write to about certificates; empty: none."),
    acme_directory: matching(
      "https://acme-v02.api.letsencrypt.org/directory",
      /^https:\/\/\S+$/,
      "an https URL",
      "Directory of the authority (ACME, RFC 8555); by default that of Let's Encrypt.",
    ),
    http_port: integer(
      80,
      1,
      65535,
      "Port for the proofs that the authority asks for, and for redirects to HTTPS; with server.acme only.",
    ),
    workers: {
      ...text("1", "Worker processes that share the port."),
      allowed: 'a whole number from 1 to 256, or "auto" for one per core',
      loose: true,
      accepts: (value) =>
        value === "auto" || (/^\d{1,3}$/.test(String(value)) && Number(value) >= 1 && Number(value) <= 256),
      read: (value) => (value === "auto" ? "auto" : Number(value)),
    } satisfies Setting<number | "auto">,
  },
  data: { dir: path("./data", "Folder for the built-in database, the click journal and stored files.") },
  database: {
    /** May contain a password: never log it. */
    url: {
      ...matching(
        "",
        DATABASE_URL,
        "sqlite:PATH, postgres://…, mysql://… or mariadb://…",
        "Database. Empty: SQLite in the data folder. Others: postgres://user:password@host:5432/name, mysql://…, mariadb://…; postgres://user:password@host1,host2:5433/name for servers of which one takes writes, at most 16.",
      ),
      read: readDatabaseUrl,
    },
    /** May contain a password: never log it. */
    replica_url: optional(
      matching(
        "",
        DATABASE_URL,
        "postgres://…, mysql://… or mariadb://…",
        "Server of the same kind that follows that of database.url. Reports and exports read from it while it is at most ten seconds behind.",
      ),
    ),
    pool_size: integer(10, 1, 500, "Connections to a database server, for each worker."),
  },
  storage: {
    /** Never log it. */
    secret_key: optional(
      matching(
        "",
        /^[0-9a-f]{64}$/i,
        "64 hexadecimal digits",
        "Key for stored credentials of S3, secrets of webhooks and second factors, and keys of certificates, the same on every node. Empty: secret.key in the data folder, created when first needed.",
      ),
    ),
    local_roots: folders("Folders below which storage policies may keep files, besides the data folder."),
  },
  cache: {
    type: choice(["memory", "redis"], "memory: within each worker. redis: shared between nodes as well."),
    redis_url: matching(
      "redis://127.0.0.1:6379",
      /^(rediss?(\+sentinel)?|redis\+unix):\/\/\S+$/,
      "redis://…, rediss://…, redis+sentinel://… or redis+unix://…",
      "Redis server, for cache.type redis, or its Sentinels: redis+sentinel://user:password@host1:26379,host2:26379/NAME/0.",
    ),
    max_links: integer(
      1_000_000,
      1_000,
      50_000_000,
      "Links kept in memory by each worker, about 110 bytes each. Every other link takes 2 bytes, or 8 with SQLite.",
    ),
    ttl: integer(
      0,
      0,
      31_536_000,
      "Seconds after which a cached link is read again; 0: only after a change.",
    ),
  },
  logging: {
    level: choice(["info", "trace", "debug", "warn", "error", "fatal", "silent"], "Lowest severity to log."),
    format: choice(["pretty", "json"], "pretty for people, json for log collectors."),
    file: optional(path("", "File to append the log to, opened again on SIGHUP; empty: standard error.")),
    access_sample: share("Share of requests to log, chosen at random; 0: none, 1: all."),
  },
  metrics: { enabled: flag(true, "Whether to serve {health_prefix}/metrics for Prometheus.") },
  health: {
    open_probes: choice(
      ["none", "live", "ready"],
      "Health endpoints that need no credentials, even before a password is set. live: {health_prefix}/live. ready: {health_prefix}/ready as well.",
    ),
  },
  /** Each that is set here decides the run-time setting of its name, whose rule it obeys. */
  oidc: {
    issuer: text("", "Provider of OpenID Connect. Empty: as set in the panel."),
    client_id: text("", "What the provider calls this instance. Empty, here and below: as set in the panel."),
    /** Never log it. */
    client_secret: text("", "Secret of that client."),
    label: text("", "Text of the button on the sign-in page."),
    scopes: names("Scopes to ask for.", '["openid", "profile", "email"]'),
    role_claim: text("", "Claim that gives the role, such as roles or realm_access.roles."),
    roles: names("Roles by value of that claim.", '["staff=editor", "*=user"]'),
    allowed_domains: names("Domains of verified e-mail addresses that may sign in.", '["example.com"]'),
    groups_claim: text("", "Claim that lists the groups."),
    allowed_groups: names("Groups that may sign in.", '["links"]'),
  },
  analytics: {
    maxminddb_path: optional(path("", "MaxMind database file (.mmdb) for geo lookup.")),
    geoip_api_url: httpUrl("HTTP provider for geo lookup; {ip} stands for the address."),
  },
} satisfies Record<string, Record<string, Setting>>;

type Sections = typeof SECTIONS;
type Camel<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type Read<S> = S extends { read(...args: never[]): infer T } ? T : never;

/** The values of a section by camel-case name. */
export type SectionValues<R> = { readonly [K in keyof R as Camel<K & string>]: Read<R[K]> };

/** By section. Sections of rooms are there too: see `sectionOf`. */
export type StartSettings = { readonly [S in keyof Sections]: SectionValues<Sections[S]> };

/** Returns the values of a section that a room adds. */
export const sectionOf = <R extends Rows>(settings: StartSettings, { name }: SettingSection<R>) =>
  (settings as unknown as Record<string, SectionValues<R>>)[name]!;

type Named = Setting & { section: string; name: string; key: string };

const named = (section: string, rows: Rows): Named[] =>
  Object.entries(rows).map(([name, row]) => ({ ...row, section, name, key: `${section}.${name}` }));

/** Lists the settings of the core and of rooms in the order of the template. */
export const listSettings = (added: readonly SettingSection[]): readonly Named[] => [
  ...Object.entries<Rows>(SECTIONS).flatMap(([section, rows]) => [
    ...added.filter(({ before }) => before === section).flatMap((one) => named(one.name, one.rows)),
    ...named(section, rows),
  ]),
  ...added.filter(({ before }) => before === undefined).flatMap((one) => named(one.name, one.rows)),
];

/** Frozen, with defaults for missing values. */
export function readSettings(
  settings: readonly Named[],
  values: ReadonlyMap<string, SettingValue>,
  base: string,
): StartSettings {
  const valueOf = (key: string, row: Setting): SettingValue => values.get(key) ?? row.default;
  const dataDir = SECTIONS.data.dir.read(valueOf("data.dir", SECTIONS.data.dir), { base, dataDir: "" });
  const place = { base, dataDir };
  const sections = Map.groupBy(settings, ({ section }) => section);
  const read = [...sections].map(([section, rows]) => {
    const entries = rows.map((row) => [
      row.name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      row.read(valueOf(row.key, row), place),
    ]);
    return [section, Object.freeze(Object.fromEntries(entries))];
  });
  return Object.freeze(Object.fromEntries(read)) as StartSettings;
}
