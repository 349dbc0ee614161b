/**
 * One endpoint as data: who may call it, what it takes, what it answers. http/mount.ts turns the table into routes,
 * http/openapi.ts into the OpenAPI document, and the tests walk it to prove that no route forgets its guard.
 */
import type { Context } from "hono";
import type { z } from "zod";
import type { BodyReservation } from "./body-memory.ts";
import type { ListOptions } from "./json-list.ts";

/** What the server tells of the connection behind a request. */
export type HttpConnection = {
  /** Address of the peer as text; `unix` on a unix socket. */
  peerAddress(): string;
  /** Lifts the server's idle timeout from this request; the endpoint sets its own deadlines (uploads, exports). */
  liftIdleTimeout(): void;
  /** Ends the connection within seconds, however far the answer is: the client has been given up. */
  cut(): void;
};

/** The account behind a request, as its guard found it. */
export type Caller = {
  id: number;
  username: string;
  role: "admin" | "user";
  /** What it signed in with: its session, and when the access token ends, epoch ms. */
  credential?: { sessionId: string; expiresAt: number };
};

export type HttpVariables = { requestId: string; account: Caller };
export type HttpEnv = { Bindings: HttpConnection; Variables: HttpVariables };
export type HttpContext = Context<HttpEnv>;

/** `public`: anybody. `account`: any signed-in account. `admin`: the role admin. */
export type Access = "public" | "account" | "admin";
/** GET answers HEAD as well. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** `type` is the media type, such as `text/csv`; null: no body. 200 unless told. */
export type RawAnswer = { type: string | null; status?: 200 | 201 | 204 };

type Schema = z.ZodType;
type Output<S> = S extends Schema ? z.output<S> : undefined;

export type Endpoint<
  B extends Schema | undefined = Schema | undefined,
  Q extends Schema | undefined = Schema | undefined,
> = {
  method: Method;
  /** Hono pattern relative to the prefix it is mounted at, e.g. `/links/:code{.+}`. Specific patterns come first in a table. */
  path: string;
  /** Methods that no endpoint of this path takes are refused, even where a pattern behind it would take them. */
  ownsPath?: boolean;
  access: Access;
  tag: string;
  summary: string;
  /** Runs before the body is read, once the caller is known: counts the request, or throws to refuse it. */
  admit?(c: HttpContext): Promise<void> | void;
  /** JSON body schema. An endpoint without one reads the body itself (uploads) or has none. */
  body?: B;
  /** Largest accepted JSON body in bytes; 2 MiB unless set. */
  bodyLimit?: number;
  /** The one long list of a JSON body of up to 16 MiB; see http/json-list.ts. */
  list?: ListOptions;
  /** Query schema over the raw strings; a key given twice reaches it as its last value. */
  query?: Q;
  /** Status of a success; 200 unless told. */
  status?: 200 | 201;
  /** What `data` holds, for the OpenAPI document. */
  answer?: Schema;
  /** The answer is a `page(…)`: `answer` in an envelope with `pagination`. */
  paged?: true;
  /** The fields of a multipart form that the endpoint reads itself, for the OpenAPI document. */
  form?: Schema;
  /** Media type of a body that the endpoint reads itself and that is no form, for the OpenAPI document. */
  rawBody?: string;
  /** A success that is no envelope, for the OpenAPI document. */
  raw?: RawAnswer;
  /** Returns the `data` of the envelope, a `page(…)`, or a whole Response (streams, cookies). */
  handle(input: EndpointInput<B, Q>): Promise<unknown> | unknown;
};

export type EndpointInput<B, Q> = {
  c: HttpContext;
  body: Output<B>;
  query: Output<Q>;
  /** Where the body counts, for endpoints that gather it themselves. Left once the endpoint has answered. */
  reservation: BodyReservation;
  /** Set unless access is `public`. */
  account: Caller;
};

/** Types the handler from the schemas; the table holds them with those types erased. */
export function endpoint<B extends Schema | undefined = undefined, Q extends Schema | undefined = undefined>(
  definition: Endpoint<B, Q>,
): Endpoint {
  return definition as unknown as Endpoint;
}

export type Pagination = { page: number; page_size: number; total: number; total_pages: number };

/** A list answer with its pagination beside `data`. */
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
