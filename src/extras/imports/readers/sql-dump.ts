/**
 * Reads the rows of a dump of MySQL or MariaDB (`mysqldump`, `mariadb-dump`, phpMyAdmin): plain, extended, complete or
 * single inserts, hexadecimal values. Streams with bounded memory in linear time: a value longer than MOST_VALUE_BYTES
 * is cut out, and what is no INSERT or CREATE TABLE is skipped.
 */
import { open } from "node:fs/promises";
import { createTimeSlices } from "../../../lib/time-slices.ts";

export type DumpRow = {
  table: string;
  /** The names of the columns, if the dump has them. */
  columns: readonly string[] | null;
  /** The values; null for NULL, and for a value that is too long. */
  values: readonly (string | null)[];
  /** A value was too long. */
  isCut: boolean;
};

const MOST_COLUMNS = 200;
const MOST_TABLES = 10_000;
/** A piece of small values holds the event loop for some milliseconds. */
const READ_BYTES = 4 * 1024;

type Wants = (table: string, columns: readonly string[] | null) => boolean;
type Dump = SqlInput & { known: Map<string, readonly string[]>; wants: Wants };

/** Yields to the event loop. `wants`: whether the rows of a table are read, else they are skipped. */
export async function* readDump(path: string, wants: Wants): AsyncGenerator<DumpRow, void> {
  const file = await open(path, "r");
  const slices = createTimeSlices(0.5);
  try {
    const input: Dump = { bytes: Buffer.alloc(0), at: 0, isEnd: false, known: new Map(), wants };
    const parser = statements(input);
    for (let next = parser.next(); !next.done; next = parser.next()) {
      if (slices.due()) await slices.rest();
      if (next.value !== NEED) {
        yield next.value;
        continue;
      }
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES);
      const rest = input.bytes.subarray(input.at);
      input.bytes =
        rest.length === 0
          ? buffer.subarray(0, bytesRead)
          : Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      input.at = 0;
      input.isEnd = bytesRead === 0;
    }
  } finally {
    await file.close();
  }
}

function* statements(input: Dump): SqlStep<void, DumpRow> {
  for (;;) {
    yield* skipBlanks(input);
    if ((yield* peek(input)) === -1) return;
    const verb = (yield* word(input)).slice(0, 20).toLowerCase();
    if (verb === "create") {
      yield* skipBlanks(input);
      if (/^table$/i.test(yield* word(input))) {
        yield* skipBlanks(input);
        // IF NOT EXISTS
        while (/[a-z]/i.test(String.fromCharCode(yield* peek(input))) && (yield* startsWithIf(input)))
          yield* skipWords(input, 3);
        yield* definition(input);
      }
    } else if (verb === "insert" || verb === "replace") {
      for (;;) {
        yield* skipBlanks(input);
        const next = yield* word(input);
        if (/^into$/i.test(next)) {
          yield* rows(input);
          break;
        }
        if (next === "") break;
      }
    }
    yield* skipStatement(input);
  }
}

/** Reads the names of the columns of a CREATE TABLE. */
function* definition(input: Dump): SqlStep<void> {
  const table = yield* sqlName(input);
  yield* skipBlanks(input);
  if ((yield* peek(input)) !== OPEN) return;
  input.at++;
  const columns: string[] = [];
  for (;;) {
    yield* skipBlanks(input);
    const first = yield* peek(input);
    const column = yield* sqlName(input);
    const isColumn =
      first === BACKTICK ||
      first === QUOTE ||
      (column !== "" &&
        !/^(?:primary|unique|key|index|fulltext|spatial|constraint|check|foreign)$/i.test(column));
    if (isColumn && columns.length < MOST_COLUMNS) columns.push(column);
    for (;;) {
      const byte = yield* peek(input);
      if (byte === -1 || byte === CLOSE || byte === COMMA) break;
      input.at++;
      if (byte === OPEN) yield* skipGroup(input);
      else if (byte === APOSTROPHE || byte === QUOTE || byte === BACKTICK) yield* quoted(input, byte, 0);
    }
    if ((yield* peek(input)) !== COMMA) break;
    input.at++;
  }
  if (input.known.size < MOST_TABLES) input.known.set(table, columns);
}

