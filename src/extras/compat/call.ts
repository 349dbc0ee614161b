/**
 * A call of our API in this process with the API token of a foreign client, so that guards, scopes, schemas, limits and
 * events are those of our API.
 */
import type { LinkView } from "../../links/link/link.ts";
import type { HttpContext, HttpConnection } from "../../platform/http/context.ts";
import { passedHeaders } from "../../platform/http/inner-request.ts";

type QueryValue = string | number | boolean | readonly string[] | null | undefined;

export type Given = {
  /** What is undefined or null is left out. */
  query?: Readonly<Record<string, QueryValue>>;
  body?: unknown;
};

export type Answer = {
  status: number;
  /** Data, pagination and what stands beside them, or a refusal. */
  body: {
    // oxlint-disable-next-line typescript/no-explicit-any -- one of all responses of the API
    data?: any;
    /** Of codes that lead nowhere, beyond those in `data`. */
    further?: { human: number; automated: number };
    pagination?: { page: number; page_size: number; total: number; total_pages: number };
    error?: string;
    message?: string;
    details?: readonly { field: string; message: string }[];
    total?: number;
  };
  retryAfter: string | null;
};

/** `path`: below {admin}/v1. */
export type Call = (method: string, path: string, given?: Given) => Promise<Answer>;

export type CallDeps = {
  ask(request: Request, connection: HttpConnection): Response | Promise<Response>;
  /** routes.admin_prefix */
  admin: string;
};

export type ApiCaller = ReturnType<typeof createCall>;

export function createCall({ ask, admin }: CallDeps) {
  async function send(c: HttpContext, token: string, method: string, path: string, given: Given) {
    const from = c.req.raw;
    const url = new URL(`${admin}/v1${path}`, new URL(from.url).origin);
    for (const [name, value] of Object.entries(given.query ?? {})) {
      for (const one of Array.isArray(value) ? value : [value])
        if (one !== null && one !== undefined) url.searchParams.append(name, String(one));
    }
    const headers = passedHeaders(from, { Authorization: `Bearer ${token}` });
    const hasBody = given.body !== undefined;
    if (hasBody) headers.set("Content-Type", "application/json");
    const request = new Request(url, {
      method,
      headers,
      ...(hasBody && { body: JSON.stringify(given.body) }),
      signal: from.signal,
    });
    return ask(request, { ...c.env });
  }
  return {
    /** Calls for one request of a client. @param token as the client sent it; a wrong one is refused by our API */
    by:
      (c: HttpContext, token: string): Call =>
      async (method, path, given = {}) => {
        const response = await send(c, token, method, path, given);
        const text = await response.text();
        return {
          status: response.status,
          body: text === "" ? {} : JSON.parse(text),
          retryAfter: response.headers.get("Retry-After"),
        };
      },
    send,
  };
}

/** A part of a path. A code may hold slashes. */
export const part = (text: string): string => encodeURIComponent(text.toWellFormed());

const LARGEST_PAGE = 100;

/** `count` links of a list from a place on, and the number of all. */
export async function linksFrom(
  call: Call,
  query: NonNullable<Given["query"]>,
  start: number,
  count: number,
): Promise<{ links: LinkView[]; total: number; refused: Answer | null }> {
  const size = Math.max(1, Math.min(count, LARGEST_PAGE));
  const first = Math.floor(start / size);
  const links: LinkView[] = [];
  let total = 0;
  for (let page = first; page * size < start + count; page++) {
    const listed = await call("GET", "/links", { query: { ...query, page: page + 1, page_size: size } });
    if (listed.status !== 200) return { links: [], total: 0, refused: listed };
    links.push(...(listed.body.data as LinkView[]));
    total = listed.body.pagination?.total ?? 0;
    if ((page + 1) * size >= total) break;
  }
  return { links: links.slice(start - first * size).slice(0, count), total, refused: null };
}
