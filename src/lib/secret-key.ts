import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { MalformedSecretKey, SECRET_KEY_BYTES } from "./secret-box.ts";
import { syncFolderNow } from "./sync-folder.ts";

const HEX_KEY = new RegExp(`^[0-9a-f]{${2 * SECRET_KEY_BYTES}}$`, "i");

/** 64 hexadecimal digits, else null. */
export const parseSecretKey = (text: string): Uint8Array | null =>
  HEX_KEY.test(text) ? Buffer.from(text, "hex") : null;

/**
 * Null without the file.
 * @throws MalformedSecretKey for other content: a new key would make sealed secrets unreadable
 */
export function findSecretKey(path: string): Uint8Array | null {
  const text = readIfThere(path);
  return text === undefined ? null : parsed(path, text);
}

/** Reads the key, or creates the file, readable by its owner only; concurrent processes get the same key. */
export const loadSecretKey = (path: string): Uint8Array => findSecretKey(path) ?? parsed(path, make(path));

function parsed(path: string, text: string): Uint8Array {
  const key = parseSecretKey(text.trim());
  if (key === null)
    throw new MalformedSecretKey(`${path} does not hold a secret key of 64 hexadecimal digits`);
  return key;
}

/** Writes and syncs under another name first, so that no reader sees half a key. */
function make(path: string): string {
  const unfinished = `${path}.${randomBytes(8).toString("hex")}`;
  const file = openSync(unfinished, "wx", 0o600);
  try {
    writeSync(file, `${randomBytes(SECRET_KEY_BYTES).toString("hex")}\n`);
    fsyncSync(file);
    linkUnlessThere(unfinished, path);
  } finally {
    closeSync(file);
    unlinkSync(unfinished);
  }
  syncFolderNow(dirname(path));
  return readFileSync(path, "utf8");
}

function linkUnlessThere(unfinished: string, path: string): void {
  try {
    linkSync(unfinished, path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ENOENT") throw error;
    return undefined;
  }
}
