import { type AppError, messageOf } from "../../../lib/errors.ts";
import { contentDamaged, storageFailure, storageFull } from "../storage-failure.ts";
import { textOf } from "./xml.ts";

/** The refusal of an S3 endpoint, or no response (status 0). Only a cause: see `s3Failure`. */
export class S3Refusal extends Error {
  /** The region of the bucket, if the endpoint sends it. */
  region: string | null = null;

  constructor(
    readonly status: number,
    /** S3's error code; without a response one of `SENTENCES`. */
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

/** What a refusal of an S3 endpoint means for the policy, and what to do. Clients read it: it names no host and no key. */

const KEYS = "set access_key and secret_key of the policy again";
const REGION = "set the policy's region to that of the bucket";
const REDIRECTS = "The S3 endpoint redirects: use the endpoint of the bucket's own region, or";
const OVERLOADED = "The S3 endpoint is overloaded. Try again later.";
const RIGHTS =
  "allow them GetObject, PutObject, DeleteObject, AbortMultipartUpload, ListMultipartUploadParts, ListBucket and ListBucketMultipartUploads";

/** Sentences for S3's error codes, and Waymark's own for no response. A sentence that needs the code has it added. */
const SENTENCES: Readonly<Record<string, string>> = {
  Network: "The S3 endpoint can't be reached. Check the policy's endpoint and this machine's network.",
  ConnectionRefused:
    "The S3 endpoint can't be reached: nothing accepts connections there. Check that it runs, and host and port of the policy's endpoint.",
  ConnectionClosed:
    "The S3 endpoint can't be reached: it closes connections. If its port speaks TLS, the policy's endpoint begins with https://.",
  UnknownHost:
    "The S3 endpoint can't be reached: DNS has no address for its name. Check the policy's endpoint and this machine's resolver.",
  NotTls:
    "The S3 endpoint can't be reached: the TLS handshake fails. If its port speaks no TLS, the policy's endpoint begins with http://.",
  Certificate:
    "The TLS certificate of the S3 endpoint is not trusted. Give the endpoint a valid one, or start Waymark with its authority's file in NODE_EXTRA_CA_CERTS.",
  CertificateExpired: "The TLS certificate of the S3 endpoint has expired. Renew it there.",
  CertificateName:
    "The TLS certificate of the S3 endpoint is for another name. Use a name in the policy's endpoint that the certificate has.",
  Timeout:
    "The S3 endpoint does not respond in time. Check its load, and whether a firewall drops what this machine sends.",
  AccessDenied: `The S3 endpoint refuses the policy's keys this request: ${RIGHTS} in the bucket`,
  AllAccessDisabled: "The S3 endpoint has disabled the bucket. Ask its operator",
  AccountProblem: "The S3 endpoint refuses the account of the policy's keys. Ask its operator",
  InvalidAccessKeyId: `The S3 endpoint does not know the policy's keys: ${KEYS}`,
  SignatureDoesNotMatch: `The S3 endpoint refuses the policy's keys: ${KEYS}. If they are right, a proxy in between changes requests`,
  ExpiredToken: `The policy's keys have expired: ${KEYS}, to some that do not expire`,
  InvalidToken: `The S3 endpoint refuses the policy's keys: ${KEYS}, to some without a session token`,
  RequestTimeTooSkewed:
    "The clocks of the S3 endpoint and this machine differ too much: synchronize both, for example by NTP",
  NoSuchBucket:
    "The policy's bucket does not exist: create it at the endpoint, or make a policy for the right one",
  InvalidBucketName:
    "The S3 endpoint refuses the name of the policy's bucket: make a policy for an existing one",
  AuthorizationHeaderMalformed: `The policy's region is not the bucket's: ${REGION}`,
  InvalidRegion: `The policy's region is not the bucket's: ${REGION}`,
  IllegalLocationConstraintException: `The policy's region is not the bucket's: ${REGION}`,
  PermanentRedirect: `${REDIRECTS} ${REGION}`,
  SlowDown: OVERLOADED,
  SlowDownRead: OVERLOADED,
  SlowDownWrite: OVERLOADED,
  TooManyRequests: OVERLOADED,
  ServiceUnavailable: OVERLOADED,
  RequestTimeout: OVERLOADED,
  InternalError: "The S3 endpoint fails. Try again later; its own log has the reason",
  EntityTooLarge: "The storage does not accept files of this size.",
  NotImplemented: "The S3 endpoint lacks what Waymark needs, such as multipart uploads. Use another one",
  MethodNotAllowed:
    "The S3 endpoint lacks what Waymark needs. Check the policy's endpoint, or use another one",
  InvalidObjectState:
    "The stored file is archived at the S3 endpoint. Restore it there, and keep Waymark's bucket from archiving",
};

const FULL = new Set([
  "QuotaExceeded",
  "QuotaExceededException",
  "InsufficientStorage",
  "XMinioStorageFull",
  "XMinioAdminBucketQuotaExceeded",
]);

/** The runtime's codes for requests without a response. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "ConnectionRefused",
  ECONNRESET: "ConnectionClosed",
  EPIPE: "ConnectionClosed",
  ENOTFOUND: "UnknownHost",
  EAI_AGAIN: "UnknownHost",
  EPROTO: "NotTls",
  CERT_HAS_EXPIRED: "CertificateExpired",
  ERR_TLS_CERT_ALTNAME_INVALID: "CertificateName",
  CERT_NOT_YET_VALID: "Certificate",
  CERT_UNTRUSTED: "Certificate",
  DEPTH_ZERO_SELF_SIGNED_CERT: "Certificate",
  SELF_SIGNED_CERT_IN_CHAIN: "Certificate",
  UNABLE_TO_GET_ISSUER_CERT: "Certificate",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "Certificate",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "Certificate",
};

const networkWord = (error: unknown): string =>
  WORDS[String((error as { code?: unknown } | null)?.code)] ?? "Network";

const isFullWord = (status: number, word: string): boolean => status === 507 || FULL.has(word);

/** @param region of the bucket, as the endpoint names it */
export function sentenceOf(status: number, word: string, region: string | null): string {
  const byStatus =
    status >= 300 && status < 400
      ? "PermanentRedirect"
      : status === 403
        ? "AccessDenied"
        : status === 429
          ? "TooManyRequests"
          : undefined;
  const known = SENTENCES[word] ?? (byStatus && SENTENCES[byStatus]);
  // A code of S3 is letters; other text comes from something in between.
  const isCode = /^[A-Za-z0-9]{1,64}$/.test(word) && word !== "Unknown";
  if (known === undefined)
    return isCode
      ? `The S3 endpoint refuses the request (${status} ${word}). Its documentation explains this code.`
      : "The S3 endpoint sent an invalid response. Check that the policy's endpoint is an S3 server, not a web page or a proxy.";
  if (known.endsWith(".")) return known;
  const named =
    known.includes(REGION) && region !== null ? known.replace(REGION, `${REGION}, ${region}`) : known;
  return `${named} (${isCode ? word : status}).`;
}