function* value(input: SqlInput): SqlStep<{ text: string | null; isCut: boolean }> {
  yield* skipBlanks(input);
  const byte = yield* peek(input);
  if (byte === APOSTROPHE || byte === QUOTE) {
    input.at++;
    const bytes = yield* quoted(input, byte, MOST_VALUE_BYTES);
    return { text: bytes === null ? null : dumpText(bytes), isCut: bytes === null };
  }
  const plain = yield* word(input);
  if (plain === "") {
    // Not a value: an expression, or damage.
    if ((yield* peek(input)) === OPEN) {
      input.at++;
      yield* skipGroup(input);
    } else if (![COMMA, CLOSE, SEMICOLON, -1].includes(yield* peek(input))) input.at++;
    return { text: null, isCut: false };
  }
  if (/^null$/i.test(plain)) return { text: null, isCut: false };
  // _binary 'text', x'4142'
  yield* skipBlanks(input);
  if ((yield* peek(input)) === APOSTROPHE && /^(?:_\w+|x|n)$/i.test(plain)) {
    const found = yield* value(input);
    return /^x$/i.test(plain) && found.text !== null
      ? { ...found, text: dumpText(Buffer.from(found.text, "hex")) }
      : found;
  }
  if (!/^0x/i.test(plain)) return { text: plain, isCut: false };
  const isCut = plain.length > 2 * MOST_VALUE_BYTES + 2;
  return { text: isCut ? null : dumpText(Buffer.from(plain.slice(2), "hex")), isCut };
}

function* rows(input: Dump): SqlStep<void, DumpRow> {
  const table = yield* sqlName(input);
  let columns = input.known.get(table) ?? null;
  yield* skipBlanks(input);
  if ((yield* peek(input)) === OPEN) {
    columns = [];
    do {
      input.at++;
      const column = yield* sqlName(input);
      if (columns.length < MOST_COLUMNS) columns = [...columns, column];
      yield* skipBlanks(input);
    } while ((yield* peek(input)) === COMMA);
    if ((yield* peek(input)) === CLOSE) input.at++;
    yield* skipBlanks(input);
  }
  const values = yield* word(input);
  if (!/^values?$/i.test(values) || !input.wants(table, columns)) return;
  for (;;) {
    yield* skipBlanks(input);
    if ((yield* peek(input)) !== OPEN) return;
    input.at++;
    const row: (string | null)[] = [];
    let isCut = false;
    for (;;) {
      const found = yield* value(input);
      isCut ||= found.isCut;
      if (row.length < MOST_COLUMNS) row.push(found.text);
      yield* skipBlanks(input);
      const byte = yield* peek(input);
      if (byte === COMMA) input.at++;
      else {
        if (byte === CLOSE) input.at++;
        if (byte === CLOSE || byte === SEMICOLON || byte === -1) break;
      }
    }
    yield { table, columns, values: row, isCut };
    yield* skipBlanks(input);
    if ((yield* peek(input)) !== COMMA) return;
    input.at++;
  }
}

function* startsWithIf(input: SqlInput): SqlStep<boolean> {
  const [first, second, third] = [yield* peek(input), yield* peek(input, 1), yield* peek(input, 2)];
  return (first | 32) === 105 && (second | 32) === 102 && (third === BLANK || third === TAB);
}

function* skipWords(input: SqlInput, count: number): SqlStep<void> {
  for (let at = 0; at < count; at++) {
    yield* word(input);
    yield* skipBlanks(input);
  }
}
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const latin1 = new TextDecoder("windows-1252");

/** Old dumps are in latin1. */
export function dumpText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return latin1.decode(bytes);
  }
}

/** More bytes are needed. */
const NEED = Symbol("need");
/** Yields what a reader yields, too. */
type SqlStep<T, Y = never> = Generator<typeof NEED | Y, T>;
type SqlInput = { bytes: Buffer; at: number; isEnd: boolean };

const MOST_VALUE_BYTES = 64 * 1024;
const MOST_NAME_BYTES = 200;

const TAB = 9;
const BLANK = 32;
const QUOTE = 34;
const BACKTICK = 96;
const APOSTROPHE = 39;
const OPEN = 40;
const CLOSE = 41;
const COMMA = 44;
const DASH = 45;
const DOT = 46;
const SLASH = 47;
const STAR = 42;
const SEMICOLON = 59;
const BACKSLASH = 92;
const HASH = 35;
const LINE = 10;
const ESCAPED: Readonly<Record<number, number>> = { 48: 0, 98: 8, 110: 10, 114: 13, 116: 9, 90: 26 };

/** The byte here; -1 at the end. */
function* peek(input: SqlInput, ahead = 0): SqlStep<number> {
  while (input.at + ahead >= input.bytes.length) {
    if (input.isEnd) return -1;
    yield NEED;
  }
  return input.bytes[input.at + ahead]!;
}

