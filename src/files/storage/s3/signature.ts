/**
 * AWS Signature Version 4 for S3. Path segments are percent-encoded once, except unreserved characters.
 * Own code: aws4fetch 1.0.20 takes 51 instead of 19 µs of processor time, half of what a small request costs in all.
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html and sigv4-query-string-auth.html
 */
import { createHash, createHmac } from "node:crypto";

export type S3Credentials = { accessKey: string; secretKey: string; region: string };

type Signable = {
  method: string;
  /** The host, with a port other than the scheme's default. */
  host: string;
  /** The path, not encoded. */
  path: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** 64 hex digits, or UNSIGNED-PAYLOAD. */
  payloadHash: string;
};

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

/** The key for a day, region and service. */
function signingKey(time: string, { secretKey, region }: S3Credentials): Buffer {
  const day = hmac(`AWS4${secretKey}`, time.slice(0, 8));
  return hmac(hmac(hmac(day, region), "s3"), "aws4_request");
}

const scopeOf = (time: string, { region }: S3Credentials): string =>
  `${time.slice(0, 8)}/${region}/s3/aws4_request`;

/** `20130524T000000Z` */
const timestamp = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, "");

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Encodes the target of the request line. */
export const encodeTarget = ({ path, query = {} }: Pick<Signable, "path" | "query">): string => {
  const canonical = canonicalQuery(query);
  return encodePath(path) + (canonical === "" ? "" : `?${canonical}`);
};

const lowerCased = (headers: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .sort(byBytes);

const namesOf = (headers: Readonly<Record<string, string>>): string =>
  lowerCased(headers)
    .map(([name]) => name)
    .join(";");

const canonicalQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]): [string, string] => [encode(name), encode(value)])
    .sort(byBytes)
    .map((pair) => pair.join("="))
    .join("&");

const byBytes = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);

const encodePath = (path: string): string => path.split("/").map(encode).join("/");

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
