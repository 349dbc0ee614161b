/**
 * Reads database URLs with unix sockets and unescaped passwords, unlike `new URL`: everything before the last `@` is
 * user and password, with valid percent-escapes decoded.
 */
import { appError } from "../lib/errors.ts";
import { type Tls, tlsOf } from "./database-tls.ts";

export type DatabaseLocation = {
  kind: "sqlite" | "postgres" | "mysql" | "mariadb";
  path: string;
  /** Undefined: the driver's default. */
  host: string | undefined;
  port: number | undefined;
  /** Replaces host and port. For PostgreSQL the socket's folder. */
  socket: string | undefined;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  tls: Tls | undefined;
};

const SERVER_URL =
  /^(?<scheme>postgres|postgresql|mysql|mariadb):\/\/(?:(?<user>[^:]*?)(?::(?<password>.*))?@)?(?<host>\[[^\]]+\]|[^/:?@]*)(?::(?<port>\d{1,5}))?(?:\/(?<database>[^?/]*))?(?:\?(?<query>[^?]*))?$/s;

/** @throws BadRequest, without the password */
export function parseDatabaseUrl(url: string): DatabaseLocation {
  if (url.startsWith("sqlite:")) return { ...EMPTY, kind: "sqlite", path: sqlitePath(url) };
  const parts = SERVER_URL.exec(url)?.groups;
  if (parts === undefined) {
    throw appError(
      "BadRequest",
      "The database URL is invalid. Write scheme://user:password@host:port/database, with `@`, `/`, `?` and `#` in the password as %40, %2F, %3F and %23.",
    );
  }
  const query = new URLSearchParams(parts.query ?? "");
  const host = query.get("host") ?? decode(parts.host?.replace(/^\[|\]$/g, "") ?? "");
  const socket = query.get("socket") ?? (host.startsWith("/") ? host : undefined);
  return {
    ...EMPTY,
    kind: parts.scheme === "postgresql" ? "postgres" : (parts.scheme as "postgres" | "mysql" | "mariadb"),
    host: socket !== undefined || host === "" ? undefined : host,
    port: parts.port === undefined ? undefined : Number(parts.port),
    socket,
    user: optional(parts.user),
    password: optional(parts.password),
    database: optional(parts.database),
    tls: tlsOf(query),
  };
}

/** For people, without the password. */
export function databaseName({ kind, path, socket, host, port, database }: DatabaseLocation): string {
  if (kind === "sqlite") return path;
  const place = socket ?? `${host ?? "localhost"}${port === undefined ? "" : `:${port}`}`;
  return `${kind}://${place}/${database ?? ""}`;
}

const EMPTY: DatabaseLocation = {
  kind: "sqlite",
  path: "",
  host: undefined,
  port: undefined,
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
