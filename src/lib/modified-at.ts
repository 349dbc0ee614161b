/** The time of a content as clients send it: RFC 3339, or seconds since the epoch. */
import { z } from "zod";
import { appError } from "./errors.ts";
import { boundedInstant, parseRfc3339 } from "./rfc3339.ts";

export const modifiedAtText = z
  .string()
  .max(100)
  .describe("when the content was last changed where it comes from: RFC 3339, or seconds since 1970")
  .meta({ examples: ["2026-11-20T13:00:00Z"] });

const SECONDS = /^[+-]?\d{1,30}(?:\.\d{1,30})?$/;

/** Epoch milliseconds; undefined without a value. @throws BadRequest naming the field */
export function readModifiedAt(field: string, given: string | null | undefined): number | undefined {
  const text = given?.trim() ?? "";
  if (text === "") return undefined;
  if (SECONDS.test(text)) return boundedInstant(Number(text) * 1000);
  const instant = parseRfc3339(text);
  if (instant !== null) return instant;
  throw appError(
    "BadRequest",
    `${field} must be a time such as 2026-11-20T13:00:00Z, or seconds since 1970 such as 1763643600.`,
  );
}
