/** A typed client of Waymark's API. Paths, bodies and answers are those of api.ts, which is generated. */
import createFetchClient, { type Client, type Middleware } from "openapi-fetch";
import type { Failure, File as StoredFile, Login, Pagination, paths } from "./api.ts";
import { fetchAgain } from "./retries.ts";

export type * from "./api.ts";
export type WaymarkClient = Client<paths>;

export type WaymarkOptions = {
  /** Scheme and host of the server. */
  url: string;
  /** An API token, or the access token of a session. */
  token?: string;
  /** `routes.admin_prefix` of the server, if it is not `/admin`. */
  adminPrefix?: string;
  /** How often a request that may be repeated is sent again. Default 3. */
  retries?: number;
};

/** A failure of the server, with its sentence, name, number and the fields that are wrong. */
export class WaymarkError extends Error {
  override readonly name = "WaymarkError";
  /** 0: the server could not be reached, and `cause` says why. */
  readonly status: number;
  readonly code: Failure["code"] | undefined;
  readonly error: Failure["error"] | undefined;
  readonly details: NonNullable<Failure["details"]>;
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined;

  constructor(status: number, failure: Partial<Failure>, more: { requestId?: string; cause?: unknown } = {}) {
    super(failure.message ?? `The server answered ${status}.`, { cause: more.cause });
    this.status = status;
    this.code = failure.code;
    this.error = failure.error;
    this.details = failure.details ?? [];
    this.requestId = more.requestId;
  }
}

/** GET, POST, … for each path of the API. */
export function createWaymark({
  url,
  token,
  adminPrefix = "/admin",
  retries = 3,
}: WaymarkOptions): WaymarkClient {
  const client = createFetchClient<paths>({
    baseUrl: url.replace(/\/+$/, ""),
    async fetch(request) {
      try {
        return await fetchAgain(request, retries);
      } catch (cause) {
        if (request.signal.aborted) throw cause;
        throw new WaymarkError(0, { message: "The server could not be reached." }, { cause });
      }
    },
  });
  const middleware: Middleware = {
    onRequest({ request }) {
      // A misspelt field is an error instead of nothing.
      if (!request.headers.has("Prefer")) request.headers.set("Prefer", "handling=strict");
      if (token !== undefined) request.headers.set("Authorization", `Bearer ${token}`);
      if (adminPrefix === "/admin") return request;
      const address = new URL(request.url);
      address.pathname = address.pathname.replace(/^\/admin(?=\/)/, adminPrefix);
      return new Request(address, request);
    },
  };
  client.use(middleware);
  return client;
}

/**
 * A client with the access token of a new session, which ends after minutes. Programs use an API token instead, and so
 * do browsers, which show the session to no script.
 */
export async function signIn(options: WaymarkOptions, credentials: Login): Promise<WaymarkClient> {
  const answer = await createWaymark(options).POST("/admin/v1/auth/login", { body: credentials });
  if (answer.error !== undefined) throw failureOf(answer);
  const cookies = answer.response.headers.getSetCookie();
  const token = cookies.map((cookie) => /^svc_access=([^;]+)/.exec(cookie)?.[1]).find(Boolean);
  if (token === undefined) throw new WaymarkError(answer.response.status, { message: "No session was set." });
  return createWaymark({ ...options, token });
}

type Answered<A> = { data?: A; error?: unknown; response: Response };

function failureOf({ error, response }: Answered<unknown>): WaymarkError {
  const requestId = response.headers.get("X-Request-Id");
  return new WaymarkError(
    response.status,
    typeof error === "object" && error !== null ? error : {},
    requestId === null ? {} : { requestId },
  );
}

/** The whole answer: bytes, a text, or `data` with what is beside it. @throws WaymarkError */
export async function answerOf<A>(call: Promise<Answered<A>>): Promise<A> {
  const answered = await call;
  if (answered.response.ok) return answered.data as A;
  throw failureOf(answered);
}

/** `data` of an answer. @throws WaymarkError */
export const dataOf = async <T>(call: Promise<Answered<{ data: T }>>): Promise<T> =>
  (await answerOf(call)).data;

type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? Q : never;
type ItemOf<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": { data: (infer T)[] } } } } };
}
  ? T
  : never;
/** Paths whose GET answers a list. */
export type ListPath = { [P in keyof paths]: [ItemOf<P>] extends [never] ? never : P }[keyof paths];
type EitherPath = {
  [P in ListPath]: [NonNullable<Query<P>>] extends [never]
    ? never
    : "page" | "cursor" extends keyof NonNullable<Query<P>>
      ? P
      : never;
}[ListPath];
type ListOptions<P extends ListPath> = { signal?: AbortSignal } & (paths[P] extends {
  get: { parameters: { path: infer Path } };
}
  ? { path: Path; query?: Query<P> }
  : { query?: Query<P> });

/** With pages by number too. By cursor no item is missing or twice while others are made. */
const BY_CURSOR: Readonly<Record<EitherPath, true>> = {
  "/admin/v1/links": true,
  "/shares": true,
  "/trash": true,
};
/** These go with pages by number only. */
const BY_PAGE = ["page", "sort", "order"];

type Page = { data: unknown[]; next_cursor?: string | null; pagination?: Pagination };
type ListCall = (path: string, init: object) => Promise<Answered<Page>>;

/**
 * All items of a list, which reads page after page. @throws WaymarkError
 * `for await (const link of items(waymark, "/admin/v1/links", { query: { tag: ["spring"] } }))`
 */
export async function* items<P extends ListPath>(
  client: WaymarkClient,
  path: P,
  ...[options]: object extends ListOptions<P> ? [options?: ListOptions<P>] : [options: ListOptions<P>]
): AsyncGenerator<ItemOf<P>, void> {
  const { signal, ...params } = (options ?? {}) as { signal?: AbortSignal; query?: object };
  const query: Record<string, unknown> = { ...params.query };
  if (path in BY_CURSOR && !BY_PAGE.some((name) => name in query)) query["cursor"] ??= "";
  for (;;) {
    const init = { params: { ...params, query }, ...(signal && { signal }) };
    const { data, next_cursor, pagination } = await answerOf((client.GET as unknown as ListCall)(path, init));
    yield* data as ItemOf<P>[];
    if (next_cursor) query["cursor"] = next_cursor;
    else if (pagination && pagination.page < pagination.total_pages) query["page"] = pagination.page + 1;
    else return;
  }
}

/** Uploads a file into a folder, by default the root. @throws WaymarkError */
export function upload(client: WaymarkClient, file: File, folderId?: number): Promise<StoredFile> {
  const form = new FormData();
  form.append("file", file);
  return dataOf(
    client.POST("/files/upload", {
      params: { query: folderId === undefined ? {} : { folder_id: folderId } },
      body: { file: file.name },
      bodySerializer: () => form,
    }),
  );
}
