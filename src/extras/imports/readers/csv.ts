/** A table of links. Its header names our columns, or `map` assigns each to one of ours. */
import { open } from "node:fs/promises";
import { CSV_SEPARATORS, type CsvSeparator, readCsv, widthProblem } from "../../../lib/csv.ts";
import { createUtf8Pieces, namedSeparator } from "../../../lib/csv-beginning.ts";
import { type AppError, appError } from "../../../lib/errors.ts";
import { createTimeSlices } from "../../../lib/time-slices.ts";
import { CSV_COLUMNS, MORE_COLUMNS } from "../../../links/csv/columns.ts";
import { parseFlagCell } from "../../../links/link/field-kinds.ts";
import type { Reader, Source, SourceColumn, SourceInput } from "./reader.ts";

/** Names of columns with whole short URLs, which may lack their scheme. */
const WHOLE_URLS = ["shorturl", "shortlink", "bitlink"];
/** A target whose column is named thus leaves a column `link` for the short URL. */
const LONG_URLS = ["longurl", "longlink", "destination", "destinationurl", "originalurl"];

/** Names in exports of others, in lower case without blanks, `_` and `-`. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  code: [
    "code",
    "shortcode",
    "slug",
    "slashtag",
    "alias",
    "keyword",
    "backhalf",
    "custombackhalf",
    "key",
    "path",
    "address",
    "short",
    ...WHOLE_URLS,
  ],
  target: [
    "target",
    "url",
    "longurl",
    "destination",
    "destinationurl",
    "originalurl",
    "longlink",
    "link",
    "long",
    "targeturl",
  ],
  created_at: ["createdat", "created", "datecreated", "createddate", "creationdate", "date", "timestamp"],
  expires_at: [
    "expiresat",
    "expires",
    "expiry",
    "expirydate",
    "expiration",
    "expirationdate",
    "expirein",
    "validuntil",
    "expireat",
  ],
  click_count: [
    "clickcount",
    "clicks",
    "visits",
    "visitcount",
    "totalclicks",
    "hits",
    "engagements",
    "totalengagements",
  ],
  password: ["password", "passwordhash"],
  domain: ["domain", "host"],
  title: ["title", "linktitle", "name"],
  tags: ["tags", "labels"],
  note: ["note", "notes", "description", "comment", "comments"],
  starts_at: ["startsat", "validsince", "validfrom", "startdate"],
  max_clicks: ["maxclicks", "maxvisits", "clicklimit", "maximumclicks"],
  fallback_url: ["fallbackurl", "expiredurl", "expirationurl"],
  redirect_status: ["redirectstatus"],
  forward_query: ["forwardquery", "forwardparameters"],
  forward_path: ["forwardpath"],
  disabled: ["disabled", "banned", "isbanned", "blocked"],
};
/** `disabled` is no column of an export; `held` says more. */
const CSV_FIELDS = [...CSV_COLUMNS, ...MORE_COLUMNS, "disabled"];

const MOST_COLUMNS = 200;
const MAX_ROW_BYTES = 64 * 1024;
const READ_BYTES = 1024 * 1024;
const SAMPLES = 3;

const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, "");

/** Returns the field of each column; each field once. @throws BadRequest */
function fieldsOf(header: readonly string[], map: SourceInput["map"]): (string | null)[] {
  const names = header.map((name) => name.trim());
  const fields: (string | null)[] = names.map(() => null);
  for (const [field, name] of Object.entries(map)) {
    if (!CSV_FIELDS.includes(field)) {
      throw appError(
        "BadRequest",
        `map: "${field}" is no column of Waymark. It has ${CSV_FIELDS.join(", ")}.`,
      );
    }
    if (name === "") continue;
    const at = names.findIndex((known) => known === name || plain(known) === plain(name));
    if (at === -1) throw appError("BadRequest", `map: the file has no column "${name}".`);
    if (fields[at] !== null) throw appError("BadRequest", `map: the column "${name}" is used twice.`);
    fields[at] = field;
  }
  for (const field of CSV_FIELDS) {
    if (field in map) continue;
    for (const guess of KNOWN[field] ?? [plain(field)]) {
      const at = names.findIndex((name, index) => fields[index] === null && plain(name) === guess);
      if (at === -1) continue;
      fields[at] = field;
      break;
    }
  }
  const target = names[fields.indexOf("target")];
  if (!("code" in map) && !fields.includes("code") && target && LONG_URLS.includes(plain(target))) {
    const link = names.findIndex((name, at) => fields[at] === null && plain(name) === "link");
    if (link !== -1) fields[link] = "code";
  }
  return fields;
}

const isSecret = (name: string, field: string | null | undefined): boolean =>
  field === "password" || /pass|secret|token|hash/i.test(name);

const withoutTarget = (header: readonly string[]): AppError =>
  appError(
    "CsvParseError",
    `No column is the target. Name it, such as --map target="Long URL". The file has ${header.join(", ").slice(0, 500)}.`,
  );

type Row = { row: number; fields: readonly string[]; problem: string | null };

