/**
 * Why a server that responds rejects the sign-in, as a sentence for whoever runs it: it names the account and the
 * database, and never the password. Waiting does not help, unlike with a server that is away.
 */
import type { DatabaseLocation } from "./database-url.ts";
import { isCertificateRefusal } from "./failures.ts";

const SERVERS = { postgres: "PostgreSQL", mysql: "MySQL", mariadb: "MariaDB" };

type Reason = "pooler" | "password" | "account" | "database" | "rights" | "certificate" | "unencrypted";

const POSTGRES: Record<string, Reason> = {
  "28P01": "password",
  "28000": "account",
  "3D000": "database",
  "42501": "rights",
};
const MYSQL: Record<number, Reason> = {
  1045: "password",
  1698: "password",
  1129: "account", // after too many broken connections
  1130: "account", // not from this host
  1251: "account", // the way it signs in
  1820: "account", // its password has expired
  1862: "account",
  3118: "account", // locked
  4151: "account",
  3159: "account", // only with TLS
  1049: "database",
  1044: "rights",
  1142: "rights",
  1143: "rights",
  1227: "rights",
  1370: "rights",
};

const LONGEST_REASON = 300;

/** Returns null for another error. */
export function explainRefusal(location: DatabaseLocation, error: unknown): string | null {
  if (location.kind === "sqlite") return null;
  const reason = reasonOf(location.kind, error);
  if (reason === null) return null;
  const server = SERVERS[location.kind];
  const { user, database } = location;
  const account = user === undefined ? "the account without a name" : `the account '${user}'`;
  const stated = error instanceof Error ? error.message.replaceAll(/\s+/g, " ").slice(0, LONGEST_REASON) : "";
  switch (reason) {
    case "pooler":
      return `PgBouncer stands in front of ${server} and refuses a setting of Waymark's sessions (${stated}). Add 'ignore_startup_parameters = statement_timeout' to its settings, for pool_mode = transaction or session, or connect Waymark to ${server} itself.`;
    case "password":
      return `${server} refused the password of ${account}, or has no such account (${stated}). Set the right ones in database.url.`;
    case "account":
      return `${server} refused ${account} (${stated}). Let it in there, or set another one in database.url.`;
    case "database":
      return `${server} has no database '${database ?? ""}' (${stated}). Create it with '${creation(location)}', or set database.url to another one.`;
    case "rights":
      return `${server} does not give ${account} the rights that Waymark needs in the database '${database ?? ""}' (${stated}). Grant them with '${grant(location)}'.`;
    case "certificate":
      return `The certificate of ${server} was refused (${stated}). Name the file of its authority with sslrootcert in database.url, and the host as the certificate does.`;
    case "unencrypted":
      return `${server} offers no TLS (${stated}), and sslmode in database.url asks for it. Switch TLS on there, or set sslmode=disable.`;
  }
}

function reasonOf(kind: "postgres" | "mysql" | "mariadb", error: unknown): Reason | null {
  const { code = "", errno = 0 } = (error ?? {}) as { code?: string; errno?: number };
  const message = error instanceof Error ? error.message : "";
  if (isCertificateRefusal(error)) return "certificate";
  if (code === "HANDSHAKE_NO_SSL_SUPPORT" || message === NO_TLS) return "unencrypted";
  if (kind === "postgres" && message.startsWith(POOLER)) return "pooler";
  if (kind === "postgres") return message.startsWith(NO_PASSWORD) ? "password" : (POSTGRES[code] ?? null);
  return MYSQL[errno] ?? null;
}

/** Texts of PostgreSQL's driver, which gives no code. */
const NO_TLS = "The server does not support SSL connections";
const POOLER = "unsupported startup parameter";
const NO_PASSWORD = "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string";

const creation = ({ kind, database = "waymark", user }: DatabaseLocation): string =>
  kind === "postgres"
    ? `CREATE DATABASE ${database}${user === undefined ? "" : ` OWNER ${user}`}`
    : `CREATE DATABASE ${database} CHARACTER SET utf8mb4`;

const grant = ({ kind, database = "waymark", user = "waymark" }: DatabaseLocation): string =>
  kind === "postgres"
    ? `ALTER DATABASE ${database} OWNER TO ${user}`
    : `GRANT ALL ON ${database}.* TO '${user}'@'%'`;
