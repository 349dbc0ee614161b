/** Values of databases of other products. */
import { formatRfc3339 } from "../../../lib/rfc3339.ts";
import type { Cell } from "./rows-request.ts";

type Value = Cell | undefined;

const MOST_TIME = Date.UTC(10_000, 0);

export const foreignText = (value: Value): string => String(value ?? "");

export const isTrue = (value: Value): boolean => value === 1 || value === "true";

/** Parses epoch milliseconds, or UTC as SQL writes it; null if unreadable. */
export function foreignTime(value: Value): number | null {
  const parts = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(foreignText(value));
  const time = parts === null ? value : Date.parse(`${parts[1]}T${parts[2]}Z`);
  return typeof time === "number" && Number.isSafeInteger(time) && Math.abs(time) < MOST_TIME ? time : null;
}

/** As cells of links have it. An unreadable one stays as it is, so that the import names it. */
export function foreignInstant(value: Value): string {
  const time = foreignTime(value);
  return time === null ? foreignText(value) : formatRfc3339(time);
}
