/** A `'` before a CSV cell keeps a spreadsheet from running a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export const spreadsheetText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
