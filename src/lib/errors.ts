/** The error type that crosses rooms. Clients read its name and number; a number never changes its meaning. */
export type ErrorKind =
  | "invalid"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "precondition"
  | "unprocessable"
  | "too_large"
  | "rate_limited"
  | "internal"
  | "bad_gateway"
  | "unavailable"
  | "full";

/** `field`: the default subject of the message. */
export const ERRORS = {
  BadRequest: { code: 1000, kind: "invalid" },
  Unauthorized: { code: 1001, kind: "unauthorized" },
  Forbidden: { code: 1003, kind: "forbidden" },
  NotFound: { code: 1004, kind: "not_found" },
  InternalServerError: { code: 1005, kind: "internal" },
  MethodNotAllowed: { code: 1006, kind: "method_not_allowed" },
  Conflict: { code: 1009, kind: "conflict" },
  BatchSizeTooLarge: { code: 1010, kind: "invalid" },
  FileTooLarge: { code: 1011, kind: "invalid" },
  InvalidDateFormat: { code: 1012, kind: "invalid" },
  PayloadTooLarge: { code: 1013, kind: "too_large" },
  PreconditionFailed: { code: 1014, kind: "precondition" },
  IdempotencyKeyReused: { code: 1015, kind: "unprocessable" },
  ServiceUnavailable: { code: 1030, kind: "unavailable" },
  InsufficientStorage: { code: 1031, kind: "full" },
  AuthFailed: { code: 2000, kind: "unauthorized" },
  TokenInvalid: { code: 2002, kind: "unauthorized" },
  CsrfInvalid: { code: 2003, kind: "forbidden" },
  RateLimitExceeded: { code: 2004, kind: "rate_limited" },
  LinkNotFound: { code: 3000, kind: "not_found" },
  LinkAlreadyExists: { code: 3001, kind: "conflict" },
  LinkInvalidUrl: { code: 3002, kind: "invalid", field: "target" },
  LinkInvalidExpireTime: { code: 3003, kind: "invalid", field: "expires_at" },
  LinkInvalidCode: { code: 3007, kind: "invalid", field: "code" },
  LinkReservedCode: { code: 3008, kind: "invalid", field: "code" },
  InvalidMultipartData: { code: 4002, kind: "invalid" },
  CsvFileMissing: { code: 4004, kind: "invalid", field: "file" },
  CsvParseError: { code: 4005, kind: "invalid" },
  ConfigNotFound: { code: 5000, kind: "not_found" },
  ConfigReloadFailed: { code: 5002, kind: "internal" },
  FileNotFound: { code: 7000, kind: "not_found" },
  FolderNotFound: { code: 7001, kind: "not_found" },
  PolicyNotFound: { code: 7002, kind: "not_found" },
  NameConflict: { code: 7010, kind: "conflict" },
  FolderCycle: { code: 7011, kind: "conflict" },
  PolicyInUse: { code: 7012, kind: "conflict" },
  InvalidName: { code: 7020, kind: "invalid", field: "name" },
  FileTooLargeForPolicy: { code: 7021, kind: "too_large" },
  StorageUnavailable: { code: 7030, kind: "bad_gateway" },
} as const satisfies Record<string, { code: number; kind: ErrorKind; field?: string }>;

export type ErrorName = keyof typeof ERRORS;

export type FieldError = {
  /** Path in the body or query, such as `payload.target`; `body` or `query` for the whole. */
  field: string;
  /** A sentence. */
  message: string;
};

export const MOST_FIELD_ERRORS = 20;

type ErrorOptions = {
  /** The field that the message is about, or all wrong ones, at most MOST_FIELD_ERRORS. */
  field?: string | readonly FieldError[];
  /** Machine-readable facts (bounds, retry times). Never a secret. */
  details?: Record<string, unknown>;
  /** Logged, never sent. */
  cause?: unknown;
};

export class AppError extends Error {
  override readonly name: ErrorName;
  readonly kind: ErrorKind;
  /** `code` of the envelope. */
  readonly code: number;
  readonly details: Record<string, unknown> | undefined;
  readonly faults: readonly FieldError[] | undefined;

  constructor(name: ErrorName, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = name;
    this.kind = ERRORS[name].kind;
    this.code = ERRORS[name].code;
    this.details = options.details;
    const { field } = options;
    this.faults = typeof field === "string" ? [{ field, message }] : field;
  }
}

/** The message explains what is wrong and what to do. */
export const appError = (name: ErrorName, message: string, options?: ErrorOptions): AppError =>
  new AppError(name, message, options);

/** The fault of one field of a request. */
export const badField = (field: string, message: string): AppError =>
  appError("BadRequest", message, { field });

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
