/**
 * An endpoint as data: access, input, answer. mount.ts makes routes from the table, openapi.ts the OpenAPI document,
 * and tests walk it to prove that every route has its guard.
 */
import type { Context } from "hono";
import type { z } from "zod";
import type { BodyReservation } from "./body-memory.ts";
import type { ListOptions } from "./json-list.ts";

/** What the server knows of the connection. */
export type HttpConnection = {
  /** Address of the peer; `unix` on a unix socket. */
  peerAddress(): string;
  /** Lifts the server's idle timeout. The endpoint sets its own deadlines (uploads, exports). */
  liftIdleTimeout(): void;
  /** Closes the connection within seconds, even during the answer. */
  cut(): void;
};

/** The account of a request, from its guard. */
export type Caller = {
  id: number;
  username: string;
  role: "admin" | "user";
  /** The session, and the end of the access token (epoch ms). */
  credential?: { sessionId: string; expiresAt: number };
};

export type HttpVariables = { requestId: string; account: Caller };
export type HttpEnv = { Bindings: HttpConnection; Variables: HttpVariables };
export type HttpContext = Context<HttpEnv>;

/** `public`: anybody. `account`: any signed-in account. `admin`: the role admin. */
export type Access = "public" | "account" | "admin";
/** GET also answers HEAD. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** `type` is the media type, such as `text/csv`; null: no body. Default status 200. */
export type RawAnswer = { type: string | null; status?: 200 | 201 | 204 };

type Schema = z.ZodType;
type Output<S> = S extends Schema ? z.output<S> : undefined;

export type Endpoint<
  B extends Schema | undefined = Schema | undefined,
  Q extends Schema | undefined = Schema | undefined,
> = {
  method: Method;
  /** Hono pattern relative to the prefix, such as `/links/:code{.+}`. Specific patterns come first in a table. */
  path: string;
  /** Other methods on this path are refused, even if a later pattern would accept them. */
  ownsPath?: boolean;
  access: Access;
  tag: string;
  summary: string;
  /** Runs after the guard and before the body is read: counts or refuses the request. */
  admit?(c: HttpContext): Promise<void> | void;
  /** Schema of the JSON body. An endpoint without one has no body or reads it itself (uploads). */
  body?: B;
  /** Bound of the JSON body in bytes; default 2 MiB. */
  bodyLimit?: number;
  /** The one long list of a JSON body of up to 16 MiB (json-list.ts). */
  list?: ListOptions;
  /** Schema of the query's raw strings. Of a repeated key the last value counts. */
  query?: Q;
  /** Status of a success; default 200. */
  status?: 200 | 201;
  /** Schema of `data`, for the OpenAPI document. */
  answer?: Schema;
  /** The answer is a `page(…)`: `answer` in an envelope with `pagination`. */
  paged?: true;
  /** Fields of a multipart form that the endpoint reads itself, for the OpenAPI document. */
  form?: Schema;
  /** Media type of another body that the endpoint reads itself, for the OpenAPI document. */
  rawBody?: string;
  /** A success without envelope, for the OpenAPI document. */
  raw?: RawAnswer;
  /** Returns `data` of the envelope, a `page(…)`, or a whole Response (streams, cookies). */
  handle(input: EndpointInput<B, Q>): Promise<unknown> | unknown;
};

export type EndpointInput<B, Q> = {
  c: HttpContext;
  body: Output<B>;
  query: Output<Q>;
  /** Bounds a body that the endpoint gathers itself. Released after the answer. */
  reservation: BodyReservation;
  /** Set unless access is `public`. */
  account: Caller;
};

/** Types the handler from the schemas. The table erases those types. */
export function endpoint<B extends Schema | undefined = undefined, Q extends Schema | undefined = undefined>(
  definition: Endpoint<B, Q>,
): Endpoint {
  return definition as unknown as Endpoint;
}

export type Pagination = { page: number; page_size: number; total: number; total_pages: number };

/** A list with its pagination. */
export class Page {
  constructor(
    readonly data: readonly unknown[],
    readonly pagination: Pagination,
  ) {}
}

export const page = (data: readonly unknown[], at: { page: number; pageSize: number; total: number }): Page =>
  new Page(data, {
    page: at.page,
    page_size: at.pageSize,
    total: at.total,
    total_pages: Math.ceil(at.total / at.pageSize),
  });
