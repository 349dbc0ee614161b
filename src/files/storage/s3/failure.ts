import { type AppError, messageOf } from "../../../lib/errors.ts";
import { contentDamaged, storageFailure, storageFull } from "../storage-failure.ts";
import { isFullWord, networkWord, sentenceOf } from "./reasons.ts";
import { textOf } from "./xml.ts";

/** The refusal of an S3 endpoint, or no response (status 0). Only a cause: see `s3Failure`. */
export class S3Refusal extends Error {
  /** The region of the bucket, if the endpoint sends it. */
  region: string | null = null;

  constructor(
    readonly status: number,
    /** S3's error code; without a response one of `reasons.ts`. */
    readonly word: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(`${status} ${word}: ${message}`, options);
  }
}

const RETRYABLE = new Set([
  "Network",
  "ConnectionRefused",
  "ConnectionClosed",
  "UnknownHost",
  "Timeout",
  "SlowDown",
  "InternalError",
  "RequestTimeout",
  "ServiceUnavailable",
]);

/** Whether a repeated request may succeed. */
export const isS3Retryable = ({ status, word }: S3Refusal): boolean =>
  RETRYABLE.has(word) || status === 429 || (status >= 500 && status !== 501 && status !== 507);

export function s3Failure(refusal: S3Refusal): AppError {
  const { status, word, region } = refusal;
  if (isFullWord(status, word)) return storageFull(refusal);
  if (word === "NoSuchKey") return contentDamaged("The stored file is missing.", refusal);
  return storageFailure(refusal, sentenceOf(status, word, region));
}

/** The refusal for a request without a response. */
export const networkRefusal = (error: unknown): S3Refusal =>
  error instanceof S3Refusal
    ? error
    : new S3Refusal(0, networkWord(error), messageOf(error), { cause: error });

/** The refusal for a response of another status than expected. Its header or text has the bucket's region. */
export function refusalOfResponse(
  { status, headers }: Pick<Response, "status" | "headers">,
  text: string,
): S3Refusal {
  const word = textOf(text, "Code") ?? (status === 404 ? "NoSuchKey" : "Unknown");
  const refusal = new S3Refusal(status, word, (textOf(text, "Message") ?? "").slice(0, 500));
  const region = headers.get("x-amz-bucket-region") ?? textOf(text, "Region") ?? "";
  refusal.region = /^[a-z0-9-]{1,40}$/.test(region) ? region : null;
  return refusal;
}

export const invalidResponse = (what: string): AppError =>
  storageFailure(new Error(what), sentenceOf(0, "Unknown", null));

/** The endpoint's error if it is the cause. */
export const s3RefusalOf = (error: unknown): S3Refusal | null => {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof S3Refusal ? cause : null;
};
