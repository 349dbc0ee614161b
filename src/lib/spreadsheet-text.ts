/** Untrusted text as a CSV cell for spreadsheets. A `'` in front keeps a formula from running. */
const FORMULA = /^[=+\-@\t\r]/;

export const spreadsheetText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
