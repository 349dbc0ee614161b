import { AppError, appError, ERRORS, type ErrorKind, type FieldError } from "../../lib/errors.ts";
import { wholeResponse } from "../../lib/whole-response.ts";

export const STATUS_OF_KIND: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition: 412,
  unprocessable: 422,
  too_large: 413,
  rate_limited: 429,
  internal: 500,
  bad_gateway: 502,
  unavailable: 503,
  full: 507,
};

/** Foreign errors become a 500 without internals. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return appError("InternalServerError", "The server failed; its log has the details.", {
    cause: thrown,
  });
}

export type FailureBody = {
  code: number;
  error: string;
  message: string;
  details?: readonly FieldError[];
  data?: unknown;
};

/**
 * `details.retryAfterSeconds` sets `Retry-After`, `details.allow` sets `Allow`, `details.status` replaces the kind's
 * status, `details.challenge` the scheme of WWW-Authenticate, `details.data` is what stands all the same.
 */
export function failureResponse(error: AppError): Response {
  const { code, name, message } = error;
  const faults = faultsOf(error);
  const data = error.details?.["data"];
  const body: FailureBody = {
    code,
    error: name,
    message,
    ...(faults && { details: faults }),
    ...(data !== undefined && { data }),
  };
  const headers = new Headers({ "Content-Type": "application/json; charset=utf-8" });
  const retryAfter = error.details?.["retryAfterSeconds"];
  if (typeof retryAfter === "number") headers.set("Retry-After", String(Math.max(1, Math.ceil(retryAfter))));
  if (error.kind === "unauthorized")
    headers.set("WWW-Authenticate", String(error.details?.["challenge"] ?? "Bearer"));
  const allow = error.details?.["allow"];
  if (typeof allow === "string") headers.set("Allow", allow);
  const status = error.details?.["status"] ?? STATUS_OF_KIND[error.kind];
  return wholeResponse(JSON.stringify(body), { status: Number(status), headers });
}

/** A message about one field begins with its name. */
const NAMED_FIELD = /^([a-z][\w.-]*)(?:: | must | would | can't | is required)/i;

function faultsOf({ kind, name, faults, message }: AppError): readonly FieldError[] | undefined {
  if (faults !== undefined || kind !== "invalid") return faults;
  const field = NAMED_FIELD.exec(message)?.[1] ?? (ERRORS[name] as { field?: string }).field;
  return field === undefined ? undefined : [{ field, message }];
}
