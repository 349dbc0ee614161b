/** Sums of a report as CSV (RFC 4180). */
import { spreadsheetText } from "../../base/spreadsheet-text.ts";

type Cell = string | number | null;

function cellOf(value: Cell): string {
  const text = typeof value === "string" ? spreadsheetText(value) : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");

/** Offers a text as a file. The mark lets spreadsheets know UTF-8. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  follow(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function follow(url: string, name: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
