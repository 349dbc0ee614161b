/** Folders with two ways: shares whose visitors see what is in a folder, and add files. */
import { z } from "zod";
import { badField } from "../../lib/errors.ts";
import type { DropLimits } from "./served.ts";

const MOST_FILES = 1_000_000_000;
/** Of the limits of what takes files. */
export const limitBytes = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
export const limitFiles = z.int().min(1).max(MOST_FILES);

/** What visitors may add. */
export const addingFields = {
  add: z.boolean().optional().describe("of a folder: visitors add files, and delete or replace none"),
  max_bytes: limitBytes.optional().describe("with add: of all files together; 1 GB when absent"),
  max_files: limitFiles
    .optional()
    .describe("with add: files in all, including those deleted since; 100 when absent"),
  max_file_size: limitBytes
    .nullish()
    .describe("with add: of one file, in bytes; null: only max_bytes limits it"),
};
const addingSchema = z.object(addingFields);
/** Absent: unchanged. */
export type AddingInput = z.output<typeof addingSchema>;

export const ADDING_DEFAULTS = { maxBytes: 1_000_000_000, maxFiles: 100, maxFileSize: null };

/** Undefined without a field. */
export const addingOf = (input: AddingInput): AddingInput | undefined =>
  Object.values(input).some((value) => value !== undefined) ? input : undefined;

/** Null: visitors add nothing. @throws BadRequest for limits without `add` */
export function addingAfter(before: DropLimits | null, input: AddingInput): DropLimits | null {
  const { add = before?.isTwoWay ?? false, max_bytes, max_files, max_file_size } = input;
  if (!add) {
    const field = (["max_bytes", "max_files", "max_file_size"] as const).find(
      (name) => (input[name] ?? null) !== null,
    );
    if (field === undefined) return null;
    throw badField(field, `${field} is for folders that take files; give add: true with it.`);
  }
  const known = before ?? ADDING_DEFAULTS;
  return {
    maxBytes: max_bytes ?? known.maxBytes,
    maxFiles: max_files ?? known.maxFiles,
    maxFileSize: max_file_size === undefined ? known.maxFileSize : max_file_size,
    isTwoWay: true,
  };
}

/** Visitors see nothing of its folder. */
export const isDropBox = (drop: DropLimits | null): boolean => drop?.isTwoWay === false;

export const notAFolder = () => badField("add", "add is for shared folders only; leave it out.");
