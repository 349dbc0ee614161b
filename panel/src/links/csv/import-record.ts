/** This tab's record of an import, so that a reload shows its report, or asks the server for the outcome. */
import type { ImportResult } from "../../base/api.ts";

export type ImportRecord = {
  /** The id of the import on the server, with the number of the part. */
  id: string;
  /** Of the file. */
  name: string;
  parts: number;
  /** From 0: the current one, or the last one. */
  part: number;
  /** Of the finished parts; with the first failed rows. */
  result: ImportResult | null;
  /** The failed rows as a file, as far as they are kept. */
  report: KeptReport | null;
  isOver: boolean;
  /** The failure that ended the import. */
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
  const short = result && {
    ...result,
    failed_items: result.failed_items.slice(0, MOST_ITEMS),
  };
  for (const kept of [
    { ...record, result: short },
    { ...record, result: short, report: null },
  ]) {
    try {
      sessionStorage.setItem(owner, JSON.stringify(kept));
      return;
    } catch {
      // Full: the report takes the room.
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
