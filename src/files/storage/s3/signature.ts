/**
 * AWS Signature Version 4 for S3. Path segments are percent-encoded once, except unreserved characters.
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html and sigv4-query-string-auth.html
 */
import { createHash } from "node:crypto";
import {
  type Signable,
  encodeTarget,
  lowerCased,
  namesOf,
  canonicalQuery,
  encodePath,
} from "./canonical-request.ts";
import { type S3Credentials, signingKey, scopeOf, timestamp, hmac } from "./signing-key.ts";

export const EMPTY_HASH = createHash("sha256").digest("hex");

const UNSIGNED = "UNSIGNED-PAYLOAD";

const ALGORITHM = "AWS4-HMAC-SHA256";

/** All headers to send except Host. */
export function signHeaders(
  request: Signable,
  credentials: S3Credentials,
  now: number,
): Record<string, string> {
  const time = timestamp(now);
  const headers = { ...request.headers, "x-amz-content-sha256": request.payloadHash, "x-amz-date": time };
  const signed = { ...headers, host: request.host };
  const scope = scopeOf(time, credentials);
  const signature = sign(request, signed, request.query ?? {}, time, credentials);
  const authorization = `${ALGORITHM} Credential=${credentials.accessKey}/${scope}, SignedHeaders=${namesOf(signed)}, Signature=${signature}`;
  return { ...headers, authorization };
}

/** Path and query, valid without headers from `now` on, for at most a week. */
export function presignTarget(
  request: Omit<Signable, "payloadHash" | "headers">,
  credentials: S3Credentials,
  now: number,
  expiresSeconds: number,
): string {
  const time = timestamp(now);
  const headers = { host: request.host };
  const query = {
    ...request.query,
    "X-Amz-Algorithm": ALGORITHM,
    "X-Amz-Credential": `${credentials.accessKey}/${scopeOf(time, credentials)}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(expiresSeconds),
    "X-Amz-SignedHeaders": namesOf(headers),
  };
  const signature = sign({ ...request, payloadHash: UNSIGNED }, headers, query, time, credentials);
  return `${encodeTarget({ path: request.path, query })}&X-Amz-Signature=${signature}`;
}

function sign(
  request: Signable,
  headers: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>,
  time: string,
  credentials: S3Credentials,
): string {
  const lines = lowerCased(headers).map(([name, value]) => `${name}:${value.trim().replace(/ +/g, " ")}\n`);
  const canonical = [
    request.method,
    encodePath(request.path),
    canonicalQuery(query),
    lines.join(""),
    namesOf(headers),
    request.payloadHash,
  ].join("\n");
  const text = [ALGORITHM, time, scopeOf(time, credentials), sha256(canonical)].join("\n");
  return hmac(signingKey(time, credentials), text).toString("hex");
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
