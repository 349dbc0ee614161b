/** The last step: the answers of the redirect besides 404, counted by status. */
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { createFailureLog } from "../lib/failure-log.ts";
import type { Logger } from "../lib/logger.ts";
import type { RedirectStatus } from "../links/link/options.ts";
import type { Arrival } from "../platform/wire/arrival.ts";
import type { Specials } from "./special.ts";

type Deps = {
  specials: Pick<Specials, "away">;
  clock: Clock;
  logger: Logger;
};

export type Answers = ReturnType<typeof createResponses>;

const HTML = "text/html; charset=utf-8";

export function createResponses({ specials, clock, logger }: Deps) {
  const found = { 301: 0, 302: 0, 307: 0, 308: 0 };
  const counts = { found, failed: 0, away: 0 };
  const report = createFailureLog(clock, (err, suppressed) =>
    logger.error({ err, suppressed }, "a redirect failed: the link could not be looked up"),
  );

  /** `no-store` with every status, so that each visit comes here and is counted. */
  function redirect(location: string, request: Arrival, status: RedirectStatus = 307): Response {
    found[status]++;
    const fields = `Location: ${location}\r\nCache-Control: no-cache, no-store, must-revalidate\r\n`;
    return request.answerInPlace(status, fields);
  }

  function failed(error: unknown): Response {
    counts.failed++;
    report(error);
    return new Response("Internal Server Error", { status: 500, headers: { "Content-Type": HTML } });
  }

  return {
    redirect,
    failed,
    /** Answers a failure of a known link. */
    failedFor:
      (request: Arrival) =>
      (error: unknown): Response => {
        if (!(error instanceof AppError) || !["unavailable", "full"].includes(error.kind))
          return failed(error);
        counts.away++;
        report(error);
        return specials.away(request);
      },
    methodNotAllowed: (allow: string): Response =>
      new Response("Method Not Allowed", {
        status: 405,
        headers: { Allow: allow, "Content-Type": "text/plain; charset=utf-8" },
      }),
    counts: () => ({ ...counts, found: { ...found } }),
  };
}
