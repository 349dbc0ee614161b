/**
 * Signed requests to one bucket, over fetch; large answers come over a connection of their own where that is possible
 * (lib/socket-get.ts). Why not the runtime's own S3 client: it follows redirects, has no timeouts, and can't continue or
 * list uploads in parts.
 *
 * Each request has a time to answer in, and one that failed for a passing reason is sent again after a growing pause,
 * at most three times, and once only when half a minute is over. Bodies are bytes with their SHA-256 in the signature,
 * which the endpoint must check; so what it takes is what we sent. Redirects are answers like any other. The caller's
 * signal ends waiting with its reason.
 */
import type { Clock } from "../../../lib/clock.ts";
import { readBounded } from "../../../lib/bounded-text.ts";
import { AppError } from "../../../lib/errors.ts";
import { socketGet } from "../../../lib/socket-get.ts";
import { checkedAddress, type S3Endpoint, type ResolveHost } from "./endpoint.ts";
import { isS3Retryable, S3Refusal, s3Failure } from "./failure.ts";
import { EMPTY_HASH, presignTarget, signHeaders } from "./signature.ts";
import type { S3Credentials } from "./signing-key.ts";
import { encodeTarget } from "./canonical-request.ts";
import { textOf } from "./xml.ts";
import { storageFailure } from "../storage-failure.ts";

export type S3Settings = {
  endpoint: S3Endpoint;
  bucket: string;
  credentials: S3Credentials;
  clock: Clock;
  resolve?: ResolveHost;
  pace?: Partial<S3Pace>;
};

export type S3Pace = {
  /** Until the answer begins, for a request without a body worth mentioning. */
  answerMs: number;
  /** The slowest way that a body may go, in bytes a second. */
  bytesPerSecond: number;
  /** Until an upload in parts is put together: for large ones some endpoints take minutes. */
  completeMs: number;
  /** The longest silence within an answer's body. */
  stallMs: number;
  /** Before the second attempt; doubled before each further one. */
  pauseMs: number;
  /** After so long nothing is tried a third time. */
  giveUpMs: number;
};

const PACE: S3Pace = {
  answerMs: 20_000,
  bytesPerSecond: 65_536,
  completeMs: 300_000,
  stallMs: 30_000,
  pauseMs: 200,
  giveUpMs: 30_000,
};
const ATTEMPTS = 4;
const TEXT_BYTES = 8 * 1024 * 1024;
const ADDRESS_MS = 10_000;
/** So long socketGet is not tried again after it was in vain. */
const AVOID_MS = 60_000;

export type S3Request = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Within the bucket; without one the request is about the bucket. */
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: { bytes: Uint8Array<ArrayBuffer>; sha256: string };
  /** Many bytes are asked for: they come over a connection of their own where that is possible. */
  isLarge?: boolean;
  /** Statuses besides 200, 204 and 206 that are an answer. */
  accept?: readonly number[];
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
};

export type S3Client = ReturnType<typeof createS3Client>;

export function createS3Client({ endpoint, bucket, credentials, clock, resolve, pace: given }: S3Settings) {
  const pace = { ...PACE, ...given };
  const origin = createOrigin(endpoint, clock, resolve);
  const getPlainly = createPlainGet(endpoint, clock);
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

  /** One attempt; `read` has to finish with the answer within the time, unless it only hands it on. */
  async function attempt<T>(request: S3Request, read: (response: Response) => Promise<T>): Promise<T> {
    const { target, headers } = prepare(request);
    const late = new AbortController();
    const ms =
      (request.timeoutMs ?? pace.answerMs) +
      ((request.body?.bytes.length ?? 0) / pace.bytesPerSecond) * 1_000;
    const timer = setTimeout(() => late.abort(new S3Refusal(0, "Timeout", `no answer within ${ms} ms`)), ms);
    try {
      const url = `${await origin()}${target}`;
      const signal =
        request.signal === undefined ? late.signal : AbortSignal.any([request.signal, late.signal]);
      const plain = request.isLarge ? await getPlainly({ url: new URL(url), headers, signal }) : null;
      const response =
        plain ??
        (await fetch(url, {
          method: request.method,
          headers,
          redirect: "manual",
          signal,
          ...(request.body !== undefined && { body: request.body.bytes }),
        }));
      const isAnswer = [200, 204, 206, ...(request.accept ?? [])].includes(response.status);
      if (!isAnswer) throw await refusalIn(response);
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
        const refusal =
          error instanceof S3Refusal ? error : new S3Refusal(0, "Network", String(error), { cause: error });
        const isLate = attempts > 1 && performance.now() - begun > pace.giveUpMs;
        if (attempts === ATTEMPTS || isLate || !isS3Retryable(refusal)) throw s3Failure(refusal);
        await Bun.sleep(pace.pauseMs * 2 ** (attempts - 1) * (0.5 + Math.random()));
      }
    }
  }

  return {
    pace,
    /** The answer once it begins; its body is the caller's. Rejects with StorageUnavailable: see refusalOf. */
    stream: (request: S3Request): Promise<Response> => send(request, async (response) => response),
    /** The whole answer, of at most 8 MiB. An error inside of a success is one. */
    text: (request: S3Request): Promise<string> =>
      send(request, async (response) => {
        const text = await textIn(response);
        if (/^\s*(<\?xml[^>]*>\s*)?<Error[\s>]/.test(text)) throw refusalOfText(response.status, text);
        return text;
      }),
    /** Status and headers of an answer whose body does not matter. */
    head: (request: S3Request): Promise<{ status: number; headers: Headers }> =>
      send(request, async (response) => {
        await textIn(response);
        return { status: response.status, headers: response.headers };
      }),
    presign: (key: string, query: Readonly<Record<string, string>>, expiresSeconds: number): string => {
      const request = { method: "GET", host: endpoint.host, path: pathOf(key), query };
      return `${endpoint.protocol}//${endpoint.host}${presignTarget(request, credentials, clock.now(), expiresSeconds)}`;
    },
  };
}

/** What a connection is made to: for http the checked address itself, looked up again every few seconds. */
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
        "The S3 endpoint may not be used.",
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

/** Null where fetch has to do it: with TLS, through a proxy of the environment, and where answers are not plain. */
function createPlainGet({ protocol }: S3Endpoint, clock: Clock): typeof socketGet {
  let avoidUntil = 0;
  return async (request) => {
    if (protocol !== "http:" || clock.now() < avoidUntil) return null;
    const response = await socketGet(request);
    if (response === null) avoidUntil = clock.now() + AVOID_MS;
    return response;
  };
}

async function refusalIn(response: Response): Promise<S3Refusal> {
  const text = await textIn(response).catch(() => "");
  return refusalOfText(response.status, text);
}

function refusalOfText(status: number, text: string): S3Refusal {
  const word = textOf(text, "Code") ?? (status === 404 ? "NoSuchKey" : "Unknown");
  return new S3Refusal(status, word, (textOf(text, "Message") ?? "").slice(0, 500));
}

const textIn = (response: Response): Promise<string> =>
  readBounded(
    response,
    TEXT_BYTES,
    () => new S3Refusal(response.status, "Unknown", "the answer does not end"),
  );
