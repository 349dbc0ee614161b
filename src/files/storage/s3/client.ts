/**
 * Signed requests to one bucket. The runtime's own S3 client follows redirects, has no timeouts, and can't continue or
 * list multipart uploads.
 *
 * Each request has a time limit. Temporary failures are retried after growing pauses: at most three times, once after
 * half a minute. The endpoint checks the body's SHA-256 in the signature. The caller's signal stops waiting with its
 * reason.
 */
import type { Clock } from "../../../lib/clock.ts";
import { readBounded } from "../../../lib/bounded-text.ts";
import { AppError } from "../../../lib/errors.ts";
import { checkedAddress, type ResolveHost, type S3Endpoint } from "./endpoint.ts";
import { isS3Retryable, networkRefusal, refusalOfResponse, s3Failure, S3Refusal } from "./failure.ts";
import { storageFailure } from "../storage-failure.ts";
import { createHash, createHmac } from "node:crypto";

export type S3Settings = {
  endpoint: S3Endpoint;
  bucket: string;
  credentials: S3Credentials;
  clock: Clock;
  resolve?: ResolveHost;
  pace?: Partial<typeof PACE>;
};

const PACE = {
  /** The time until the response begins, for a small body. */
  responseMs: 20_000,
  /** Slowest rate of a request body. */
  bytesPerSecond: 65_536,
  /** Limits the completion of a multipart upload, which takes some endpoints minutes. */
  completeMs: 300_000,
  /** Longest silence within a response body. */
  stallMs: 30_000,
  /** The pause before the second attempt; it doubles. */
  pauseMs: 200,
  /** No third attempt after this. */
  giveUpMs: 30_000,
};
const ATTEMPTS = 4;
const TEXT_BYTES = 8 * 1024 * 1024;
const ADDRESS_MS = 10_000;

export type S3Request = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The key; without one the request is about the bucket. */
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: { bytes: Uint8Array<ArrayBuffer>; sha256: string };
  /** Besides 200, 204 and 206. */
  accept?: readonly number[];
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
};

export type S3Client = ReturnType<typeof createS3Client>;

export function createS3Client({ endpoint, bucket, credentials, clock, resolve, pace: given }: S3Settings) {
  const pace = { ...PACE, ...given };
  const origin = createOrigin(endpoint, clock, resolve);
  const pathOf = (key: string | undefined) => (key === undefined ? `/${bucket}` : `/${bucket}/${key}`);

  function prepare(request: S3Request): { target: string; headers: Record<string, string> } {
    const signable = {
      method: request.method,
      host: endpoint.host,
      path: pathOf(request.key),
      query: request.query ?? {},
      headers: request.headers ?? {},
      payloadHash: request.body?.sha256 ?? EMPTY_HASH,
    };
    return {
      target: encodeTarget(signable),
      headers: {
        ...signHeaders(signable, credentials, clock.now()),
        Host: endpoint.host,
        "Accept-Encoding": "identity",
      },
    };
  }

  /** `read` must finish in the time limit unless it only returns the response. */
  async function attempt<T>(request: S3Request, read: (response: Response) => Promise<T>): Promise<T> {
    const { target, headers } = prepare(request);
    const late = new AbortController();
    const ms =
      (request.timeoutMs ?? pace.responseMs) +
      ((request.body?.bytes.length ?? 0) / pace.bytesPerSecond) * 1_000;
    const timer = setTimeout(
      () => late.abort(new S3Refusal(0, "Timeout", `no response within ${ms} ms`)),
      ms,
    );
    try {
      const url = `${await origin()}${target}`;
      const signal =
        request.signal === undefined ? late.signal : AbortSignal.any([request.signal, late.signal]);
      const response = await fetch(url, {
        method: request.method,
        headers,
        redirect: "manual",
        signal,
        ...(request.body !== undefined && { body: request.body.bytes }),
      });
      const isFromServer = [200, 204, 206, ...(request.accept ?? [])].includes(response.status);
      if (!isFromServer) throw refusalOfResponse(response, await textIn(response).catch(() => ""));
      return await read(response);
    } catch (error) {
      if (late.signal.aborted) throw late.signal.reason;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async function send<T>(request: S3Request, read: (response: Response) => Promise<T>): Promise<T> {
    const begun = performance.now();
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(request, read);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (error instanceof AppError) throw error;
        const refusal = networkRefusal(error);
        const isLate = attempts > 1 && performance.now() - begun > pace.giveUpMs;
        if (attempts === ATTEMPTS || isLate || !isS3Retryable(refusal)) throw s3Failure(refusal);
        await Bun.sleep(pace.pauseMs * 2 ** (attempts - 1) * (0.5 + Math.random()));
      }
    }
  }

  return {
    pace,
    /**
     * Resolves when the response begins; the caller owns its body. Rejects with StorageUnavailable, whose cause
     * s3RefusalOf returns.
     */
    stream: (request: S3Request): Promise<Response> => send(request, async (response) => response),
    /** At most 8 MiB. An error inside a success is an error. */
    text: (request: S3Request): Promise<string> =>
      send(request, async (response) => {
        const text = await textIn(response);
        if (/^\s*(<\?xml[^>]*>\s*)?<Error[\s>]/.test(text)) throw refusalOfResponse(response, text);
        return text;
      }),
    /** Reads and discards the body. */
    head: (request: S3Request): Promise<Pick<Response, "status" | "headers">> =>
      send(request, async (response) => {
        await textIn(response);
        return response;
      }),
    presign: (key: string, query: Readonly<Record<string, string>>, expiresSeconds: number): string => {
      const request = { method: "GET", host: endpoint.host, path: pathOf(key), query };
      return `${endpoint.protocol}//${endpoint.host}${presignTarget(request, credentials, clock.now(), expiresSeconds)}`;
    },
  };
}

/** Resolves the checked address for http again after 10 seconds. */
function createOrigin(
  endpoint: S3Endpoint,
  clock: Clock,
  resolve: ResolveHost | undefined,
): () => Promise<string> {
  let known: { origin: string; until: number } | undefined;
  return async () => {
    if (known !== undefined && clock.now() < known.until) return known.origin;
    const address = await checkedAddress(endpoint, resolve).catch((error: AppError) => {
      throw storageFailure(
        error.name === "StorageUnavailable" ? error : null,
        "The S3 endpoint is not allowed.",
      );
    });
    const name = address.includes(":") ? `[${address}]` : address;
    const origin =
      endpoint.protocol === "https:"
        ? `https://${endpoint.host}`
        : `http://${name}${endpoint.port === "" ? "" : `:${endpoint.port}`}`;
    known = { origin, until: clock.now() + ADDRESS_MS };
    return origin;
  };
}

const textIn = (response: Response): Promise<string> =>
  readBounded(
    response,
    TEXT_BYTES,
    () => new S3Refusal(response.status, "Unknown", "the response is too long"),
  );

type S3Credentials = { accessKey: string; secretKey: string; region: string };

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

/**
 * AWS Signature Version 4 for S3. Path segments are percent-encoded once, except unreserved characters.
 * Own code: aws4fetch 1.0.20 takes 51 instead of 19 µs of processor time, half of what a small request costs in all.
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html and sigv4-query-string-auth.html
 */
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
