/**
 * What programs put before the rows of a CSV file: a byte order mark, whose text may be UTF-16, and the line `sep=;`, by
 * which Excel names the separator.
 */
import { CSV_SEPARATORS, type CsvSeparator } from "./csv.ts";
import { appError } from "./errors.ts";
import { createTimeSlices } from "./time-slices.ts";

type Utf16 = "utf-16le" | "utf-16be";

const SLICE_BYTES = 256 * 1024;
const SLICE_MS = 4;
/** Longer than a mark and the line. */
const LINE_BYTES = 16;
const SEPARATOR_LINE = /^(?:\u{feff})?"?sep=([^\r\n"])"?(?:\r\n|\r|\n|$)/iu;

/** By the byte order mark; null: UTF-8. */
const utf16Of = ([first, second]: Uint8Array): Utf16 | null =>
  first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : null;

/** Converts the pieces of a file to UTF-8, one after the other. `isLast`: nothing follows. */
export function createUtf8Pieces(): (piece: Buffer, isLast: boolean) => Buffer {
  let decoder: TextDecoder | null | undefined;
  return (piece, isLast) => {
    if (decoder === undefined) {
      const encoding = utf16Of(piece);
      decoder = encoding === null ? null : new TextDecoder(encoding);
    }
    return decoder === null ? piece : Buffer.from(decoder.decode(piece, { stream: !isLast }));
  };
}

/** Converts a whole file to UTF-8, yielding to the event loop. The same bytes, if it is not UTF-16. */
export async function toUtf8(bytes: Buffer): Promise<Buffer> {
  if (utf16Of(bytes) === null) return bytes;
  const slices = createTimeSlices(SLICE_MS);
  const convert = createUtf8Pieces();
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    pieces.push(convert(bytes.subarray(at, at + SLICE_BYTES), at + SLICE_BYTES >= bytes.length));
    if (slices.due()) await slices.rest();
  }
  return Buffer.concat(pieces);
}

/** The separator that the first line names, or null. @throws CsvParseError for another one */
export function namedSeparator(bytes: Buffer): CsvSeparator | null {
  const [, name] = SEPARATOR_LINE.exec(bytes.toString("utf8", 0, LINE_BYTES)) ?? [];
  if (name === undefined) return null;
  const separator = CSV_SEPARATORS.find((one) => one === name);
  if (separator !== undefined) return separator;
  throw appError(
    "CsvParseError",
    `The first line names the separator "${name}". Separate the columns by commas, semicolons or tabs.`,
  );
}
