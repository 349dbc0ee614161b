import { expect, test } from "bun:test";
import { fromSpreadsheetCell, spreadsheetText, toSpreadsheetCell } from "./spreadsheet-text.ts";

const FORMULAS = [..."=+-@＝＋－＠\t\r\n", "=1+1", '=HYPERLINK("https://evil.example")'];

test.each(FORMULAS)("%j can't run as a formula", (text) => {
  expect(spreadsheetText(text)).toBe(`'${text}`);
  expect(toSpreadsheetCell(text)).toBe(`'${text}`);
});
test.each(["", "a=1", " =1", "https://a.example/?x=-1", "'=1", "ref:a.example"])(
  "%j stays unchanged",
  (text) => {
    expect(spreadsheetText(text)).toBe(text);
  },
);
test.each(FORMULAS.flatMap((text) => [text, `'${text}`, `'''${text}`, `'a${text}`, "'", "''", ""]))(
  "%j comes back",
  (text) => {
    expect(fromSpreadsheetCell(toSpreadsheetCell(text))).toBe(text);
  },
);
