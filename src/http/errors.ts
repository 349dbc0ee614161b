import { AppError, appError, type ErrorKind } from "../lib/errors.ts";

/** The one table from what went wrong to the HTTP status. */
export const STATUS_OF_KIND: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  internal: 500,
  bad_gateway: 502,
  unavailable: 503,
};

/** Any thrown value as the AppError to answer with; what is not ours becomes a 500 that tells no internals. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return appError("InternalServerError", "Something went wrong on our side; the log has the details.", {
    cause: thrown,
  });
}

export type FailureBody = { code: number; error: string; message: string };

/**
 * The failure envelope. `Retry-After` is set from `details.retryAfterSeconds`, `Allow` from `details.allow`, and
 * `details.status` is the status where a protocol wants another one than the kind's.
 */
export function failureResponse(error: AppError): Response {
  const body: FailureBody = { code: error.code, error: error.name, message: error.message };
  const headers = new Headers({ "Content-Type": "application/json; charset=utf-8" });
  const retryAfter = error.details?.["retryAfterSeconds"];
  if (typeof retryAfter === "number") headers.set("Retry-After", String(Math.max(1, Math.ceil(retryAfter))));
  if (error.kind === "unauthorized") headers.set("WWW-Authenticate", "Bearer");
  const allow = error.details?.["allow"];
  if (typeof allow === "string") headers.set("Allow", allow);
  const status = error.details?.["status"] ?? STATUS_OF_KIND[error.kind];
  return new Response(JSON.stringify(body), { status: Number(status), headers });
}
