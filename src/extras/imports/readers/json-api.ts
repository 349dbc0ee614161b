/** Asks the API of another product: bounded responses, a few tries, the pauses that it demands. */
import { systemClock } from "../../../lib/clock.ts";
import { appError } from "../../../lib/errors.ts";
import { createJsonScan } from "../../../lib/json-scan.ts";
import { OutboundFailure, unchunkedBody } from "../../../lib/outbound.ts";
import { rest } from "../../../lib/rest.ts";
import { parseRetryAfter } from "../../../lib/retry-after.ts";
import type { SourceInput } from "./reader.ts";

const TIMEOUT_MS = 60_000;
/** JSON.parse takes about 10 ms for it. */
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_PARTS = 100_000;
const TRIES = 5;
const PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 120_000;

export type JsonApi = (path: string) => Promise<unknown>;

/** Paths are below the source; null for what is not there. @throws BadRequest that explains what to do */
export function createJsonApi(
  { source, outbound, signal }: Pick<SourceInput, "source" | "outbound" | "signal">,
  headers: Readonly<Record<string, string>>,
  pauseMs: number = PAUSE_MS,
): JsonApi {
  const base = URL.parse(source);
  if (base === null) throw appError("BadRequest", `${source.slice(0, 200)} is no address.`);
  const root = [base.origin, ...base.pathname.split("/").filter((part) => part !== "")].join("/");
  return async (path) => {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      const { response, problem } = await ask(`${root}${path}`);
      if (response?.status === 200) return readJson(response.body, root);
      if (response?.status === 404) return null;
      if (response?.status === 401 || response?.status === 403) {
        throw appError("BadRequest", `${base.host} refuses the key (${response.status}). Give a valid one.`);
      }
      const isPassing = response === null || response.status === 429 || response.status >= 500;
      if (!isPassing || tries === TRIES) {
        throw appError(
          "BadRequest",
          `${base.host} can't be asked: ${problem}. The address asked was ${root}${path}`,
        );
      }
      const demand = response?.headers.get("retry-after") ?? null;
      const demandedMs = parseRetryAfter(demand, systemClock.now(), MOST_PAUSE_MS) ?? 0;
      await rest(Math.max(demandedMs, pauseMs * 2 ** (tries - 1)), signal);
    }
  };

  async function ask(url: string) {
    try {
      const response = await outbound({
        url,
        method: "GET",
        headers: { Accept: "application/json", ...headers },
        timeoutMs: TIMEOUT_MS,
        mostBytes: MOST_BYTES,
        // The key goes nowhere else.
        redirects: 0,
      });
      const body = unchunkedBody(response);
      const moved = response.headers.get("location");
      const problem = `it answers with status ${response.status}${moved === null ? "" : `, which leads to ${moved.slice(0, 200)}`}`;
      return { response: { ...response, body }, problem };
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      if (error.reason === "refused")
        throw appError("BadRequest", `${base!.host} can't be asked: ${error.message}.`);
      return { response: null, problem: error.message };
    }
  }
}

function readJson(body: Buffer, root: string): unknown {
  if (body.length >= MOST_BYTES) {
    throw appError("BadRequest", `${root} answers with more than ${MOST_BYTES / 1024 / 1024} MiB at once.`);
  }
  try {
    const scan = createJsonScan({ mostParts: MOST_PARTS });
    scan.push(body);
    return JSON.parse(body.toString());
  } catch (cause) {
    throw appError("BadRequest", `${root} does not answer with JSON. Give the address of its API.`, {
      cause,
    });
  }
}