function* skipBlanks(input: SqlInput): SqlStep<void> {
  for (;;) {
    while (input.at < input.bytes.length && input.bytes[input.at]! <= BLANK) input.at++;
    const byte = yield* peek(input);
    if (byte === -1) return;
    if (byte <= BLANK) continue;
    if (byte === HASH || (byte === DASH && (yield* peek(input, 1)) === DASH)) yield* skipPast(input, LINE);
    else if (byte === SLASH && (yield* peek(input, 1)) === STAR) {
      input.at += 2;
      do yield* skipPast(input, STAR);
      while ((yield* peek(input)) !== SLASH && (yield* peek(input)) !== -1);
      input.at++;
    } else return;
  }
}

/** A quoted text or name, behind its opening quote. Null if it is longer than `most`. */
function* quoted(input: SqlInput, quote: number, most: number): SqlStep<Buffer | null> {
  const parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer) => {
    size += part.length;
    if (size <= most) parts.push(Buffer.from(part));
  };
  for (;;) {
    const { bytes } = input;
    let at = input.at;
    while (at < bytes.length && bytes[at] !== quote && bytes[at] !== BACKSLASH) at++;
    keep(bytes.subarray(input.at, at));
    input.at = at;
    const byte = yield* peek(input);
    if (byte === -1) return null;
    if (byte !== quote && byte !== BACKSLASH) continue;
    const following = yield* peek(input, 1);
    input.at++;
    if (byte === quote && following !== quote) return size > most ? null : Buffer.concat(parts);
    if (following === -1) return null;
    input.at++;
    keep(Buffer.of(byte === BACKSLASH ? (ESCAPED[following] ?? following) : following));
  }
}

/** Letters, digits and the like; as much as is kept. */
function* word(input: SqlInput): SqlStep<string> {
  let text = "";
  for (;;) {
    const byte = yield* peek(input);
    const isPart =
      byte === 95 ||
      byte === 36 ||
      byte === DOT ||
      byte === 43 ||
      byte === DASH ||
      (byte >= 48 && byte <= 57) ||
      (byte >= 65 && byte <= 90) ||
      (byte >= 97 && byte <= 122) ||
      byte >= 128;
    if (!isPart) return text;
    input.at++;
    if (text.length < 2 * MOST_VALUE_BYTES + 4) text += String.fromCharCode(byte);
  }
}

/** The last part of a name: `table` of `database`.`table`. */
function* sqlName(input: SqlInput): SqlStep<string> {
  for (;;) {
    yield* skipBlanks(input);
    const byte = yield* peek(input);
    if (byte !== BACKTICK && byte !== QUOTE)
      return (yield* word(input)).split(".").at(-1)!.slice(0, MOST_NAME_BYTES);
    input.at++;
    const text = (yield* quoted(input, byte, MOST_NAME_BYTES))?.toString("utf8") ?? "";
    if ((yield* peek(input)) !== DOT) return text;
    input.at++;
  }
}

function* skipStatement(input: SqlInput): SqlStep<void> {
  for (;;) {
    const { bytes } = input;
    let at = input.at;
    while (at < bytes.length) {
      const byte = bytes[at]!;
      if (byte === SEMICOLON || byte === APOSTROPHE || byte === QUOTE || byte === BACKTICK) break;
      at++;
    }
    input.at = at;
    const byte = yield* peek(input);
    if (byte === -1) return;
    if (byte === SEMICOLON) {
      input.at++;
      return;
    }
    if (byte === APOSTROPHE || byte === QUOTE || byte === BACKTICK) {
      input.at++;
      yield* quoted(input, byte, 0);
    }
  }
}

/** Behind the opening parenthesis, to the closing one. */
function* skipGroup(input: SqlInput): SqlStep<void> {
  for (let depth = 1; depth > 0; ) {
    const byte = yield* peek(input);
    if (byte === -1) return;
    input.at++;
    if (byte === OPEN) depth++;
    else if (byte === CLOSE) depth--;
    else if (byte === APOSTROPHE || byte === QUOTE || byte === BACKTICK) yield* quoted(input, byte, 0);
  }
}

function* skipPast(input: SqlInput, byte: number): SqlStep<void> {
  for (;;) {
    const found = input.bytes.indexOf(byte, input.at);
    if (found !== -1) {
      input.at = found + 1;
      return;
    }
    input.at = input.bytes.length;
    if (input.isEnd) return;
    yield NEED;
  }
}
