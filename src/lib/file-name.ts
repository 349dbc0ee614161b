import { appError } from "./errors.ts";
import { REORDERING } from "./text-direction.ts";

/** UTF-8, after normalisation. */
const FILE_NAME_BYTES = 255;

/** Normalisation joins at most three units into one, so a longer text stays too long. */
const MOST_UNITS = 4 * FILE_NAME_BYTES;
/** Names go into headers, paths and terminals. */
const CONTROLS = String.raw`\u0000-\u001f\u007f-\u009f`;
const CONTROL = new RegExp(`[${CONTROLS}]`);
const REORDERS = new RegExp(`[${REORDERING}]`);
const INVISIBLE = /[\s\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const SEPARATORS = String.raw`/\\`;
const SEPARATOR = new RegExp(`[${SEPARATORS}]`);
const END = String.raw`[^\s${SEPARATORS}${CONTROLS}]`;

/** The rule in the OpenAPI document, as far as a pattern can express it. */
export const FILE_NAME_FORM = {
  pattern: `^${END}(?:[^${SEPARATORS}${CONTROLS}]*${END})?$`,
  minLength: 1,
  maxLength: FILE_NAME_BYTES,
};

/** `\s` covers every Unicode blank, line ends and the byte order mark. */
const BLANK_END = /^\s|\s$/u;

/** The name in Unicode NFC, as stored and compared. @throws InvalidName */
export function checkFileName(text: string): string {
  if (text.length > MOST_UNITS) throw tooLong();
  if (!text.isWellFormed()) throw refused("is broken Unicode");
  const name = text.normalize("NFC");
  if (name === "") throw refused("is empty");
  if (Buffer.byteLength(name) > FILE_NAME_BYTES) throw tooLong();
  if (SEPARATOR.test(name)) throw refused("can't hold '/' or '\\'");
  if (CONTROL.test(name)) throw refused("can't contain control characters");
  if (REORDERS.test(name)) throw refused("can't contain characters that change the direction of text");
  if (BLANK_END.test(name)) throw refused("can't begin or end with a blank");
  const visible = name.replaceAll(INVISIBLE, "");
  if (visible === "") throw refused("shows nothing");
  if (visible === "." || visible === "..") throw refused("can't be '.' or '..'");
  return name;
}

/** Something is visible, and nothing reorders others' text or controls it. */
export const isLegibleText = (text: string): boolean =>
  !CONTROL.test(text) && !REORDERS.test(text) && text.replaceAll(INVISIBLE, "") !== "";

/**
 * How clients that can't ask a person have their names taken: without blanks at the ends, and with `_` for `\\`, which
 * systems other than Windows allow in names.
 */
export const cleanFileName = (name: string): string => name.replaceAll("\\", "_").trim();

const refused = (reason: string) => appError("InvalidName", `The name ${reason}; choose another.`);
const tooLong = () =>
  appError("InvalidName", `The name is longer than ${FILE_NAME_BYTES} bytes; choose a shorter one.`);
