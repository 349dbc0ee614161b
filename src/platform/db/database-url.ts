/**
 * Reads database URLs with several hosts, unix sockets and unescaped passwords, unlike `new URL`: everything before the
 * last `@` is user and password, with valid percent-escapes decoded.
 */
import { appError } from "../../lib/errors.ts";
import { type Tls, tlsOf } from "./database-tls.ts";

/** Undefined: the driver's default. */
export type Address = { host: string | undefined; port: number | undefined };

export type DatabaseLocation = {
  kind: "sqlite" | "postgres" | "mysql" | "mariadb";
  path: string;
  /** Servers of one cluster, of which one takes the writes; at least one, except for SQLite. */
  addresses: readonly Address[];
  /** Replaces the addresses. For PostgreSQL the socket's folder. */
  socket: string | undefined;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  tls: Tls | undefined;
};

const SERVER_URL =
  /^(?<scheme>postgres|postgresql|mysql|mariadb):\/\/(?:(?<user>[^:]*?)(?::(?<password>.*))?@)?(?<hosts>[^/?@]*)(?:\/(?<database>[^?/]*))?(?:\?(?<query>[^?]*))?$/s;

const ADDRESS = /^(?:\[(?<ipv6>[^\]]+)\]|(?<name>[^:[\]]*))(?::(?<port>\d{1,5}))?$/;
/** A connection asks all of them at once. */
const MOST_ADDRESSES = 16;

/** @throws BadRequest, without the password */
export function parseDatabaseUrl(url: string): DatabaseLocation {
  if (url.startsWith("sqlite:")) return { ...EMPTY, kind: "sqlite", path: sqlitePath(url) };
  const parts = SERVER_URL.exec(url)?.groups;
  const addresses = parts?.hosts?.split(",").map(addressOf);
  if (parts === undefined || !addresses?.every((one) => one !== null)) {
    throw appError(
      "BadRequest",
      "The database URL is invalid. Write sqlite:PATH, or postgres, mysql or mariadb in SCHEME://user:password@host:port/database, several servers as host:port,host:port, with `@`, `/`, `?` and `#` in the password as %40, %2F, %3F and %23.",
    );
  }
  if (addresses.length > MOST_ADDRESSES)
    throw appError("BadRequest", `The database URL names more than ${MOST_ADDRESSES} hosts.`);
  const query = new URLSearchParams(parts.query ?? "");
  const host = query.get("host") ?? addresses[0]?.host ?? "";
  const socket = query.get("socket") ?? (host.startsWith("/") ? host : undefined);
  const named = { host: socket === undefined ? host : undefined, port: addresses[0]?.port };
  return {
    ...EMPTY,
    kind: parts.scheme === "postgresql" ? "postgres" : (parts.scheme as "postgres" | "mysql" | "mariadb"),
    addresses: socket === undefined && !query.has("host") ? addresses : [named],
    socket,
    user: optional(parts.user),
    password: optional(parts.password),
    database: optional(parts.database),
    tls: tlsOf(query),
  };
}

/** The name that people read, without the password. */
export function databaseName({ kind, path, socket, addresses, database }: DatabaseLocation): string {
  if (kind === "sqlite") return path;
  const place = socket ?? addresses.map(addressName).join(",");
  return `${kind}://${place}/${database ?? ""}`;
}

export function addressName({ host = "localhost", port }: Address): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === undefined ? name : `${name}:${port}`;
}

/** Returns null for an invalid address. */
function addressOf(text: string, _: number, all: readonly string[]): Address | null {
  const parts = ADDRESS.exec(text)?.groups;
  const port = parts?.["port"] === undefined ? undefined : Number(parts["port"]);
  const isEmpty = text === "" && all.length > 1;
  if (parts === undefined || isEmpty || (port ?? 1) > 65_535) return null;
  return { host: optional(parts["ipv6"] ?? parts["name"]), port };
}

const EMPTY: DatabaseLocation = {
  kind: "sqlite",
  path: "",
  addresses: [],
  socket: undefined,
  user: undefined,
  password: undefined,
  database: undefined,
  tls: undefined,
};

function sqlitePath(url: string): string {
  const path = url.replace(/^sqlite:(\/\/(?=.))?/, "");
  if (path === "" || path.startsWith(":memory:")) {
    throw appError("BadRequest", "The database URL must name a file: sqlite:/path/to/waymark.db");
  }
  return path;
}

const optional = (text: string | undefined) => (text === undefined || text === "" ? undefined : decode(text));

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
