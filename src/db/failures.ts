/**
 * The edge where database errors become ours. Each dialect sorts its driver's errors into a FailureKind
 * (Dialect.classify); here a kind becomes an AppError, once, in driver.ts. What is none of them is a defect and
 * passes as it is.
 */
import { AppError, type ErrorName } from "../lib/errors.ts";

/**
 * What went wrong, as far as callers can act on it. "retry": a deadlock or a lost race for a lock, the transaction
 * is gone and may run again. "damaged": the database file can't be read as one. "other": a defect of ours.
 */
export type FailureKind =
  | "unique"
  | "foreign_key"
  | "retry"
  | "timeout"
  | "unavailable"
  | "damaged"
  | "other";

const ANSWERS: Record<Exclude<FailureKind, "other">, { name: ErrorName; message: string }> = {
  unique: { name: "Conflict", message: "Something with this key exists already." },
  foreign_key: {
    name: "Conflict",
    message: "Something else still refers to this, or what it refers to is gone.",
  },
  retry: { name: "ServiceUnavailable", message: "The database is busy with another change. Try again." },
  timeout: { name: "ServiceUnavailable", message: "The database took too long. Try again, or ask for less." },
  unavailable: { name: "ServiceUnavailable", message: "The database is not available. Try again later." },
  damaged: {
    name: "ServiceUnavailable",
    message: "The database file is damaged. On the server, the command doctor says what to do.",
  },
};

export class DatabaseError extends AppError {
  readonly failure: FailureKind;

  constructor(failure: Exclude<FailureKind, "other">, cause: unknown) {
    super(ANSWERS[failure].name, ANSWERS[failure].message, { cause });
    this.failure = failure;
  }
}

/** The error as callers of db/ see it. */
export function translateFailure(classify: (error: unknown) => FailureKind, error: unknown): unknown {
  if (error instanceof AppError) return error;
  withoutStatement(error);
  const failure = classify(error);
  return failure === "other" ? error : new DatabaseError(failure, error);
}

/** A driver may hang the whole statement with its values on its error, and errors are logged. */
function withoutStatement(error: unknown): void {
  if (typeof error === "object" && error !== null && "sql" in error) delete error.sql;
}

const failedBy = (error: unknown, failure: FailureKind): boolean =>
  error instanceof DatabaseError && error.failure === failure;

/** A row with this key exists: the statement changed nothing, and a transaction it ran in must be rolled back. */
export const isUniqueViolation = (error: unknown): boolean => failedBy(error, "unique");
/** Something still refers to the row, or what it refers to is gone; the transaction must be rolled back. */
const isForeignKeyViolation = (error: unknown): boolean => failedBy(error, "foreign_key");

type Explanations = {
  unique?: (cause: unknown) => AppError;
  foreignKey?: (cause: unknown) => AppError;
};

/** The outcome of the write; where it breaks a key, the error that tells the caller what is wrong. */
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

/** The transaction was rolled back by the database to let another one go on. */
export const isRetryable = (error: unknown): boolean => failedBy(error, "retry");
/** The database file is damaged; no other try will work. */
export const isDamaged = (error: unknown): boolean => failedBy(error, "damaged");
/** The database didn't do its work, and whether a commit took place is unknown; another try later may work. */
export const isUnavailable = (error: unknown): boolean =>
  failedBy(error, "unavailable") ||
  failedBy(error, "timeout") ||
  failedBy(error, "retry") ||
  isDamaged(error);

const NETWORK_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "ENOENT",
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

/** Whether a socket failed under the driver. */
export const isNetworkFailure = (error: unknown): boolean =>
  NETWORK_CODES.has(String((error as { code?: unknown } | null)?.code));
