/** What this tab keeps of an import, so that a reload shows its report, or asks the server what became of it. */
import type { ImportResult } from "../../app/api.ts";

export type ImportRecord = {
  /** Names the import at the server, with the number of the part. */
  id: string;
  /** Of the file. */
  name: string;
  parts: number;
  /** From 0: the one under way, or the last one. */
  part: number;
  /** Of the parts that are done; with the first failed rows. */
  result: ImportResult | null;
  /** The failed rows as a file, as far as they are kept. */
  report: KeptReport | null;
  isOver: boolean;
  /** The import ended by it. */
  failure: { status: number; message: string } | null;
};

export type KeptReport = { text: string; rows: number };

const KEY = "waymark-import ";
const MOST_ITEMS = 50;

let owner = "";

/** Each account has its own. */
export const ownImports = (account: number): void => void (owner = `${KEY}${account}`);

export function keepImport(record: ImportRecord): void {
  const { result } = record;
  const short = result && { ...result, failed_items: result.failed_items.slice(0, MOST_ITEMS) };
  for (const kept of [
    { ...record, result: short },
    { ...record, result: short, report: null },
  ]) {
    try {
      sessionStorage.setItem(owner, JSON.stringify(kept));
      return;
    } catch {
      // Full: the report is what takes room.
    }
  }
}

export function keptImport(): ImportRecord | null {
  try {
    return JSON.parse(sessionStorage.getItem(owner) ?? "null") as ImportRecord | null;
  } catch {
    return null;
  }
}

export const forgetImport = (): void => sessionStorage.removeItem(owner);
