/** `Idempotency-Key`: a POST that is repeated has the response of the first one, for 24 hours. */
import { beforeFirstWrite } from "../../lib/first-write.ts";
import { appError } from "../../lib/errors.ts";
import { wholeBodyOf, wholeResponse } from "../../lib/whole-response.ts";
import type { Endpoint, HttpContext } from "./endpoint.ts";
import { failureResponse, toAppError } from "./errors.ts";

export const KEY_HEADER = "Idempotency-Key";
export const REPLAYED_HEADER = "Idempotent-Replayed";
export const KEY_FORM = /^[!-~]{1,255}$/;
const KEPT_HEADERS = ["Content-Type", "ETag", "Location"];

type Claim = {
  confirm(tx: unknown): Promise<void>;
  keep(responseText: string): Promise<void>;
  release(): Promise<void>;
};
/** See cluster/repeats.ts. */
export type Repeats = {
  claim(request: { accountId: number; key: string; fingerprint: string }): Promise<Claim | { kept: string }>;
};

/** Not without an account. Uploads and imports are not gathered, so nothing could compare them. MCP has none either. */
export const isRepeatable = ({ method, access, form, rawBody, raw }: Endpoint): boolean =>
  method === "POST" && access !== "public" && !(form ?? rawBody ?? raw);

/** Returns null without a key. @throws BadRequest */
export function repeatKeyOf(entry: Endpoint, c: HttpContext): string | null {
  if (entry.method !== "POST" || entry.access === "public") return null;
  const key = c.req
    .header(KEY_HEADER)
    ?.trim()
    .replace(/^"(.*)"$/, "$1");
  if (key === undefined) return null;
  if (!isRepeatable(entry)) {
    const message = `Uploads, imports and MCP take no ${KEY_HEADER}; send the request without it.`;
    throw appError("BadRequest", message);
  }
  if (KEY_FORM.test(key)) return key;
  throw appError("BadRequest", `${KEY_HEADER} must have 1 to 255 visible ASCII characters, such as a UUID.`);
}

type Kept = { status: number; headers: [string, string][]; body: string };

async function textOf(response: Response): Promise<string> {
  const headers = KEPT_HEADERS.flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const whole = wholeBodyOf(response);
  const body = typeof whole === "string" ? whole : await response.clone().text();
  return JSON.stringify({ status: response.status, headers, body } satisfies Kept);
}

/** A failure before anything was written is not kept. @param digest of the body  @throws like Repeats */
export async function once(
  repeats: Repeats,
  { c, key, digest }: { c: HttpContext; key: string; digest: string },
  run: () => Promise<Response>,
): Promise<Response> {
  const { pathname, search } = new URL(c.req.url, "http://localhost");
  const fingerprint = [c.req.method, pathname, search, digest].join("\n");
  const claimed = await repeats.claim({ accountId: c.get("account").id, key, fingerprint });
  if ("kept" in claimed) {
    const { status, headers, body } = JSON.parse(claimed.kept) as Kept;
    return wholeResponse(body, { status, headers: [...headers, [REPLAYED_HEADER, "true"]] });
  }
  // Where this fails, the row records what is known.
  const keep = async (response: Response) => claimed.keep(await textOf(response)).catch(() => undefined);
  const { result, isCommitted } = beforeFirstWrite(claimed.confirm, run);
  try {
    const response = await result;
    await keep(response);
    return response;
  } catch (error) {
    if (isCommitted()) await keep(failureResponse(toAppError(error)));
    else await claimed.release().catch(() => undefined);
    throw error;
  }
}
