import { createKeyCheck, type KeyCheck } from "../platform/cluster/key-check.ts";
import { type Database, openDatabase } from "../platform/db/database.ts";
import { movedTo } from "../platform/db/move-switch.ts";
import type { Env } from "../platform/settings/env.ts";
import { dataPath } from "../lib/data-folder.ts";
import { appError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { createSecretBox, type SecretBox } from "../lib/secret-box.ts";
import { findSecretKey, loadSecretKey, parseSecretKey } from "../lib/secret-key.ts";

/** Of the sealed URL in a database that has moved. */
export const MOVE_PURPOSE = "database move";

/** Moves are followed this far. */
const MOST_MOVES = 10;

/** `claim` as of createSecretBox; without it nothing may be sealed. */
export const openSecretBox = (
  { storage, data }: Env,
  claim: () => Promise<void> = () => Promise.reject(new Error("The secret key is not checked yet.")),
): SecretBox =>
  createSecretBox(
    () => parseSecretKey(storage.secretKey ?? "") ?? findSecretKey(dataPath(data.dir, "secretKey")),
    claim,
  );

export function openKeyCheck({ storage, data }: Env, database: Database, box: SecretBox): KeyCheck {
  const path = dataPath(data.dir, "secretKey");
  return createKeyCheck({
    database,
    box,
    place: storage.secretKey === null ? path : "storage.secret_key",
    make: () => void loadSecretKey(path),
  });
}

type Options = {
  server: boolean;
  logger: Logger;
  box: SecretBox;
  /** Repeats what fails while the database is away. */
  step<T>(work: () => Promise<T>): Promise<T>;
};

/**
 * Opens the database of the settings, or the one that it has moved to, whose URL the answered settings have.
 * @throws Conflict for a database that can't be followed or is an unfinished copy
 */
export async function openCurrentDatabase(
  env: Env,
  { server, logger, box, step }: Options,
): Promise<{ env: Env; database: Database }> {
  let followed: string | undefined;
  for (let moves = 0; ; moves++) {
    const database = await openDatabase(env.database, { threads: server, replicated: true, logger });
    try {
      const moved = await step(() => movedTo(database, followed));
      if (moved === null) return { env, database };
      const url = moves < MOST_MOVES ? opened(box, moved.url) : null;
      if (url === null) {
        const message = `${database.name} has moved, and the secret key of this node does not open its new address. Put the right key back, or set database.url to the new address.`;
        throw appError("Conflict", message);
      }
      logger.warn(
        `${database.name} has moved; using its new address. Set database.url to that, before the old database is removed.`,
      );
      env = Object.freeze({ ...env, database: { ...env.database, url, replicaUrl: null } });
      followed = moved.id;
    } catch (error) {
      await database.close();
      throw error;
    }
    await database.close();
  }
}

function opened(box: SecretBox, sealed: string): string | null {
  try {
    return box.open(sealed, MOVE_PURPOSE);
  } catch {
    return null;
  }
}
