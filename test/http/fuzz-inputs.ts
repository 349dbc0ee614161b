/** Random requests: well-formed ones, ambiguous ones and llhttp's cases, joined and damaged. A seed gives always the same. */
import { join } from "node:path";

/** `cuts`: where the client's writes end. */
export type Input = { bytes: string; cuts: readonly number[] };

const FIXTURE = join(import.meta.dir, "..", "fixtures", "llhttp-requests.json");
const suite: { cases: { bytes: string }[] } = await Bun.file(FIXTURE).json();
// Node drops or keeps for ever what follows an upgrade that it does not take, so none is asked for.
const SAMPLES = suite.cases
  .filter(({ bytes }) => !/^upgrade:/im.test(bytes))
  .map(({ bytes }) => bytes.replaceAll(" HTTP/1.1\r\n", " HTTP/1.1\r\nHost: a\r\n"));

const METHODS = ["GET", "GET", "POST", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH", "PROPFIND"];
const TARGETS = ["/", "/a", "/a/b?c=d", "/%2e", "/%zz", "//a", "http://a/b", "/a%20b", "/?", "/~a;b=c", "/é"];
const VERSIONS = [
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/1.2",
  "HTTP/2.0",
  "http/1.1",
];
const FIELDS = [
  "Accept: */*",
  "Connection: keep-alive",
  "Connection: close",
  "Connection: keep-alive, close",
  "connection:close,",
  "Expect: 100-continue",
  "Expect: x",
  "X-A:",
  "X-A: b\r\n c",
  "X_A: b",
  "X-A : b",
  " X-A: b",
  "Cookie: a=b; c=d",
  "Host: b",
  "Transfer-Encoding:",
  "Content-Length:",
  "Content-Length: 0",
  "Trailer: X-A",
];
const CODINGS = [
  "chunked",
  "chunked",
  "Chunked",
  " chunked ",
  "chunked\t",
  "\tchunked",
  "xchunked",
  "chunked, chunked",
  "identity",
  "gzip, chunked",
  "chunked;a=b",
  '"chunked"',
  ",chunked",
];
const LENGTHS = ["+5", "-1", "0x5", "5, 5", "5 5", "05", "5.0", "", "18446744073709551621", "5;a", "5,"];
const EXTENSIONS = ["", "", "", ";a", ";a=b", ';a="b;c"', " ;a", ";\t", " ", ";", "\n", "\r"];
const LINE_ENDS = ["\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\r\n"];
const TRAILERS = ["", "", "", "X-A: b\r\n", "Content-Length: 5\r\n", " a\r\n", "a\r\n"];
const SNIPPETS = [
  "\r\n",
  "\n",
  "\r",
  "\0",
  " ",
  "\t",
  "\v",
  "\f",
  ":",
  ",",
  ";",
  '"',
  "\\",
  "#",
  "0",
  "+",
  "-",
  "\x7f",
  "\x80",
  "\xff",
  "\r\n\r\n",
  "0\r\n\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Content-Length: 5\r\n",
  "Host: a\r\n",
  " HTTP/1.1",
  " HTTP/1.0",
  "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n",
];

export function createInputs(seed: number) {
  let state = seed >>> 0;

  /** Mulberry32. From 0 up to 1. */
  function random(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (end: number): number => Math.floor(random() * end);
  const chance = (of: number): boolean => random() < of;
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
  const times = (count: number, make: () => string): string => Array.from({ length: count }, make).join("");

  const payload = (): string =>
    chance(0.3)
      ? `GET /${below(100)} HTTP/1.1\r\nHost: a\r\n\r\n`
      : "x".repeat(below(chance(0.02) ? 60_000 : 40));

  function chunk(): string {
    const text = payload() || "x";
    const size = (text.length + (chance(0.1) ? below(5) - 2 : 0)).toString(16);
    const digits = chance(0.2) ? `0${size.toUpperCase()}` : size;
    // Most are well-formed, so that what follows them is reached.
    return chance(0.9)
      ? `${digits}\r\n${text}\r\n`
      : `${digits}${pick(EXTENSIONS)}${pick(LINE_ENDS)}${text}${pick(LINE_ENDS)}`;
  }
  const chunks = (): string =>
    `${times(below(4), chunk)}0${chance(0.9) ? "" : pick(EXTENSIONS)}\r\n${pick(TRAILERS)}\r\n`;

  /** Its fields, and the body. */
  function framing(): [string, string] {
    const kind = random();
    const text = payload();
    if (kind < 0.3) return ["", ""];
    if (kind < 0.55) return [`Content-Length: ${text.length}\r\n`, text];
    if (kind < 0.75) return ["Transfer-Encoding: chunked\r\n", chunks()];
    if (kind < 0.82) return [`Transfer-Encoding: ${pick(CODINGS)}\r\n`, chunks()];
    if (kind < 0.88) return [`Content-Length: ${pick(LENGTHS)}\r\n`, text];
    if (kind < 0.92) return [`Content-Length: ${text.length}\r\nContent-Length: ${below(60)}\r\n`, text];
    return [`Content-Length: ${below(60)}\r\nTransfer-Encoding: ${pick(CODINGS)}\r\n`, chunks()];
  }

  function request(): string {
    if (chance(0.15)) return pick(SAMPLES);
    const [fields, body] = framing();
    const others = times(below(3), () => `${pick(FIELDS)}\r\n`);
    const host = chance(0.97) ? "Host: a\r\n" : "";
    const version = chance(0.8) ? "HTTP/1.1" : pick(VERSIONS);
    const target = Buffer.from(chance(0.6) ? "/a" : pick(TARGETS)).toString("latin1");
    return `${pick(METHODS)} ${target} ${version}\r\n${host}${chance(0.5) ? others : ""}${fields}\r\n${body}`;
  }

  function damage(bytes: string): string {
    const at = below(bytes.length + 1);
    const to = Math.min(bytes.length, at + 1 + below(chance(0.5) ? 2 : 20));
    const kind = random();
    if (kind < 0.3) return bytes.slice(0, at) + bytes.slice(to);
    if (kind < 0.65) return bytes.slice(0, at) + pick(SNIPPETS) + bytes.slice(at);
    if (kind < 0.75) return bytes.slice(0, at) + pick(SNIPPETS) + bytes.slice(to);
    if (kind < 0.85) return bytes.slice(0, to) + bytes.slice(at);
    return bytes.slice(0, at) + String.fromCharCode(below(256)) + bytes.slice(at + 1);
  }

  return function next(): Input {
    let bytes = times(1 + below(4), request);
    if (chance(0.6)) for (let left = 1 + below(3); left > 0; left--) bytes = damage(bytes);
    const cuts = chance(0.4) ? Array.from({ length: 1 + below(4) }, () => below(bytes.length + 1)) : [];
    return { bytes, cuts: cuts.sort((one, other) => one - other) };
  };
}

/** Takes bytes away as long as `fails` says that the rest still does. At most `tries` calls. */
export async function shrink(
  input: Input,
  fails: (input: Input) => Promise<boolean>,
  tries = 400,
): Promise<Input> {
  let best = input;
  const isLess = async (bytes: string, cuts: readonly number[]): Promise<boolean> => {
    if (tries-- <= 0 || !(await fails({ bytes, cuts }))) return false;
    best = { bytes, cuts };
    return true;
  };
  await isLess(best.bytes, []);
  for (let size = best.bytes.length >> 1; size > 0 && tries > 0; size >>= 1) {
    for (let at = 0; at < best.bytes.length && tries > 0; ) {
      const { bytes, cuts } = best;
      const shorter = bytes.slice(0, at) + bytes.slice(at + size);
      const moved = cuts.map((cut) => (cut > at ? Math.max(at, cut - size) : cut));
      if (!(await isLess(shorter, moved))) at += size;
    }
  }
  return best;
}
