/** An endpoint as data, for routes (mount.ts), the OpenAPI document (openapi.ts) and tests. */
import { z } from "zod";
import { reachesRole, type Role, type Scope } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import type { BodyReservation } from "./body-memory.ts";
import type { Caller, HttpConnection, HttpContext } from "./context.ts";
import type { ListOptions } from "./json-list.ts";

export type { Caller, HttpConnection, HttpContext };

export const actorOf = ({ id, username, role, teams, via, token, tool }: Caller): Actor => ({
  name: token === undefined ? username : `token:${token.name}`,
  via,
  tool,
  accountId: id,
  ownOnly: role !== "admin",
  role,
  teams,
  scopes: token?.scopes,
  folderId: token?.folderId,
});

/** `account`: any signed-in account. `editor`: the roles editor and admin. `admin`: the role admin. */
export type Access = "public" | "account" | "editor" | "admin";

export const rolePermits = (role: Role, access: Access): boolean =>
  access === "public" || reachesRole(role, access === "account" ? "user" : access);

/**
 * What an API token needs: a scope; for `links` and `files` the one that reads or writes, by method; `any`: none; null:
 * tokens are refused.
 */
export type NeededScope = Scope | "links" | "files" | "any" | null;
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** @param prefix of the table */
export const routeOf = (prefix: string, { method, path }: { method: Method; path: string }): string =>
  `${method} ${prefix}${path}`;

export type DocumentedResponse = {
  /** One or any of several; null: no body. */
  type: string | readonly string[] | null;
  description?: string;
  schema?: Schema;
  /** Fields that are not optional are always sent. */
  headers?: Headers;
};
/** Default status 200. */
export type RawResponse = DocumentedResponse & { status?: 200 | 201 | 204 | 302 };

type Schema = z.ZodType;
type Headers = z.ZodObject;
type Output<S> = S extends Schema ? z.output<S> : undefined;

export type Endpoint<
  B extends Schema | undefined = Schema | undefined,
  Q extends Schema | undefined = Schema | undefined,
> = {
  method: Method;
  /** Hono pattern relative to the prefix, such as `/links/:code{.+}`. Specific patterns come first. No log has the parameter `token`. */
  path: string;
  /** Refuses other methods on this path, even if later patterns accept them. */
  ownsPath?: boolean;
  /** Whether the path means something of the next pattern, such as a code that ends like this path, which then responds. */
  yields?(asking: PathInput<Q>): Promise<boolean>;
  access: Access;
  scope: NeededScope;
  /**
   * API tokens of one folder may call it, because it takes every file, folder, upload and share from Trees, which
   * checks them. Others that need a scope for files refuse such tokens.
   */
  takesFolderTokens?: true;
  tag: string;
  summary: string;
  /** Counts or refuses the request before the body is read. */
  admit?(c: HttpContext): Promise<void> | void;
  /** The JSON body. Without a schema the endpoint has none or reads it itself. */
  body?: B;
  /** An empty body counts as `{}`. */
  optionalBody?: true;
  /** Bytes; default 2 MiB. */
  bodyLimit?: number;
  /** Allows 16 MiB (json-list.ts). */
  list?: ListOptions;
  /** Raw strings. A schema that is a list takes all values of its key, any other the first one. */
  query?: Q;
  /** Path parameters in the OpenAPI document. By default `id` is a whole number from 1, others are texts. */
  params?: Readonly<Record<string, Schema>>;
  headers?: Headers;
  /** Statuses that do not follow from access, path and body. */
  failures?: readonly number[];
  /** Further responses by status. */
  others?: Readonly<Record<number, DocumentedResponse>>;
  /** Default 200. */
  status?: 200 | 201 | 202;
  /** When the response has 200 instead of 201 (`withStatus`). */
  found?: string;
  /** The type of `data` in the OpenAPI document, as the next four are for it. */
  response?: Schema;
  /** The message of the response when the handler returns nothing. */
  done?: string;
  /** Fields beside `data` in the envelope (see `beside`). */
  beside?: Readonly<Record<string, Schema>>;
  /** `response` is in an envelope with `pagination`, with `next_cursor`, or with either. */
  paged?: true | "cursor" | "either";
  /** Fields of a multipart form that the endpoint reads itself. */
  form?: Schema;
  /** Media type of another body that the endpoint reads itself. */
  rawBody?: string;
  /** A success without envelope. */
  raw?: RawResponse;
  /** Responses have an ETag. A text names the part of the response that requests change; else it is the whole. */
  tagged?: true | string;
  /**
   * For If-Match: that part as it is in the transaction of the endpoint's first write, locked until its end; undefined
   * if there is nothing yet. Rejects like `handle` for what the caller does not reach.
   */
  locked?(asking: EndpointInput<B, Q>, tx: never): Promise<unknown>;
  /** `handle` takes If-Match and If-None-Match itself, for what it finds in a body that it reads. */
  isConditional?: true;
  /** Returns `data` of the envelope, a `page(…)`, `beside(…)`, or a whole Response. */
  handle(input: EndpointInput<B, Q>): Promise<unknown> | unknown;
};

