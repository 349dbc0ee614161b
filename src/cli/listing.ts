/** What commands that list things share. */
import { appError } from "../lib/errors.ts";
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
