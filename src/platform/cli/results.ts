/** What commands return, and what the ones that list things share. */
import { appError } from "../../lib/errors.ts";
import type { Output } from "./command.ts";

/** What a command found or did: `json` for `--json`, else what `show` prints. */
export type Result = {
  json: unknown;
  show(output: Output): void;
  /** Sentences on standard error after either. */
  notes?: readonly string[];
};

type Cells = Record<string, unknown>;
/** Keys of rows, each with its heading unless that is the key in capitals: `expires_at` is EXPIRES. */
export type Columns = readonly (string | readonly [key: string, heading: string])[];

export const headingsOf = (columns: Columns): Record<string, string> =>
  Object.fromEntries(
    columns.map((one) =>
      typeof one === "string" ? [one, one.replace(/_at$/, "").replaceAll("_", " ").toUpperCase()] : one,
    ),
  );

/** A sentence on standard output. */
export const lineResult = (json: unknown, text: string): Result => ({
  json,
  show: (output) => output.line(text),
});

/** A sentence on standard error, for commands whose output programs read. */
export const noteResult = (json: unknown, text: string): Result => ({
  json,
  show: (output) => output.note(text),
});

/**
 * @param cells of a row that differ from its JSON
 * @param none instead of a table without rows
 */
export const rowsResult = <T extends Cells>(
  rows: readonly T[],
  columns: Columns,
  { cells, none }: { cells?(row: T): Cells; none?: string } = {},
): Result => ({
  json: rows,
  show(output) {
    if (rows.length === 0 && none !== undefined) output.note(none);
    else output.table(cells ? rows.map((row) => ({ ...row, ...cells(row) })) : rows, headingsOf(columns));
  },
});

/** One page of a list, in JSON under `name`. */
type Page<T> = {
  name: string;
  rows: readonly T[];
  columns: Columns;
  cells?(row: T): Cells;
  /** The cursor of the next page, or where in the list a page by its number is. */
  end: { next: string | null } | { page: number; pageSize: number; total: number; counted: string };
  /** Instead of "This is the last page.", if there are no rows. */
  none?: string;
};

export function pageResult<T extends Cells>({ name, rows, columns, cells, end, none }: Page<T>): Result {
  const show = (note: string) => (output: Output) => {
    if (rows.length > 0) rowsResult(rows, columns, cells && { cells }).show(output);
    output.note(note);
  };
  if ("next" in end) {
    const last = (rows.length === 0 && none) || "This is the last page.";
    const note = end.next === null ? last : `Next page: --cursor ${end.next}`;
    return { json: { [name]: rows, next_cursor: end.next }, show: show(note) };
  }
  const { page, pageSize, total, counted } = end;
  const pages = Math.ceil(total / pageSize);
  const pagination = { page, page_size: pageSize, total, total_pages: pages };
  const note = `${counted}${pages === 0 ? "" : `, page ${page} of ${pages}`}`;
  return { json: { [name]: rows, pagination }, show: show(note) };
}

const PAGE_SIZE = 100;

export async function allPages<T>(
  read: (at: { page: number; pageSize: number }) => Promise<readonly T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let page = 1; ; page++) {
    const found = await read({ page, pageSize: PAGE_SIZE });
    rows.push(...found);
    if (found.length < PAGE_SIZE) return rows;
  }
}

/** @throws BadRequest with the sentence */
export function parseId(text: string, refusal: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw appError("BadRequest", refusal);
}
