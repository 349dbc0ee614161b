/** Ids in requests. An impossible id is treated as unknown. */
import { z } from "zod";
import { idParameter } from "../../lib/id-parameter.ts";

const MISSING = {
  FileNotFound: "There is no such file.",
  FolderNotFound: "There is no such folder.",
  NotFound: "There is no such entry in the trash.",
} as const;

/** Parameter `id` of the path. @throws the given error for an impossible id */
export const idIn = (c: Parameters<typeof idParameter>[0], missing: keyof typeof MISSING): number =>
  idParameter(c, missing, MISSING[missing]);

/** Any whole number. The service knows which exist. */
export const idInBody = z
  .number()
  .refine(Number.isInteger, "must be a whole number")
  .meta({ type: "integer", format: "int64" });

/** Numbers that are too large become unknown ids. */
export const idInQuery = z
  .string()
  .regex(/^-?\d{1,30}$/, "must be a whole number")
  .meta({ type: "integer", format: "int64" });
