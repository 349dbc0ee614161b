/** What an import takes and answers. */
import type { Actor } from "../../lib/actor.ts";
import { codeOf } from "../link/key.ts";
import type { FailedRow } from "./csv-file.ts";
import type { CsvLink, UnreadCell } from "./row.ts";

/** Of an export, besides the specified ones. */
export const EXPORT_COLUMNS = ["all"] as const;
export const IMPORT_MODES = ["skip", "overwrite", "error"] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

/** Default: `skip`. */
export const importModeOf = (text: string | undefined): ImportMode =>
  IMPORT_MODES.find((mode) => mode === text?.trim().toLowerCase()) ?? "skip";

/** For clients that ask for no more. */
export const specifiedResult = (result: ImportResult) => {
  const { overwritten_count: _, ...specified } = result;
  return specified;
};
export type SpecifiedResult = ReturnType<typeof specifiedResult>;

type UnreadItem = UnreadCell & { row: number; code: string };

export type ImportProgress = {
  /** In all. A second run after a lost race begins at 0. */
  done: number;
  total: number;
  stage: "passwords" | "links";
};

export type ImportOptions = {
  mode: ImportMode;
  /** Counts only. */
  dryRun?: boolean;
  /** Names the import in its event. */
  id?: string;
  /** Default: a command. Events say that it acts by an import. */
  actor?: Actor;
  onProgress?: (progress: ImportProgress) => void;
  /** Ends the import while it hashes passwords, not later. */
  signal?: AbortSignal;
};

/** More than the rows of an ordinary file of 10 MB. */
const MOST_ITEMS_LISTED = 100_000;

/** total = success + skipped + failed. */
export const noRows = () => ({
  total_rows: 0,
  success_count: 0,
  /** The rows among them that replace a link or an earlier row. */
  overwritten_count: 0,
  skipped_count: 0,
  failed_count: 0,
  /** The first 100,000. */
  failed_items: [] as FailedRow[],
  /** Cells of rows that succeed. */
  unread_count: 0,
  /** The first 100,000. */
  unread_items: [] as UnreadItem[],
});
export type ImportResult = ReturnType<typeof noRows>;

/** The row is or would be written. */
export function succeed(result: ImportResult, { row, code, unread }: CsvLink): void {
  result.success_count++;
  for (const cell of unread) {
    result.unread_count++;
    if (result.unread_items.length < MOST_ITEMS_LISTED)
      result.unread_items.push({ row, code: codeOf(code), ...cell });
  }
}

const COUNTS = [
  "total_rows",
  "success_count",
  "overwritten_count",
  "skipped_count",
  "failed_count",
  "unread_count",
] as const;

export const countsOf = (...results: readonly ImportResult[]) =>
  Object.fromEntries(
    COUNTS.map((name) => [name, results.reduce((sum, result) => sum + result[name], 0)]),
  ) as Pick<ImportResult, (typeof COUNTS)[number]>;

/** @param more of one portion */
export function addRows(sum: ImportResult, more: ImportResult): void {
  Object.assign(sum, countsOf(sum, more));
  sum.failed_items.push(...more.failed_items.slice(0, MOST_ITEMS_LISTED - sum.failed_items.length));
  sum.unread_items.push(...more.unread_items.slice(0, MOST_ITEMS_LISTED - sum.unread_items.length));
}

export function fail(result: ImportResult, item: FailedRow): void {
  result.failed_count++;
  if (result.failed_items.length < MOST_ITEMS_LISTED) result.failed_items.push(item);
}
