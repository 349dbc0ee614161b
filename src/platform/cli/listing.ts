/** What commands that list things share. */
import { appError } from "../../lib/errors.ts";
import type { JsonOption, Output } from "./command.ts";

type Shown<T> = JsonOption & {
  columns: Record<string, string>;
  /** Cells of a row that differ from its JSON. */
  cells?(row: T): Record<string, unknown>;
  /** Instead of a table without rows. */
  none?: string;
};

export function showRows<T extends Record<string, unknown>>(
  output: Pick<Output, "json" | "note" | "table">,
  rows: readonly T[],
  { json, columns, cells, none }: Shown<T>,
): void {
  if (json) output.json(rows);
  else if (rows.length === 0 && none !== undefined) output.note(none);
  else output.table(cells === undefined ? rows : rows.map((row) => ({ ...row, ...cells(row) })), columns);
}

/** `end`: the cursor of the next page, or where in the list a page by its number is. */
type Page<T> = JsonOption & {
  name: string;
  rows: readonly T[];
  table(rows: readonly T[]): void;
  end: { next: string | null } | { page: number; pageSize: number; total: number; counted: string };
};

export function showList<T>(
  output: Pick<Output, "json" | "note">,
  { json, name, rows, table, end }: Page<T>,
): void {
  if ("next" in end) {
    if (json) return output.json({ [name]: rows, next_cursor: end.next });
    if (rows.length > 0) table(rows);
    return output.note(end.next === null ? "This is the last page." : `Next page: --cursor ${end.next}`);
  }
  const { page, pageSize, total, counted } = end;
  const pages = Math.ceil(total / pageSize);
  const pagination = { page, page_size: pageSize, total, total_pages: pages };
  if (json) return output.json({ [name]: rows, pagination });
  if (rows.length > 0) table(rows);
  output.note(`${counted}${pages === 0 ? "" : `, page ${page} of ${pages}`}`);
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
export function idArgument(text: string, refusal: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw appError("BadRequest", refusal);
}
