/** A chosen CSV file: its columns, which of them an import takes, and the pieces to send. */
import { FIELDS } from "../form/link-values.ts";
import { csvCells, csvPlaces } from "./csv-bytes.ts";

const FIRST = ["code", "target", "created_at", "expires_at", "password", "click_count", "domain"] as const;
export type CsvColumn = (typeof FIRST)[number] | keyof typeof FIELDS | "created_by";
export const COLUMNS = [
  ...new Set<CsvColumn>([...FIRST, ...(Object.keys(FIELDS) as (keyof typeof FIELDS)[]), "created_by"]),
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

/** Names in the files of other services. */
const OTHER_NAMES: Partial<Record<CsvColumn, readonly string[]>> = {
  code: ["slug", "short", "key", "alias", "keyword", "short code", "shortcode", "back-half", "path"],
  target: [
    "url",
    "long_url",
    "long url",
    "longurl",
    "destination",
    "destination url",
    "original url",
    "link",
  ],
  click_count: ["clicks"],
  note: ["description", "comments", "notes"],
};

const SEPARATORS = [",", ";", "\t"];
const decoder = new TextDecoder();

export function readCsvSource(name: string, bytes: Uint8Array<ArrayBuffer>): CsvSource {
  const readings = SEPARATORS.map((separator) => {
    const places = csvPlaces(bytes, separator);
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
  const names = header.map((cell) => cell.trim().toLowerCase());
  const columns: (CsvColumn | "")[] = names.map(() => "");
  for (const column of COLUMNS) {
    const at = [column, ...(OTHER_NAMES[column] ?? [])]
      .map((name) => names.indexOf(name))
      .find((index) => index !== -1 && columns[index] === "");
    if (at !== undefined) columns[at] = column;
  }
  return columns;
}

/** `row`: line of its first record in the file. */
export type CsvPiece = { blob: Blob; bytes: number; row: number };

/** Pieces of at most this many bytes, each with a header of the taken columns. */
export function csvPieces(source: CsvSource, columns: readonly string[], most: number): CsvPiece[] {
  const { bytes, separator, start, row } = source;
  // The server explains what is wrong with a UTF-16 file.
  if (bytes[0] === 0xff || bytes[0] === 0xfe)
    return [{ blob: new Blob([bytes]), bytes: bytes.length, row: 2 }];
  const header = `${columns.map((name, at) => name || `left-out-${at}`).join(separator)}\n`;
  const pieceOf = (from: number, to: number, line: number): CsvPiece => ({
    blob: new Blob([header, bytes.subarray(from, to)], { type: "text/csv" }),
    bytes: header.length + to - from,
    row: line,
  });
  const room = most - header.length;
  if (bytes.length - start <= room) return [pieceOf(start, bytes.length, row)];
  const pieces: CsvPiece[] = [];
  let from = start;
  let line = row;
  for (const place of csvPlaces(bytes, separator, start, row)) {
    if (place.end - from <= room || place.start === from) continue;
    pieces.push(pieceOf(from, place.start, line));
    from = place.start;
    line = place.row;
  }
  pieces.push(pieceOf(from, bytes.length, line));
  return pieces;
}
