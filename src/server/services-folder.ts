/** The data folder at the start. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type Env, fileDatabasePath } from "../platform/settings/env.ts";
import { dataPath } from "../lib/data-folder.ts";
import { appError, messageOf } from "../lib/errors.ts";
import { fileTrouble, writeRefusal } from "../lib/file-trouble.ts";
import { refuseDuringRestore } from "../extras/upkeep/restore-state.ts";

/**
 * Returns whether it created the data folder. @throws BadRequest naming what is not writable, Conflict during a restore
 */
export function openDataFolder({ data: { dir }, database }: Env): boolean {
  let made: string | undefined;
  try {
    made = mkdirSync(dir, { recursive: true, mode: 0o750 });
  } catch (cause) {
    const reason = fileTrouble(cause) ?? messageOf(cause);
    throw appError(
      "BadRequest",
      `The data folder ${dir} can't be created; change data.dir, or fix this: ${reason}`,
      { cause },
    );
  }
  const file = fileDatabasePath(database);
  const files = file === null ? [] : [dirname(file), file, `${file}-wal`, `${file}-shm`];
  const refused = writeRefusal([dir, dataPath(dir, "journal"), dataPath(dir, "processes"), ...files]);
  if (refused !== null) throw appError("BadRequest", refused);
  refuseDuringRestore(dir);
  return made !== undefined;
}
