import { expect, test } from "bun:test";
import { spreadsheetText } from "./spreadsheet-text.ts";

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=", '=HYPERLINK("https://evil.example")'])(
  "%j can't run as a formula",
  (text) => {
    expect(spreadsheetText(text)).toBe(`'${text}`);
  },
);
test.each(["", "a=1", " =1", "https://a.example/?x=-1", "'=1", "ref:a.example"])(
  "%j stays unchanged",
  (text) => {
    expect(spreadsheetText(text)).toBe(text);
  },
);
