/** The import of this tab. It continues while other pages are shown. */
import { useSyncExternalStore } from "react";
import { ApiError, type ImportResult, type PostLinksImportBody } from "../../base/api.ts";
import { randomName } from "../../base/random-name.ts";
import { keptReport } from "./csv-report.ts";
import { type CsvColumn, type CsvSource, csvPieces, guessedColumns, readCsvSource } from "./csv-source.ts";
import { forgetImport, type ImportRecord, keepImport, keptImport, ownImports } from "./import-record.ts";
import { type ImportStep, sendCsv } from "./import-request.ts";

export type ImportMode = NonNullable<PostLinksImportBody["mode"]>;
export type ImportWork = {
  /** Null: not started, or over. */
  step: ImportStep | null;
  result: ImportResult | null;
  error: Error | null;
};

export type ImportState = {
  source: CsvSource | null;
  mode: ImportMode;
  columns: readonly (CsvColumn | "")[];
  preview: ImportWork;
  run: ImportWork;
  /** The import that this tab runs, has run, or ran before a reload. */
  record: ImportRecord | null;
};

/** Below the server's 10 MB, with room for the form around it. */
const MOST_BYTES = 10 * 1024 * 1024 - 4096;
const PREVIEW_DELAY_MS = 250;

const IDLE: ImportWork = { step: null, result: null, error: null };
const START: ImportState = {
  source: null,
  mode: "skip",
  columns: [],
  preview: IDLE,
  run: IDLE,
  record: null,
};

let state = START;
let previewing = new AbortController();
const watchers = new Set<() => void>();

function change(next: Partial<ImportState>): void {
  state = { ...state, ...next };
  for (const watcher of watchers) watcher();
}

const BEGUN = { parts: 1, part: 0, result: null, report: null, isOver: false, failure: null };

export const useImport = (): ImportState =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    () => state,
  );

export const hasNeededColumns = ({ columns }: Pick<ImportState, "columns">): boolean =>
  columns.includes("target");

export async function chooseCsv(file: File): Promise<void> {
  const source = readCsvSource(file.name, new Uint8Array(await file.arrayBuffer()));
  change({ source, columns: guessedColumns(source), run: IDLE, record: null });
  void preview();
}

export function chooseMode(mode: ImportMode): void {
  change({ mode });
  void preview();
}

/** Assigns a column of the file. A column that was assigned before is left out. */
export function chooseColumn(at: number, column: CsvColumn | ""): void {
  change({
    columns: state.columns.map((now, index) => (index === at ? column : now === column ? "" : now)),
  });
  void preview();
}

export function leaveImport(): void {
  previewing.abort();
  forgetImport();
  change(START);
}

let owner: number | undefined;

/** Restores the tab's state from before a reload. A running import stays, unless another account has signed in. */
export function takeUpImport(account: number): void {
  if (owner === account) return;
  const isOther = owner !== undefined;
  owner = account;
  ownImports(account);
  const record = keptImport();
  if (isOther || record !== null) state = { ...START, record };
}

function keepRecord(next: Partial<ImportRecord>): void {
  if (state.record === null) return;
  const record = { ...state.record, ...next };
  keepImport(record);
  change({ record });
}

/** The server has reported the outcome of the current part. */
export function settlePart(told: ImportResult): void {
  const { record } = state;
  if (record === null || record.isOver) return;
  keepRecord({ result: joined(record.result, told), isOver: true, failure: null });
}

async function preview(): Promise<void> {
  previewing.abort();
  previewing = new AbortController();
  const { signal } = previewing;
  if (!hasNeededColumns(state)) return change({ preview: IDLE });
  change({ preview: { ...IDLE, step: { stage: "sending", share: 0 } } });
  await new Promise((resolve) => setTimeout(resolve, PREVIEW_DELAY_MS));
  if (signal.aborted) return;
  await work(signal, () => ({ dry_run: "true" }), {
    tell: (now) => signal.aborted || change({ preview: now }),
    note: () => undefined,
  });
}

/** Continues when its page is left. */
export async function startImport(): Promise<void> {
  previewing.abort();
  const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
  addEventListener("beforeunload", warn);
  const { source } = state;
  const id = randomName();
  change({ record: source && { ...BEGUN, id, name: source.name } });
  await work(new AbortController().signal, (part) => ({ import_id: `${id}-${part}` }), {
    tell: (now) => state.source === source && change({ run: now }),
    note: (next) => state.source === source && keepRecord(next),
  });
  removeEventListener("beforeunload", warn);
}

/** One piece after the other. Finished ones are reported even if a later one fails. */
async function work(
  signal: AbortSignal,
  fieldsOf: (part: number) => Record<string, string>,
  { tell, note }: { tell(now: ImportWork): void; note(next: Partial<ImportRecord>): void },
): Promise<void> {
  const { source, columns, mode } = state;
  if (source === null) return;
  const pieces = csvPieces(source, columns, MOST_BYTES);
  let result: ImportResult | null = null;
  for (const [at, piece] of pieces.entries()) {
    const onStep = ({ stage, share }: ImportStep): void =>
      tell({ ...IDLE, result, step: { stage, share: (at + share) / pieces.length } });
    onStep({ stage: "sending", share: 0 });
    note({ parts: pieces.length, part: at });
    try {
      const all = { mode, progress: "true", ...fieldsOf(at) };
      const told = await sendCsv({ file: piece.blob, fields: all, signal, onStep });
      // The first record is on line 2 of its piece.
      const failed = told.failed_items.map((item) => ({ ...item, row: item.row - 2 + piece.row }));
      result = joined(result, { ...told, failed_items: failed });
      const isLast = at === pieces.length - 1;
      const report = keptReport(source, columns, result.failed_items);
      note({ result, report, isOver: isLast, part: isLast ? at : at + 1 });
    } catch (error) {
      const { status, message } = error instanceof ApiError ? error : { status: 500, message: "" };
      // Without an answer, the rows may have been written.
      note({ failure: { status, message }, isOver: status !== 0 });
      return tell({ step: null, result, error: error as Error });
    }
  }
  tell({ step: null, result, error: null });
}

const joined = (before: ImportResult | null, now: ImportResult): ImportResult =>
  before === null
    ? now
    : {
        ...now,
        total_rows: before.total_rows + now.total_rows,
        success_count: before.success_count + now.success_count,
        overwritten_count: (before.overwritten_count ?? 0) + (now.overwritten_count ?? 0),
        skipped_count: before.skipped_count + now.skipped_count,
        failed_count: before.failed_count + now.failed_count,
        failed_items: [...before.failed_items, ...now.failed_items],
      };
