/** A `'` before a CSV cell keeps a spreadsheet from running a formula, as in the server's exports. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

export const spreadsheetText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
