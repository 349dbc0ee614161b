/** A `'` before a CSV cell keeps a spreadsheet from running a formula. Some take full-width signs for the usual ones. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
const GUARDED = /^'+[=+\-@＝＋－＠\t\r\n]/;

export const spreadsheetText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Also before a text that looks guarded, so that `fromSpreadsheetCell` restores every text. */
export const toSpreadsheetCell = (text: string): string =>
  FORMULA.test(text) || GUARDED.test(text) ? `'${text}` : text;

export const fromSpreadsheetCell = (cell: string): string => (GUARDED.test(cell) ? cell.slice(1) : cell);
