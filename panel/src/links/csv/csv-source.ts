/** A chosen CSV file: its columns, which of them an import takes, and the pieces to send. */
import { FIELDS } from "../form/link-values.ts";
import { csvCells, csvPlaces } from "./csv-bytes.ts";

const FIRST = ["code", "target", "created_at", "expires_at", "password", "click_count", "domain"] as const;
const LAST = ["rules", "card", "held", "created_by", "owner"] as const;
export type CsvColumn = (typeof FIRST)[number] | keyof typeof FIELDS | (typeof LAST)[number];
export const COLUMNS = [
  ...new Set<CsvColumn>([
    ...FIRST,
    ...(Object.keys(FIELDS).filter((name) => !name.startsWith("card_")) as (keyof typeof FIELDS)[]),
    ...LAST,
  ]),
];

export type CsvSource = {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  separator: string;
  header: string[];
  /** Of the first record after the header. */
  sample: string[];
  /** Offset and line of the first record after the header. */
  start: number;
  row: number;
};

/** Names in the files of other services, in lower case without blanks, `_` and `-`, as the server knows them. */
const OTHER_NAMES: Partial<Record<CsvColumn, readonly string[]>> = {
  code: [
    "shortcode",
    "slug",
    "slashtag",
    "alias",
    "keyword",
    "backhalf",
    "key",
    "path",
    "address",
    "short",
    "shorturl",
    "shortlink",
    "bitlink",
  ],
  target: ["url", "longurl", "destination", "destinationurl", "originalurl", "longlink", "link"],
  created_at: ["created", "datecreated", "createddate", "date", "timestamp"],
  expires_at: ["expires", "expiry", "expirydate", "expirationdate", "expirein", "validuntil"],
  starts_at: ["validsince", "validfrom", "startdate"],
  max_clicks: ["maxvisits", "clicklimit"],
  fallback_url: ["expiredurl", "expirationurl"],
  click_count: ["clicks", "visits", "visitcount", "engagements"],
  forward_query: ["forwardparameters"],
  title: ["linktitle"],
  note: ["description", "comments", "notes"],
};

const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, "");

const SEPARATORS = [",", ";", "\t"];
const decoder = new TextDecoder();

/** The line by which Excel names the separator. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([,;\t])"?(?:\r|\n|$)/i;

/** Text in UTF-16 has a byte order mark. */
function inUtf8(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  if (!isLittle && !(first === 0xfe && second === 0xff)) return bytes;
  return new TextEncoder().encode(new TextDecoder(isLittle ? "utf-16le" : "utf-16be").decode(bytes));
}

export function readCsvSource(name: string, given: Uint8Array<ArrayBuffer>): CsvSource {
  const bytes = inUtf8(given);
  const [, named] = SEPARATOR_LINE.exec(new TextDecoder().decode(bytes.subarray(0, 16))) ?? [];
  const readings = (named === undefined ? SEPARATORS : [named]).map((separator) => {
    const places = csvPlaces(bytes, separator);
    if (named !== undefined) places.next();
    const head = places.next().value;
    const first = places.next().value;
    const cellsAt = (place: typeof head): string[] =>
      place ? csvCells(decoder.decode(bytes.subarray(place.start, place.end)), separator) : [];
    return {
      name,
      bytes,
      separator,
      header: cellsAt(head),
      sample: cellsAt(first || undefined),
      start: first ? first.start : bytes.length,
      row: first ? first.row : 1,
    };
  });
  return readings.toSorted((a, b) => b.header.length - a.header.length)[0]!;
}

/** By column of the file; empty: left out. Each name is given once. */
export function guessedColumns({ header }: CsvSource): (CsvColumn | "")[] {
  const names = header.map((cell) => plain(cell.trim()));
  const columns: (CsvColumn | "")[] = names.map(() => "");
  for (const column of COLUMNS) {
    const at = [plain(column), ...(OTHER_NAMES[column] ?? [])]
      .map((name) => names.indexOf(name))
      .find((index) => index !== -1 && columns[index] === "");
    if (at !== undefined) columns[at] = column;
  }
  return columns;
}

/** `row`: line of its first record in the file. */
export type CsvPiece = { blob: Blob; bytes: number; row: number };

/** Made once for each record, so that an import that is repeated finds its links. */
const codes = new WeakMap<CsvSource, string[]>();
const LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/** Among a million links, one of 100 million codes is taken. */
const CODE_LENGTH = 8;

function randomCode(): string {
  let code = "";
  // Bytes beyond the last multiple would make some letters more frequent.
  while (code.length < CODE_LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(CODE_LENGTH))) {
      if (byte < 256 - (256 % LETTERS.length)) code += LETTERS[byte % LETTERS.length];
    }
  }
  return code.slice(0, CODE_LENGTH);
}

/** Spreadsheets write rows of separators alone for emptied rows, which the server skips. */
const isFilled = (record: Uint8Array, separator: string): boolean =>
  record.some((byte) => byte > 0x20 && byte !== 0x22 && byte !== separator.charCodeAt(0));

function codeAt(source: CsvSource, record: number): string {
  const known = codes.get(source) ?? [];
  codes.set(source, known);
  return (known[record] ??= randomCode());
}

/** Pieces of at most this many bytes, each with a header of the taken columns. Without a code column, with random codes. */
export function csvPieces(source: CsvSource, columns: readonly string[], most: number): CsvPiece[] {
  const { bytes, separator, start, row } = source;
  const isCoded = columns.includes("code");
  const names = columns.map((name, at) => name || `left-out-${at}`);
  const header = `${[...(isCoded ? [] : ["code"]), ...names].join(separator)}\n`;
  const room = most - header.length;
  if (isCoded && bytes.length - start <= room) {
    const blob = new Blob([header, bytes.subarray(start)], { type: "text/csv" });
    return [{ blob, bytes: header.length + bytes.length - start, row }];
  }
  const pieces: CsvPiece[] = [];
  let parts: BlobPart[] = [];
  let held = 0;
  let first = row;
  const end = (): void => {
    pieces.push({
      blob: new Blob([header, ...parts], { type: "text/csv" }),
      bytes: header.length + held,
      row: first,
    });
    parts = [];
    held = 0;
  };
  let record = 0;
  // Lines between records stay, so that rows keep their numbers.
  let from = start;
  for (const place of csvPlaces(bytes, separator, start, row)) {
    const isLink = !isCoded && isFilled(bytes.subarray(place.start, place.end), separator);
    const code = isLink ? `${codeAt(source, record)}${separator}` : "";
    record++;
    const size = code.length + place.end - from;
    if (parts.length > 0 && held + size > room) {
      end();
      first = place.row;
      from = place.start;
    }
    parts.push(bytes.subarray(from, place.start), code, bytes.subarray(place.start, place.end));
    held += code.length + place.end - from;
    from = place.end;
  }
  end();
  return pieces;
}