export type EndpointInput<B, Q> = {
  c: HttpContext;
  body: Output<B>;
  query: Output<Q>;
  /** Memory of a body that the endpoint gathers itself. Released after the response. */
  reservation: BodyReservation;
  /** Set unless access is `public`. */
  account: Caller;
};

/** What endpoints with one path share. */
export type PathInput<Q = undefined> = Pick<EndpointInput<undefined, Q>, "c" | "query" | "account">;

export const messageResponse = z.object({ message: z.string() });

/**
 * Types the handler from the schemas. The table erases those types.
 * @param route method and path
 */
export function endpoint<B extends Schema | undefined = undefined, Q extends Schema | undefined = undefined>(
  route: `${Method} ${string}`,
  definition: Omit<Endpoint<B, Q>, "method" | "path">,
): Endpoint {
  const [method, path] = route.split(" ");
  const { done: message, handle } = definition;
  const responding = message !== undefined && {
    response: messageResponse,
    async handle(input: EndpointInput<B, Q>) {
      await handle(input);
      return { message };
    },
  };
  return { ...definition, ...responding, method, path } as unknown as Endpoint;
}

export function tokenScope({ method, scope }: Pick<Endpoint, "method" | "scope">): Scope | "any" | null {
  if (scope !== "links" && scope !== "files") return scope;
  return method === "GET" ? `${scope}:read` : `${scope}:write`;
}

/** Whether the token is of one folder, and the endpoint may be about other files. */
export const reachesBeyondFolder = (
  entry: Pick<Endpoint, "method" | "scope" | "takesFolderTokens">,
  token: Caller["token"],
): boolean =>
  token !== undefined &&
  token.folderId !== null &&
  entry.takesFolderTokens !== true &&
  String(tokenScope(entry)).startsWith("files:");

/** Protects actions beyond the endpoint's own scope. @throws Forbidden */
export function requireScope({ token }: Caller, scope: Scope): void {
  if (token === undefined || token.scopes.includes(scope)) return;
  throw appError("Forbidden", `The API token lacks the scope ${scope}.`);
}

export type Pagination = { page: number; page_size: number; total: number; total_pages: number };

/** `data`, and fields beside it in the envelope. */
export class Beside {
  constructor(
    readonly data: unknown,
    readonly fields: Readonly<Record<string, unknown>>,
    /** Instead of that of the endpoint. */
    readonly status?: 200 | 201,
  ) {}
}

/** `next` is null on the last page. */
export class CursorPage extends Beside {
  constructor(data: readonly unknown[], next: string | null, more: Readonly<Record<string, unknown>> = {}) {
    super(data, { next_cursor: next, ...more });
  }
}

export const beside = (data: unknown, fields: Readonly<Record<string, unknown>>): Beside =>
  new Beside(data, fields);

export const withStatus = (status: 200 | 201, result: unknown): Beside =>
  result instanceof Beside ? new Beside(result.data, result.fields, status) : new Beside(result, {}, status);

export const page = (
  data: readonly unknown[],
  at: { page: number; pageSize: number; total: number },
): Beside => {
  const { page: number, pageSize, total } = at;
  const pagination: Pagination = {
    page: number,
    page_size: pageSize,
    total,
    total_pages: Math.ceil(total / pageSize),
  };
  return new Beside(data, { pagination });
};
