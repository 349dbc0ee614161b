/**
 * Untrusted text as a cell of a CSV file that a spreadsheet may open: one that would run as a formula gets a `'` in
 * front, by which spreadsheets know text.
 */
const FORMULA = /^[=+\-@\t\r]/;

export const spreadsheetText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
