import type { Logger } from "../../lib/logger.ts";
import { pathStart } from "../../lib/request-target.ts";
import { withoutSecret } from "../../lib/secret-paths.ts";

type Responder<R, S> = (request: R, server: S) => Response | Promise<Response>;

type Options = {
  /** A share of 0 returns `fetch` itself. */
  sample: number;
  /** Beginnings of paths that a secret follows. */
  beforeSecrets?: readonly string[];
  logger: Logger;
  random?: () => number;
};

/** Logs a share of the requests. Queries, headers, bodies and some ends of paths hold secrets and are not logged. */
export function withAccessLog<R extends { method: string; url: string }, S>(
  fetch: Responder<R, S>,
  { sample, beforeSecrets = [], logger, random = Math.random }: Options,
): Responder<R, S> {
  if (sample <= 0) return fetch;
  return async (request, server) => {
    if (random() >= sample) return fetch(request, server);
    const begun = performance.now();
    const response = await fetch(request, server);
    logger.info(
      {
        method: request.method,
        path: pathOf(request.url, beforeSecrets),
        status: response.status,
        ms: Math.round((performance.now() - begun) * 1000) / 1000,
        requestId: response.headers.get("X-Request-Id") ?? undefined,
      },
      "request",
    );
    return response;
  };
}

const LONGEST_PATH = 512;

function pathOf(url: string, beforeSecrets: readonly string[]): string {
  const path = url.slice(Math.max(0, pathStart(url)));
  const end = path.indexOf("?");
  return withoutSecret(end < 0 ? path : path.slice(0, end), beforeSecrets).slice(0, LONGEST_PATH);
}
