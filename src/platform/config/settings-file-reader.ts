import { parse, TomlError } from "smol-toml";
import { appError } from "../../lib/errors.ts";
import { MASK } from "./writer.ts";
import type { FileFormat } from "./settings-file.ts";

export type FileSetting = readonly [key: string, value: string];

const DEPTH_MAX = 4;

const ENTRIES_MAX = 1000;

/**
 * Keys may be whole ("api.cookie_secure") or tables ([api] cookie_secure). Masked secrets are listed apart. @throws
 * BadRequest with the place of the mistake
 */
export function readConfigFile(
  source: string,
  format: FileFormat,
): { entries: FileSetting[]; masked: string[] } {
  const entries: FileSetting[] = [];
  collect(format === "json" ? parseJson(source) : parseToml(source), "", 0, entries);
  const seen = new Set<string>();
  for (const [key] of entries) {
    if (seen.has(key)) throw appError("BadRequest", `${key} appears twice in the file.`);
    seen.add(key);
  }
  const isMasked = ([, value]: FileSetting) => value.trim() === MASK;
  return {
    entries: entries.filter((entry) => !isMasked(entry)),
    masked: entries.filter(isMasked).map(([key]) => key),
  };
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    throw appError("BadRequest", `The file is not valid JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

function parseToml(source: string): unknown {
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const place = `line ${error.line}, column ${error.column}`;
    throw appError("BadRequest", `The file is not valid TOML: ${place}: ${error.message.split("\n")[0]}.`, {
      cause: error,
    });
  }
}

function collect(value: unknown, path: string, depth: number, into: FileSetting[]): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)) {
    if (depth > DEPTH_MAX) throw appError("BadRequest", `${path} is nested too deeply.`);
    for (const [name, inner] of Object.entries(value)) {
      collect(inner, path === "" ? name : `${path}.${name}`, depth + 1, into);
    }
    return;
  }
  if (path === "") throw appError("BadRequest", "The file must contain one object of settings.");
  if (into.length >= ENTRIES_MAX)
    throw appError("BadRequest", `The file has more than ${ENTRIES_MAX} entries.`);
  into.push([path, textOf(path, value)]);
}

function textOf(key: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return String(value);
  if (Array.isArray(value)) return JSON.stringify(value);
  throw appError("BadRequest", `${key} must be a text, a number, true, false or a list of texts.`);
}
