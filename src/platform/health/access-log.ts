import type { Logger } from "../../lib/logger.ts";
import { pathStart } from "../../lib/request-target.ts";

type Responder<R, S> = (request: R, server: S) => Response | Promise<Response>;

/**
 * Logs a share of the requests. Queries, headers and bodies may hold secrets and are not logged. A share of 0 returns
 * `fetch` itself.
 */
export function withAccessLog<R extends { method: string; url: string }, S>(
  fetch: Responder<R, S>,
  { sample, logger, random = Math.random }: { sample: number; logger: Logger; random?: () => number },
): Responder<R, S> {
  if (sample <= 0) return fetch;
  return async (request, server) => {
    if (random() >= sample) return fetch(request, server);
    const begun = performance.now();
    const response = await fetch(request, server);
    logger.info(
      {
        method: request.method,
        path: pathOf(request.url),
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

function pathOf(url: string): string {
  const path = url.slice(Math.max(0, pathStart(url)));
  const end = path.indexOf("?");
  return (end < 0 ? path : path.slice(0, end)).slice(0, LONGEST_PATH);
}
