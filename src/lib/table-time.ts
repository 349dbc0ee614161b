/**
 * Times as tables have them: RFC 3339, a date alone, or date and time with a blank between them, without seconds, and
 * with a short zone or none, which is UTC. Forms whose day and month could be mixed up are not read.
 */
import { parseRfc3339 } from "./rfc3339.ts";

const FORM =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d{1,2}:\d\d)(?::(\d\d(?:\.\d{1,20})?))? ?(?:([Zz])|([+-]\d\d):?(\d\d)?)?)?$/;

/** What people are told to write instead. */
export const TABLE_TIME_FORM = "2026-12-31 or 2026-12-31T13:00:00Z";

/** Epoch milliseconds, or null. Without a time of day it is midnight. */
export function parseTableTime(text: string): number | null {
  const match = FORM.exec(text);
  if (match === null) return null;
  const [, date, time = "00:00", seconds = "00", , hours, minutes = "00"] = match;
  const zone = hours === undefined ? "Z" : `${hours}:${minutes}`;
  return parseRfc3339(`${date}T${time.padStart(5, "0")}:${seconds}${zone}`);
}
