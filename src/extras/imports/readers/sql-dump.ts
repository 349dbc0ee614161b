/**
 * Reads the rows of a dump of MySQL or MariaDB (`mysqldump`, `mariadb-dump`, phpMyAdmin): plain, extended, complete or
 * single inserts, hexadecimal values. Streams with bounded memory in linear time: a value longer than MOST_VALUE_BYTES
 * is cut out, and what is no INSERT or CREATE TABLE is skipped.
 */
import { open } from "node:fs/promises";
import { createTimeSlices } from "../../../lib/time-slices.ts";
import {
  APOSTROPHE,
  BACKTICK,
  CLOSE,
  COMMA,
  type SqlInput,
  MOST_VALUE_BYTES,
  sqlName,
  NEED,
  OPEN,
  peek,
  QUOTE,
  quoted,
  SEMICOLON,
  skipBlanks,
  skipGroup,
  skipStatement,
  BLANK,
  type SqlStep,
  TAB,
  word,
} from "./sql-lexer.ts";

export type DumpRow = {
  table: string;
  /** Null: the dump does not say. */
  columns: readonly string[] | null;
  /** Null for NULL, and for a value that is too long. */
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

/** Of a CREATE TABLE: names of its columns. */
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
