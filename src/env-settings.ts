/** The table of start-up settings: a row says key, default, what it does and what is allowed. */
export type SettingValue = string | number | boolean | readonly string[];
export type Setting = {
  key: string;
  default: SettingValue;
  description: string;
  /** What is allowed, as the error message says it. */
  allowed: string;
  /** Whether the value, already of the default's type, is allowed. */
  accepts(value: SettingValue): boolean;
  /** A text value that may also be a number in the file (server.workers). */
  loose?: boolean;
};

const text = (key: string, fallback: string, description: string, allowed = "a text"): Setting => ({
  key,
  default: fallback,
  description,
  allowed,
  accepts: (value) => !String(value).includes("\0"),
});

const integer = (key: string, fallback: number, min: number, max: number, description: string): Setting => ({
  key,
  default: fallback,
  description,
  allowed: `a whole number from ${min} to ${max}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
});

/** In a variable the paths are separated as in PATH. */
const folders = (key: string, description: string): Setting => ({
  key,
  default: [],
  description,
  allowed: 'a list of absolute paths such as ["/srv/files"], as a variable /srv/files:/mnt/more',
  accepts: (value) =>
    Array.isArray(value) &&
    value.every((path) => typeof path === "string" && path.startsWith("/") && !path.includes("\0")),
});

const share = (key: string, description: string): Setting => ({
  key,
  default: 0,
  description,
  allowed: "a number from 0 to 1",
  accepts: (value) => Number(value) >= 0 && Number(value) <= 1,
});

const flag = (key: string, fallback: boolean, description: string): Setting => ({
  key,
  default: fallback,
  description,
  allowed: "true or false",
  accepts: () => true,
});

const choice = (key: string, options: readonly string[], description: string): Setting => ({
  key,
  default: options[0]!,
  description,
  allowed: options.map((option) => `"${option}"`).join(" or "),
  accepts: (value) => options.includes(String(value)),
});

const matching = (
  key: string,
  fallback: string,
  pattern: RegExp,
  allowed: string,
  description: string,
): Setting => ({
  ...text(key, fallback, description, allowed),
  accepts: (value) => value === "" || pattern.test(String(value)),
});

const DATABASE_URL = /^(sqlite:.+|(postgres|postgresql|mysql|mariadb):\/\/\S+)$/;

/** Every start-up setting, in the order of the template. */
export const ENV_SETTINGS: readonly Setting[] = [
  text("server.host", "127.0.0.1", "Address to listen on; 0.0.0.0 or :: for every interface."),
  integer("server.port", 8080, 0, 65535, "Port to listen on; 0 picks a free one."),
  text("server.unix_socket", "", "Path of a unix socket to listen on instead of host and port."),
  text(
    "server.tls_cert",
    "",
    "PEM file with the certificate and its chain, to serve HTTPS; needs server.tls_key.",
  ),
  text("server.tls_key", "", "PEM file with the certificate's private key."),
  {
    ...text("server.workers", "1", "Worker processes that share the port."),
    allowed: 'a whole number from 1 to 256, or "auto" for one a core',
    loose: true,
    accepts: (value) =>
      value === "auto" || (/^\d{1,3}$/.test(String(value)) && Number(value) >= 1 && Number(value) <= 256),
  },
  text("data.dir", "./data", "Folder for the built-in database, the click journal and stored files."),
  matching(
    "database.url",
    "",
    DATABASE_URL,
    "sqlite:PATH, postgres://…, mysql://… or mariadb://…",
    "Database. Empty: SQLite in the data folder. Others: postgres://user:password@host:5432/name, mysql://…, mariadb://…",
  ),
  integer("database.pool_size", 10, 1, 500, "Connections to a database server, for each worker."),
  matching(
    "storage.secret_key",
    "",
    /^[0-9a-f]{64}$/i,
    "64 hexadecimal digits",
    "Key for stored S3 credentials, the same on every node. Empty: secret.key in the data folder, made when first needed.",
  ),
  folders(
    "storage.local_roots",
    "Folders below which storage policies may keep files, besides the data folder.",
  ),
  choice(
    "cache.type",
    ["memory", "redis"],
    "memory: within each worker. redis: shared between nodes as well.",
  ),
  matching(
    "cache.redis_url",
    "redis://127.0.0.1:6379",
    /^(rediss?|redis\+unix):\/\/\S+$/,
    "redis://…, rediss://… or redis+unix://…",
    "Redis server, for cache.type redis.",
  ),
  integer(
    "cache.max_links",
    1_000_000,
    1_000,
    50_000_000,
    "Links kept in memory by each worker, about 110 bytes each.",
  ),
  integer(
    "cache.ttl",
    0,
    0,
    31_536_000,
    "Seconds after which a cached link is read again; 0: only when it changes.",
  ),
  choice(
    "logging.level",
    ["info", "trace", "debug", "warn", "error", "fatal", "silent"],
    "Least severity that is logged.",
  ),
  choice("logging.format", ["pretty", "json"], "pretty for people, json for log collectors."),
  text("logging.file", "", "File to append the log to; empty: standard error."),
  share("logging.access_sample", "Share of requests that are logged, chosen at random; 0: none, 1: all."),
  flag("metrics.enabled", true, "Whether {health_prefix}/metrics is there, for Prometheus."),
  text("analytics.maxminddb_path", "", "MaxMind database file (.mmdb) for geo lookup."),
  matching(
    "analytics.geoip_api_url",
    "",
    /^https?:\/\/\S+$/,
    "an http or https URL",
    "HTTP provider for geo lookup; {ip} stands for the address.",
  ),
];

/** waymark.toml with every setting at its default, commented out, each with what it does and what is allowed. */
export function generateTemplate(): string {
  const lines = [
    "# Start-up settings of Waymark. Each can also be given as WAYMARK__SECTION__KEY, which wins.",
    "",
  ];
  let section = "";
  for (const setting of ENV_SETTINGS) {
    const [name, key] = setting.key.split(".") as [string, string];
    if (name !== section) lines.push(...(section === "" ? [] : [""]), `[${name}]`);
    section = name;
    lines.push(
      `# ${setting.description} (${setting.allowed})`,
      `# ${key} = ${JSON.stringify(setting.default)}`,
    );
  }
  return `${lines.join("\n")}\n`;
}
