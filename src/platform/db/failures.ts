/**
 * Dialects classify database errors; driver.ts turns the kind into an AppError. Other errors are defects and pass
 * unchanged.
 */
import { AppError, type ErrorName, messageOf } from "../../lib/errors.ts";

const RESPONSES = {
  unique: { name: "Conflict", message: "An entry with this key already exists." },
  foreign_key: {
    name: "Conflict",
    message: "Another entry refers to this one, or an entry it refers to does not exist.",
  },
  retry: { name: "ServiceUnavailable", message: "The database is busy with another change. Try again." },
  timeout: { name: "ServiceUnavailable", message: "The database took too long. Try again, or ask for less." },
  unavailable: { name: "ServiceUnavailable", message: "The database is not available. Try again later." },
  refused: {
    name: "ServiceUnavailable",
    message: "The database refuses this server. Its log and the command doctor say why.",
  },
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

type KnownFailure = keyof typeof RESPONSES;

/** "retry": a deadlock or lost lock rolled the transaction back; it may run again. "other": a defect of ours. */
export type FailureKind = KnownFailure | "other";

/** Servers have followed a move by then. */
const MOVE_SECONDS = 5;

export class DatabaseError extends AppError {
  readonly failure: KnownFailure;
  /** What the database refused and what to do, for whoever runs the server, not for clients. */
  readonly refusal: string | null;

  constructor(failure: KnownFailure, cause: unknown, refusal: string | null = null) {
    const details = failure === "moving" ? { details: { retryAfterSeconds: MOVE_SECONDS } } : {};
    super(RESPONSES[failure].name, RESPONSES[failure].message, { cause, ...details });
    this.failure = failure;
    this.refusal = refusal;
  }
}

export type Translation = {
  classify: (error: unknown) => FailureKind;
  /** See refusals.ts. */
  explainRefusal?: (error: unknown) => string | null;
};

export function translateFailure({ classify, explainRefusal }: Translation, error: unknown): unknown {
  if (error instanceof AppError) return error;
  withoutStatement(error);
  const refusal = explainRefusal?.(error) ?? null;
  if (refusal !== null) return new DatabaseError("refused", error, refusal);
  const failure = isClosedByMove(error) ? "moving" : classify(error);
  return failure === "other" ? error : new DatabaseError(failure, error);
}

/** The message for whoever runs the server; null for other errors. */
export const databaseRefusalOf = (error: unknown): string | null =>
  error instanceof DatabaseError ? error.refusal : null;

/** A trigger did not find the log (move-switch.ts): a change at the end of a move, or after it. */
const isClosedByMove = (error: unknown): boolean =>
  error instanceof Error &&
  error.message.includes("waymark_move_log") &&
  /no such table|exist/.test(error.message);

/** What the server said. */
export const serverMessage = (error: unknown): string =>
  messageOf(error instanceof DatabaseError ? error.cause : error);

/** Removes statement and values, because errors are logged. */
function withoutStatement(error: unknown): void {
  if (typeof error === "object" && error !== null && "sql" in error) delete error.sql;
}

const failedBy = (error: unknown, ...failures: readonly KnownFailure[]): boolean =>
  error instanceof DatabaseError && failures.includes(error.failure);

/** No server responds: nothing was written, or nobody knows. */
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
/** Only a person can mend it. */
export const isForPeople = (error: unknown): boolean => failedBy(error, "damaged", "refused");
/** A later try may succeed. A commit may have happened. */
export const isUnavailable = (error: unknown): boolean =>
  failedBy(error, "unavailable", "timeout", "retry", "refused", "full", "moving", "damaged");

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

/** Whether the client refused the server's certificate. The driver of MySQL has one code for all failures of TLS. */
export const isCertificateRefusal = (error: unknown): boolean => {
  const { code = "", message = "" } = (error ?? {}) as { code?: unknown; message?: unknown };
  return (
    CERTIFICATE_CODES.test(String(code)) ||
    (code === "HANDSHAKE_SSL_ERROR" && /certificat|altname/i.test(String(message)))
  );
};

const CERTIFICATE_CODES =
  /^(CERT_|ERR_TLS_CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH)/;
