import type { AppError } from "../../../lib/errors.ts";
import { contentDamaged, storageFailure, storageFull } from "../storage-failure.ts";

/** The refusal of an S3 endpoint, or no response (status 0). Only a cause: see `s3Failure`. */
export class S3Refusal extends Error {
  constructor(
    readonly status: number,
    /** S3's error code; "Network" and "Timeout" are Waymark's. */
    readonly word: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(`${status} ${word}: ${message}`, options);
  }
}

const RETRYABLE = new Set([
  "Network",
  "Timeout",
  "SlowDown",
  "InternalError",
  "RequestTimeout",
  "ServiceUnavailable",
]);

/** Whether a repeated request may succeed. */
export const isS3Retryable = ({ status, word }: S3Refusal): boolean =>
  RETRYABLE.has(word) || status === 429 || (status >= 500 && status !== 501 && status !== 507);

const SENTENCES: Record<string, string> = {
  Network: "The S3 endpoint can't be reached.",
  Timeout: "The S3 endpoint does not respond in time.",
  AccessDenied: "The S3 endpoint refuses the policy's keys.",
  InvalidAccessKeyId: "The S3 endpoint refuses the policy's keys.",
  SignatureDoesNotMatch: "The S3 endpoint refuses the policy's keys.",
  RequestTimeTooSkewed: "The clocks of the S3 endpoint and this machine differ too much.",
  NoSuchBucket: "The policy's bucket does not exist.",
  AuthorizationHeaderMalformed: "The policy's region is not the bucket's.",
  PermanentRedirect: "The S3 endpoint redirects. Use the bucket's own endpoint.",
  SlowDown: "The S3 endpoint is overloaded. Try again later.",
  EntityTooLarge: "The storage does not accept files of this size.",
};

export function s3Failure(refusal: S3Refusal): AppError {
  const { status, word } = refusal;
  if (status >= 300 && status < 400) return storageFailure(refusal, SENTENCES["PermanentRedirect"]);
  if (status === 507 || word === "QuotaExceeded") return storageFull(refusal);
  if (word === "NoSuchKey") return contentDamaged("The stored file is missing.", refusal);
  const byStatus = status === 403 ? SENTENCES["AccessDenied"] : undefined;
  return storageFailure(refusal, SENTENCES[word] ?? byStatus ?? "The S3 endpoint sent an invalid response.");
}

export const invalidAnswer = (what: string): AppError =>
  storageFailure(new Error(what), "The S3 endpoint sent an invalid response.");

/** The endpoint's error if it is the cause. */
export const s3RefusalOf = (error: unknown): S3Refusal | null => {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof S3Refusal ? cause : null;
};
