/** Ids of folders and files as requests bring them. What can't be an id is one that nobody has. */
import { z } from "zod";
import { appError } from "../../lib/errors.ts";

const MISSING = {
  FileNotFound: "There is no such file.",
  FolderNotFound: "There is no such folder.",
} as const;

/** The parameter `id` of the path. @throws the error for what can't be an id */
export function idIn(
  c: { req: { param(name: "id"): string | undefined } },
  missing: keyof typeof MISSING,
): number {
  const text = c.req.param("id") ?? "";
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw appError(missing, MISSING[missing]);
  return id;
}

/** Any whole number: the service says which of them exist. */
export const idInBody = z
  .number()
  .refine(Number.isInteger, "takes a whole number")
  .meta({ type: "integer", format: "int64" });

/** In a query. Whole numbers that are too large become ones that nobody has. */
export const idInQuery = z
  .string()
  .regex(/^-?\d{1,30}$/, "takes a whole number")
  .meta({ type: "integer", format: "int64" });
