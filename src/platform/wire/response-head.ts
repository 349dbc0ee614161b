/** The head of a response. */
import { STATUS_CODES } from "node:http";
import type { Arrival } from "./arrival.ts";

const titled = new Map<string, string>();
const IRREGULAR: Record<string, string> = { etag: "ETag", "www-authenticate": "WWW-Authenticate" };
const MOST_TITLED = 500;
/** This server sets them. */
const OWN = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"]);

/** `content-type` → `Content-Type`. */
function title(name: string): string {
  let text = titled.get(name);
  if (text === undefined) {
    text = IRREGULAR[name] ?? name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
    if (titled.size < MOST_TITLED) titled.set(name, text);
  }
  return text;
}

export type Framing = {
  /** Content-Length; null: none. */
  length: number | null;
  isChunked: boolean;
  isPersistent: boolean;
  /** HTTP/1.x of the request. */
  minor: number;
};

const statusLines: string[] = [];

export function statusLine(status: number): string {
  return (statusLines[status] ??= `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n`);
}

/** The head and content of a response in place. One byte a character. */
export function inPlaceText(
  { method, minor, status, fields, content }: InPlace,
  isPersistent: boolean,
): string {
  const kept = minor === 1 ? "" : "Connection: keep-alive\r\n";
  const connection = isPersistent ? kept : "Connection: close\r\n";
  const head = `${statusLine(status)}${fields}Content-Length: ${content.length}\r\n${connection}${dateLine()}`;
  return content === "" || method === "HEAD" ? head : head + content;
}

type InPlace = Pick<Arrival, "method" | "minor" | "status" | "fields" | "content">;

/** Building shorter ones costs less than finding them. */
const LEAST_KEPT_CHARACTERS = 512;
const MOST_KEPT = 32;
/** Bytes by content, of the current second. */
const kept = new Map<string, { status: number; fields: string; bytes: Buffer }>();

/**
 * The bytes of an in-place response whose content is long and often requested, such as a page; else null. For
 * persistent HTTP/1.1.
 */
export function keptBytes(response: InPlace): Buffer | null {
  const { content, status, fields } = response;
  if (content.length < LEAST_KEPT_CHARACTERS || response.method === "HEAD" || response.minor === 0)
    return null;
  dateLine();
  const known = kept.get(content);
  if (known?.fields === fields && known.status === status) return known.bytes;
  const bytes = Buffer.from(inPlaceText(response, true), "latin1");
  if (kept.size === MOST_KEPT) kept.clear();
  kept.set(content, { status, fields, bytes });
  return bytes;
}

/** With its empty line. One byte a character. */
export function responseHead({ status, headers }: Response, framing: Framing): string {
  let text = statusLine(status);
  for (const [name, value] of headers) {
    if (!OWN.has(name)) text += `${title(name)}: ${value}\r\n`;
  }
  if (framing.length !== null) text += `Content-Length: ${framing.length}\r\n`;
  if (framing.isChunked) text += "Transfer-Encoding: chunked\r\n";
  if (!framing.isPersistent) text += "Connection: close\r\n";
  else if (framing.minor === 0) text += "Connection: keep-alive\r\n";
  return text + dateLine();
}

let dateAt = 0;
let date = "";

/** With the empty line that ends a head. A new second drops all that contains the line. */
function dateLine(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateAt) {
    dateAt = second;
    date = `Date: ${new Date(second * 1000).toUTCString()}\r\n\r\n`;
    kept.clear();
  }
  return date;
}
