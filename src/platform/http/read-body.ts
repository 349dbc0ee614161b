import { dispose } from "../../lib/disposable-bytes.ts";
import { type AppError, appError } from "../../lib/errors.ts";
import { bareMediaType } from "../../lib/bare-media-type.ts";
import { createJsonScan } from "../../lib/json-scan.ts";
import { bodyChunks } from "./body-chunks.ts";
import type { BodyReservation } from "./body-memory.ts";

const JSON_LIMIT = 2 * 1024 * 1024;
/** Limits a body of a few short fields. */
export const SHORT_LIMIT = 4 * 1024;
/** Limits a body with any password that a person may type, right or wrong, or an ignored one. */
export const PASSWORD_LIMIT = 64 * 1024;
/** `mostParts`: brackets and commas. A single object needs less than a hundredth. */
const MOST_IN_JSON = { mostParts: 10_000, mostEscapes: 100_000 };

const STALL_MS = 15_000;
const SEND_MS = 30_000;
const SLOWEST_BYTES_A_MS = 64;

/** Longest silence of the client, and its time for a gathered body of `limit` bytes. */
export const bodyTimeouts = (limit: number) => ({
  stallMs: STALL_MS,
  sendMs: SEND_MS + limit / SLOWEST_BYTES_A_MS,
});

export type BodySource = {
  readonly request: Request;
  /** The body, if all of it is here. */
  arrived?: Uint8Array | null;
  /** The caller releases it. */
  reservation: BodyReservation;
  /** Closes the connection. */
  cut(): void;
  /** Gets the bytes. */
  digest?: { update(bytes: Uint8Array): unknown } | undefined;
};

/**
 * Checks `limit` by Content-Length first, else by counting. @throws PayloadTooLarge, ServiceUnavailable, BadRequest if
 * the client leaves or is too slow
 */
export async function* bodyBytes(
  { request, reservation, cut, digest }: BodySource,
  limit: number,
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  let isWhole = false;
  try {
    if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
    for await (const chunk of bodyChunks(request, bodyTimeouts(limit))) {
      size += chunk.byteLength;
      if (size > limit) throw tooLarge(limit);
      reservation.add(chunk.byteLength);
      digest?.update(chunk);
      yield chunk;
      dispose(chunk);
    }
    isWhole = true;
  } finally {
    if (!isWhole) cut();
  }
}

/** Another origin's form can send JSON only under another type. @throws BadRequest */
export function requireJson({ headers }: Request): void {
  if (bareMediaType(headers.get("content-type")) === "application/json") return;
  throw appError("BadRequest", "Send the body with Content-Type: application/json.");
}

/** Cut its connection after a refusal: the server would read the rest of the body. */
export const hasLongBody = (request: RequestHeaders): boolean =>
  request.headers.get("transfer-encoding") !== null || lengthOf(request) > PASSWORD_LIMIT;

/** Protects an endpoint without a body. @throws PayloadTooLarge */
export function refuseLongBody(request: RequestHeaders): void {
  if (lengthOf(request) > PASSWORD_LIMIT) throw tooLarge(PASSWORD_LIMIT);
}

type RequestHeaders = { headers: Pick<Headers, "get"> };

const lengthOf = ({ headers }: RequestHeaders): number => Number(headers.get("content-length") ?? 0);

const tooLarge = (limit: number): AppError => {
  const most = limit < 1024 * 1024 ? `${limit / 1024} KiB` : `${limit / 1024 / 1024} MiB`;
  return appError("PayloadTooLarge", `The body is larger than ${most}.`);
};

/** @throws like bodyBytes, BadRequest (not UTF-8) */
export async function readText(
  source: BodySource,
  limit: number,
  onBytes: (bytes: Uint8Array) => void = () => {},
): Promise<string> {
  if (source.arrived) return arrivedText(source.arrived, source, limit, onBytes);
  const decoder = createDecoder();
  let text = "";
  for await (const chunk of bodyBytes(source, limit)) {
    onBytes(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function arrivedText(
  bytes: Uint8Array,
  { reservation, digest }: BodySource,
  limit: number,
  onBytes: (bytes: Uint8Array) => void,
): string {
  if (bytes.length > limit) throw tooLarge(limit);
  reservation.add(bytes.length);
  digest?.update(bytes);
  onBytes(bytes);
  return wholeTexts.decode(bytes);
}

/** UTF-8 without a leading byte order mark. @throws BadRequest (not UTF-8) */
export function createDecoder() {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return {
    decode(bytes?: Uint8Array, options?: { stream: boolean }): string {
      try {
        return decoder.decode(bytes, options);
      } catch (cause) {
        throw appError("BadRequest", "The body is not valid UTF-8.", { cause });
      }
    },
  };
}

/** A decoder takes as long to make as to run. */
const wholeTexts = createDecoder();

/** Ignores Content-Type. @throws like readText, BadRequest (no JSON, too deep, too many values or escapes) */
export async function readJson(source: BodySource, limit = JSON_LIMIT, isOptional = false): Promise<unknown> {
  const scan = createJsonScan(MOST_IN_JSON);
  const text = await readText(source, limit, scan.push);
  return text === "" && isOptional ? {} : parseJson(text);
}

/** @throws BadRequest */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw appError("BadRequest", text === "" ? "A JSON body is required." : "The body is not valid JSON.", {
      cause,
    });
  }
}
