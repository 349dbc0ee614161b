import { chmod, writeFile } from "node:fs/promises";
import { appError } from "../../lib/errors.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";
import { FILE_FORMATS, type FileFormat } from "./settings-file.ts";

const FILE_MAX_BYTES = 1024 * 1024;

export function formatOf(file: string, given: string | undefined): FileFormat {
  const format = given ?? (asciiLower(file).endsWith(".json") ? "json" : "toml");
  const known = FILE_FORMATS.find((one) => one === format);
  if (known !== undefined) return known;
  throw appError("BadRequest", `--format must be ${FILE_FORMATS.join(" or ")}, not '${format}'.`);
}

export async function readIn(file: string): Promise<string> {
  const source = Bun.file(file);
  if (!(await source.exists())) throw appError("BadRequest", `${file} does not exist.`);
  if (source.size > FILE_MAX_BYTES) throw appError("BadRequest", `${file} is larger than 1 MiB.`);
  return source.text();
}

/** Readable by its owner only, because it may hold secrets. */
export async function writeOut(
  output: { line(text: string): void; note(text: string): void },
  file: string,
  text: string,
  { force, secret }: { force: boolean; secret: boolean },
): Promise<void> {
  if (file === "-") return output.line(text.trimEnd());
  const mode = secret ? 0o600 : 0o644;
  try {
    await writeFile(file, text, { mode, flag: force ? "w" : "wx" });
    if (secret) await chmod(file, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") {
      throw appError("Conflict", `${file} exists; choose another name or overwrite it with --force.`);
    }
    throw appError("BadRequest", `${file} can't be written: ${code}.`, { cause: error });
  }
  output.note(`Wrote ${file}.`);
}
