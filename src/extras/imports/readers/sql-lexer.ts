/** The words, names and quoted texts of SQL, from pieces of a file that end anywhere. */

/** More bytes are needed. */
export const NEED = Symbol("need");
/** Yields what a reader yields, too. */
export type SqlStep<T, Y = never> = Generator<typeof NEED | Y, T>;
export type SqlInput = { bytes: Buffer; at: number; isEnd: boolean };

export const MOST_VALUE_BYTES = 64 * 1024;
const MOST_NAME_BYTES = 200;

export const TAB = 9;
export const BLANK = 32;
export const QUOTE = 34;
export const BACKTICK = 96;
export const APOSTROPHE = 39;
export const OPEN = 40;
export const CLOSE = 41;
export const COMMA = 44;
const DASH = 45;
const DOT = 46;
const SLASH = 47;
const STAR = 42;
export const SEMICOLON = 59;
const BACKSLASH = 92;
const HASH = 35;
const LINE = 10;
const ESCAPED: Readonly<Record<number, number>> = { 48: 0, 98: 8, 110: 10, 114: 13, 116: 9, 90: 26 };

/** The byte here; -1 at the end. */
export function* peek(input: SqlInput, ahead = 0): SqlStep<number> {
  while (input.at + ahead >= input.bytes.length) {
    if (input.isEnd) return -1;
    yield NEED;
  }
  return input.bytes[input.at + ahead]!;
}

export function* skipBlanks(input: SqlInput): SqlStep<void> {
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
export function* quoted(input: SqlInput, quote: number, most: number): SqlStep<Buffer | null> {
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
export function* word(input: SqlInput): SqlStep<string> {
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
export function* sqlName(input: SqlInput): SqlStep<string> {
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

export function* skipStatement(input: SqlInput): SqlStep<void> {
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
export function* skipGroup(input: SqlInput): SqlStep<void> {
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
