/**
 * The built panel: `panel/dist/panel.pack`, which scripts/panel.ts writes and the one-file executable embeds. JSON:
 * each file's type and bytes, compressed and as base64.
 */
import { readFile } from "node:fs/promises";

export type PackedFile = { type: string; br: string; gzip: string };
export type Pack = {
  files: Record<string, PackedFile>;
  /** Names of scripts that a page needs besides those of index.html, by its path. */
  preloads: Record<string, readonly string[]>;
  /** Name of the script with the texts, by language. */
  catalogs: Record<string, string>;
};

/** Null while the panel is not built. */
export async function readPack(): Promise<Pack | null> {
  try {
    // The bundler puts the file into the executable and replaces its path.
    // @ts-expect-error a path, not a module
    const { default: path } = (await import("../../../panel/dist/panel.pack", {
      with: { type: "file" },
    })) as {
      default: string;
    };
    return JSON.parse(await readFile(path, "utf8")) as Pack;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  ("code" in error
    ? ["ENOENT", "ERR_MODULE_NOT_FOUND"].includes(String(error.code))
    : error.name === "ResolveMessage");
