/** What the handlers of a request see of it, and the head of its response. */
import { getQueryParams, tryDecodeURIComponent } from "hono/utils/url";
import type { Role, Scope, Teams } from "../../lib/access.ts";
import type { Via } from "../../lib/actor.ts";
import type { Credential } from "../../lib/credential.ts";
import { wholeResponse } from "../../lib/whole-response.ts";

export type HttpConnection = {
  /** `unix` on a unix socket. */
  peerAddress(): string;
  /** Begins addresses in the response; see origins.ts. */
  origin(): string;
  /** The path of a proxy before the addresses of this server, as in `/go/files/tus`; usually empty. See origins.ts. */
  prefix(): string;
  /** Serves endpoints with their own deadlines. */
  liftIdleTimeout(): void;
  /** Within seconds, even during the response. */
  cut(): void;
  /** The tool of the MCP server that asks. */
  tool?: string;
  /**
   * The only endpoint that may respond, as `routeOf` names it: others whose patterns match the path too are passed by.
   */
  route?: string;
  /** From the guard: see HttpVariables. */
  isStillAllowed?: () => Promise<boolean>;
};

/** From the guard. */
export type Caller = {
  id: number;
  username: string;
  role: Role;
  teams?: Teams | undefined;
  /** `panel`: by cookies. `api`: by a session's bearer. `token`: by an API token. */
  via: Via;
  credential?: Credential;
  /** `folderId`: of files it reaches only this folder and what is below it. */
  token?: { name: string; scopes: readonly Scope[]; folderId: number | null };
  tool?: string | undefined;
};

type HttpVariables = {
  requestId: string;
  /** The request wants what others may send refused (lib/strict-handling.ts). */
  isStrict?: boolean;
  account: Caller;
  /**
   * For responses that last: session or token still exist, and the account has the role and teams that it had. Rejects
   * if the database fails.
   */
  isStillAllowed(): Promise<boolean>;
};

/** A request that arrived, whose `Request` is made when a handler needs one: it costs microseconds. */
export type RequestSource = {
  readonly method: string;
  /** The path normalised as in a URL, and the query. */
  readonly path: string;
  /** As `Headers.get` with a name in lower case. */
  get(name: string): string | null;
  /** The body, if all of it is here. */
  readonly arrived?: Uint8Array | null;
  /** Always the same one. */
  request(): Request;
  /** That of the Request, which is not made for it. */
  signal(): AbortSignal;
};

export type PathParams = Readonly<Record<string, string>>;

const NO_PARAMS: PathParams = {};
/** What getQueryParams takes for a scheme and a host. */
const ORIGIN = "http://h";

class HttpRequest {
  params = NO_PARAMS;

  constructor(
    readonly source: RequestSource,
    /** Decoded, without the query. */
    readonly path: string,
  ) {}

  get raw(): Request {
    return this.source.request();
  }

  get signal(): AbortSignal {
    return this.source.signal();
  }

  get arrived(): Uint8Array | null {
    return this.source.arrived ?? null;
  }

  get method(): string {
    return this.source.method;
  }

  get url(): string {
    return this.raw.url;
  }

  get(name: string): string | null {
    return this.source.get(name.toLowerCase());
  }

  get headers(): Pick<Headers, "get"> {
    return this;
  }

  header(name: string): string | undefined {
    return this.get(name) ?? undefined;
  }

  param(name: string): string | undefined {
    const value = this.params[name];
    return value && tryDecodeURIComponent(value);
  }

  /** The first value of each name; of the names in `lists` all values. */
  query(lists: readonly string[] = []): Record<string, string | readonly string[]> {
    const { path } = this.source;
    const given: Record<string, string | readonly string[]> = Object.create(null);
    if (!path.includes("?")) return given;
    const found = getQueryParams(ORIGIN + path) as Record<string, string[]>;
    for (const [name, values] of Object.entries(found))
      given[name] = lists.includes(name) ? values : values[0]!;
    return given;
  }
}

const NO_STORE = { "Cache-Control": "no-store" };
const GUARDING_FIELDS = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };

/** The fields of every response of the API, for one to a request that never became a context. */
export const standingFields = (requestId: string): Record<string, string> => ({
  ...NO_STORE,
  ...GUARDING_FIELDS,
  "X-Request-Id": requestId,
});

export class HttpContext {
  readonly req: HttpRequest;
  readonly env: HttpConnection;
  readonly #variables: Partial<HttpVariables>;
  #fields: Record<string, string> = {};
  #cookies: string[] = [];
  #standing: [name: string, value: string, isAdded: boolean][] = [];
  /** Made here, with everything but the standing fields. */
  #made: Response | null = null;

  constructor(source: RequestSource, path: string, connection: HttpConnection, requestId: string) {
    this.req = new HttpRequest(source, path);
    this.env = connection;
    this.#variables = { requestId };
  }

  get<Name extends keyof HttpVariables>(name: Name): HttpVariables[Name] {
    return this.#variables[name] as HttpVariables[Name];
  }

  set<Name extends keyof HttpVariables>(name: Name, value: HttpVariables[Name]): void {
    this.#variables[name] = value;
  }

  /** Sets a field of the response that `body` makes. Always write its name alike. */
  header(name: string, value: string): void {
    this.#fields[name] = value;
  }

  /** Adds a cookie to the response that `body` makes. @param line the value of Set-Cookie */
  cookie(line: string): void {
    this.#cookies.push(line);
  }

  /** Sets a field of any response, also of a failure. `isAdded`: beside values of the response's own. */
  standingHeader(name: string, value: string, isAdded = false): void {
    this.#standing.push([name, value, isAdded]);
  }

  /** A response with the fields that were set. */
  body(
    body: string | Uint8Array | null,
    status = 200,
    fields: Readonly<Record<string, string>> = {},
  ): Response {
    const headers = { ...NO_STORE, ...this.#fields, ...fields, ...this.#ownFields() };
    const response = wholeResponse(body, { status, headers });
    for (const cookie of this.#cookies) response.headers.append("Set-Cookie", cookie);
    this.#made = response;
    return response;
  }

  /** The response with the fields that all have. */
  completed(response: Response): Response {
    const { headers } = response;
    if (response !== this.#made) {
      for (const [name, value] of Object.entries(this.#ownFields())) headers.set(name, value);
      if (!headers.has("Cache-Control")) headers.set("Cache-Control", NO_STORE["Cache-Control"]);
    }
    for (const [name, value, isAdded] of this.#standing) {
      if (isAdded) headers.append(name, value);
      else headers.set(name, value);
    }
    return response;
  }

  #ownFields(): Record<string, string> {
    const fields: Record<string, string> = { ...GUARDING_FIELDS, "X-Request-Id": this.get("requestId") };
    if (this.get("isStrict")) fields["Preference-Applied"] = "handling=strict";
    return fields;
  }
}
