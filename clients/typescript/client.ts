/** A typed client of Waymark's API. Paths, bodies and answers are those of api.ts, which is generated. */
import createFetchClient, { type Client, type Middleware } from "openapi-fetch";
import type { Failure, File as StoredFile, Login, paths } from "./api.ts";

export type * from "./api.ts";
export type WaymarkClient = Client<paths>;

export type WaymarkOptions = {
  /** Scheme and host of the server. */
  url: string;
  /** An API token, or the access token of a session. */
  token?: string;
  /** `routes.admin_prefix` of the server, if it is not `/admin`. */
  adminPrefix?: string;
};

/** A failure of the server, with its sentence, name, number and the fields that are wrong. */
export class WaymarkError extends Error {
  override readonly name = "WaymarkError";
  readonly status: number;
  readonly code: Failure["code"] | undefined;
  readonly error: Failure["error"] | undefined;
  readonly details: NonNullable<Failure["details"]>;

  constructor(status: number, failure: Partial<Failure>) {
    super(failure.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = failure.code;
    this.error = failure.error;
    this.details = failure.details ?? [];
  }
}

/** GET, POST, … for each path of the API. */
export function createWaymark({ url, token, adminPrefix = "/admin" }: WaymarkOptions): WaymarkClient {
  const client = createFetchClient<paths>({ baseUrl: url.replace(/\/+$/, "") });
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

/** A client with the access token of a new session, which ends after minutes. Programs use an API token instead. */
export async function signIn(options: WaymarkOptions, credentials: Login): Promise<WaymarkClient> {
  const answer = await createWaymark(options).POST("/admin/v1/auth/login", { body: credentials });
  if (answer.error !== undefined) throw new WaymarkError(answer.response.status, answer.error);
  const cookies = answer.response.headers.getSetCookie();
  const token = cookies.map((cookie) => /^svc_access=([^;]+)/.exec(cookie)?.[1]).find(Boolean);
  if (token === undefined) throw new WaymarkError(answer.response.status, { message: "No session was set." });
  return createWaymark({ ...options, token });
}

type Answered<T> = { data?: { data: T }; error?: unknown; response: Response };

/** `data` of an answer. @throws WaymarkError */
export async function dataOf<T>(call: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (data !== undefined && error === undefined) return data.data;
  throw new WaymarkError(response.status, typeof error === "object" && error !== null ? error : {});
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
