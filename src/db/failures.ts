/**
 * Dialects classify database errors; driver.ts turns the kind into an AppError. Other errors are defects and pass
 * unchanged.
 */
import { AppError, type ErrorName } from "../lib/errors.ts";

const ANSWERS = {
  unique: { name: "Conflict", message: "An entry with this key already exists." },
  foreign_key: {
    name: "Conflict",
    message: "Another entry refers to this one, or an entry it refers to does not exist.",
  },
  retry: { name: "ServiceUnavailable", message: "The database is busy with another change. Try again." },
  timeout: { name: "ServiceUnavailable", message: "The database took too long. Try again, or ask for less." },
  unavailable: { name: "ServiceUnavailable", message: "The database is not available. Try again later." },
  full: {
    name: "InsufficientStorage",
    message: "The disk of the database is full, so the change was refused. Make room there, then try again.",
  },
  damaged: {
    name: "ServiceUnavailable",
    message: "The database file is damaged. Run the command doctor on the server for advice.",
  },
  moving: {
    name: "ServiceUnavailable",
    message: "The data is moving to another database. Try again in a few seconds.",
  },
} satisfies Record<string, { name: ErrorName; message: string }>;

type KnownFailure = keyof typeof ANSWERS;

/** "retry": a deadlock or lost lock rolled the transaction back; it may run again. "other": a defect of ours. */
export type FailureKind = KnownFailure | "other";

/** Servers have followed a move by then. */
const MOVE_SECONDS = 5;

export class DatabaseError extends AppError {
  readonly failure: KnownFailure;

  constructor(failure: KnownFailure, cause: unknown) {
    const details = failure === "moving" ? { details: { retryAfterSeconds: MOVE_SECONDS } } : {};
    super(ANSWERS[failure].name, ANSWERS[failure].message, { cause, ...details });
    this.failure = failure;
  }
}

export function translateFailure(classify: (error: unknown) => FailureKind, error: unknown): unknown {
  if (error instanceof AppError) return error;
  withoutStatement(error);
  const failure = isClosedByMove(error) ? "moving" : classify(error);
  return failure === "other" ? error : new DatabaseError(failure, error);
}

/** A trigger did not find the log (move-log.ts): a change at the end of a move, or after it. */
const isClosedByMove = (error: unknown): boolean =>
  error instanceof Error &&
  error.message.includes("waymark_move_log") &&
  /no such table|exist/.test(error.message);

/** Removes statement and values, because errors are logged. */
function withoutStatement(error: unknown): void {
  if (typeof error === "object" && error !== null && "sql" in error) delete error.sql;
}

const failedBy = (error: unknown, ...failures: readonly KnownFailure[]): boolean =>
  error instanceof DatabaseError && failures.includes(error.failure);

/** No server answers: nothing was written, or nobody knows. */
export const isDatabaseAway = (error: unknown): boolean => failedBy(error, "unavailable");
/** After this error, roll the transaction back. */
export const isUniqueViolation = (error: unknown): boolean => failedBy(error, "unique");
export const isForeignKeyViolation = (error: unknown): boolean => failedBy(error, "foreign_key");

type Explanations = {
  unique?: (cause: unknown) => AppError;
  foreignKey?: (cause: unknown) => AppError;
};

/** Replaces the error of a violated key. */
export async function explainViolations<T>(
  write: () => Promise<T>,
  { unique, foreignKey }: Explanations,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const explain =
      (isUniqueViolation(error) && unique) || (isForeignKeyViolation(error) && foreignKey) || null;
    throw explain === null ? error : explain(error);
  }
}

export const isRetryable = (error: unknown): boolean => failedBy(error, "retry");
export const isDamaged = (error: unknown): boolean => failedBy(error, "damaged");
/** A later try may succeed. A commit may have happened. */
export const isUnavailable = (error: unknown): boolean =>
  failedBy(error, "unavailable", "timeout", "retry", "full", "moving", "damaged");

const NETWORK_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "ENOENT",
  "ENOTPRIMARY",
  "EACCES",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ERR_SOCKET_CLOSED",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
  "FailedToOpenSocket",
  "ConnectionRefused",
  "ConnectionClosed",
  "ConnectionTimeout",
  "DNSException",
]);

export const isNetworkFailure = (error: unknown): boolean =>
  NETWORK_CODES.has(String((error as { code?: unknown } | null)?.code));