/** Reads pieces of the file that end with a whole record. A line that names the separator is no record. */
export async function* csvRows(path: string, separator: CsvSeparator): AsyncGenerator<Row, void> {
  const file = await open(path, "r");
  const slices = createTimeSlices(0.5);
  const toUtf8 = createUtf8Pieces();
  try {
    let rest: Buffer = Buffer.alloc(0);
    let row = 0;
    let isFirst = true;
    for (let isLast = false; !isLast; ) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES);
      isLast = bytesRead === 0;
      const bytes = Buffer.concat([rest, toUtf8(buffer.subarray(0, bytesRead), isLast)]);
      let end = 0;
      for (const record of readCsv(bytes, MAX_ROW_BYTES, separator)) {
        if (slices.due()) await slices.rest();
        if (record === null) continue;
        // A record near the end may be cut; it comes again with the next piece.
        if (!isLast && bytes.length - record.end < 2 * MAX_ROW_BYTES) break;
        end = record.end;
        const namesSeparator = isFirst && namedSeparator(bytes) !== null;
        isFirst = false;
        if (namesSeparator) continue;
        if (record.problem === null && record.fields.every((field) => field.trim() === "")) continue;
        yield { row: ++row, fields: record.fields, problem: record.problem };
      }
      rest = Buffer.from(bytes.subarray(end));
      if (rest.length > READ_BYTES + 4 * MAX_ROW_BYTES) {
        throw appError("CsvParseError", `The file has a line that is longer than ${MAX_ROW_BYTES} bytes.`);
      }
    }
  } finally {
    await file.close();
  }
}

async function firstRows(path: string, separator: CsvSeparator): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of csvRows(path, separator)) {
    rows.push(row);
    if (rows.length > SAMPLES) break;
  }
  return rows;
}

async function separatorsOf(path: string): Promise<readonly CsvSeparator[]> {
  const file = await open(path, "r");
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(64), 0, 64);
    const named = namedSeparator(createUtf8Pieces()(buffer.subarray(0, bytesRead), true));
    return named === null ? CSV_SEPARATORS : [named];
  } finally {
    await file.close();
  }
}

/** What a program writes for a cell without a value. */
const NOTHING = ["null", "NULL"];

/** @param tagsOf the cell of our tags, from theirs */
export async function openTable(
  { source, map }: Pick<SourceInput, "source" | "map">,
  tagsOf?: (cell: string, lost: string[]) => string,
): Promise<Source> {
  let best: { separator: CsvSeparator; rows: Row[] } | null = null;
  for (const separator of await separatorsOf(source)) {
    const rows = await firstRows(source, separator);
    if (best === null || (rows[0]?.fields.length ?? 0) > (best.rows[0]?.fields.length ?? 0))
      best = { separator, rows };
  }
  const { separator, rows } = best!;
  const [header, ...samples] = rows;
  if (header === undefined) throw appError("CsvFileMissing", "The file is empty.");
  if (header.problem !== null) throw appError("CsvParseError", `The header can't be read. ${header.problem}`);
  if (header.fields.join("").includes("\0"))
    throw appError("CsvParseError", "The file is no text in UTF-8. Save it as CSV in UTF-8.");
  if (header.fields.length > MOST_COLUMNS) {
    const count = header.fields.length.toLocaleString("en");
    throw appError("CsvParseError", `The file has ${count} columns, more than ${MOST_COLUMNS}.`);
  }
  const fields = fieldsOf(header.fields, map);
  const columns = header.fields.map(
    (name, at): SourceColumn => ({
      name: name.trim().slice(0, 100),
      field: fields[at] ?? null,
      // They are shown and stored.
      samples: isSecret(name, fields[at]) ? [] : samples.map((row) => (row.fields[at] ?? "").slice(0, 100)),
    }),
  );
  const codeAt = fields.indexOf("code");
  const isWholeUrl = codeAt !== -1 && WHOLE_URLS.includes(plain(header.fields[codeAt]!));
  const cellOf = (field: string, text = ""): string => {
    if (NOTHING.includes(text) && field !== "code" && field !== "password") return "";
    return field === "code" && isWholeUrl && /^\s*[^\s:/]+\//.test(text) ? `https://${text.trim()}` : text;
  };
  return {
    columns,
    async *links(after) {
      // Not before its columns are known, of which the panel asks.
      if (!fields.includes("target")) throw withoutTarget(header.fields);
      for await (const { row, fields: texts, problem } of csvRows(source, separator)) {
        const position = row - 1;
        if (position <= after) continue;
        const code = (codeAt === -1 ? "" : (texts[codeAt] ?? "")).slice(0, 200);
        const trouble = problem ?? widthProblem(texts, header.fields.length, fields.indexOf("target"));
        if (trouble !== null) {
          yield { position, code, problem: trouble };
          continue;
        }
        const cells: Record<string, string> = {};
        for (const [at, field] of fields.entries())
          if (field !== null) cells[field] = cellOf(field, texts[at]);
        const lost: string[] = [];
        if (tagsOf !== undefined) cells["tags"] = tagsOf(cells["tags"] ?? "", lost);
        const { disabled = "", target = "", ...others } = cells;
        const isDisabled = parseFlagCell(disabled);
        if (typeof isDisabled === "string") {
          yield {
            position,
            code,
            problem: `disabled must be true or false, not ${JSON.stringify(isDisabled)}.`,
          };
          continue;
        }
        yield {
          position,
          cells: { ...others, target },
          ...(isDisabled && { disabled: "It is disabled in the file." }),
          ...(lost.length > 0 && { lost }),
        };
      }
    },
  };
}

export const csv: Reader = {
  title: "CSV",
  takes: ["file"],
  notImported: ["A CSV file has the number of clicks of each link, but not when they were."],
  open: (input) => openTable(input),
};
