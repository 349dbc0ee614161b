/**
 * Whether the secret key of this node is the installation's, whose fingerprint the database has since the key was first
 * used. A missing key is made only while nothing depends on one. A database from before the fingerprint proves the key
 * by a secret that it opens.
 */
import type { Database } from "../db/database.ts";
import { appError } from "../../lib/errors.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { MalformedSecretKey, type SecretBox } from "../../lib/secret-box.ts";
import {
  claimKeyFingerprint,
  countSealedByOthers,
  findSealed,
  readKeyFingerprint,
  replaceKeyFingerprint,
} from "./secret-key.repository.ts";

type Deps = {
  database: Database;
  box: Pick<SecretBox, "fingerprint" | "open">;
  /** The setting or file that has the key, for messages. */
  place: string;
  /** Makes the key that is missing. */
  make(): void;
};

export type KeyCheck = ReturnType<typeof createKeyCheck>;

export function createKeyCheck({ database, box, place, make }: Deps) {
  const putBack = `Put the right key back: the file secret.key of a backup, or the setting storage.secret_key that the other nodes have. Then start again. If no copy of it is left, 'waymark reset-secret-key' says what has to be entered anew.`;
  const idle = "so webhooks, second factors and storages in S3 do not work here";
  const wrong = `The secret key of this node (${place}) is not the one that sealed the secrets in the database, ${idle}. ${putBack}`;
  const missing = `This node has no secret key (${place}), and the database has secrets that one has sealed, ${idle}. ${putBack}`;

  /** `fault`: why what is in the place of the key is none. */
  function held(): { fingerprint: string | null; fault: string | null } {
    try {
      return { fingerprint: box.fingerprint(), fault: null };
    } catch (error) {
      if (error instanceof MalformedSecretKey) return { fingerprint: null, fault: error.message };
      throw error;
    }
  }

  /** Changes nothing. */
  async function look(): Promise<string | null> {
    const { fingerprint, fault } = held();
    return fault === null ? compare(fingerprint) : `${fault}, ${idle}. ${putBack}`;
  }

  async function compare(mine: string | null): Promise<string | null> {
    const stored = await readKeyFingerprint(database);
    if (stored !== null) return mine === stored ? null : mine === null ? missing : wrong;
    const found = await findSealed(database);
    if (found === null) return null;
    if (mine === null) return missing;
    try {
      box.open(found.sealed, found.purpose);
      return null;
    } catch {
      return wrong;
    }
  }

  async function store(): Promise<string | null> {
    const trouble = await look();
    const mine = held().fingerprint;
    if (trouble !== null || mine === null) return trouble;
    if ((await readKeyFingerprint(database)) === null) await claimKeyFingerprint(database, mine);
    // Another node may have been faster, with another key.
    return look();
  }

  return {
    /** What is wrong, and what to do; null if nothing is. */
    look,
    /** As look, and stores the fingerprint of a key that is there. */
    store,
    /** Before something is sealed. @throws ServiceUnavailable for a wrong or missing key */
    async claim(): Promise<void> {
      const trouble = await look();
      if (trouble === null && box.fingerprint() === null) make();
      const left = trouble ?? (await store());
      if (left !== null) throw appError("ServiceUnavailable", left);
    },
    /** Such as `2 webhooks`, whose secrets another key has sealed. */
    async unreadable(): Promise<string[]> {
      const valid = held().fingerprint ?? (await readKeyFingerprint(database));
      if (valid === null) return [];
      const counts = await countSealedByOthers(database, valid);
      return counts.map(({ what, count }) => pluralize(count, what));
    },
    /** Takes the key of this node, or a new one, as that of the installation. @throws Conflict for a malformed one */
    async reset(): Promise<void> {
      const { fingerprint, fault } = held();
      if (fault !== null)
        throw appError(
          "Conflict",
          `${fault}. Move the file away and repeat the command, which makes a new key.`,
        );
      if (fingerprint === null) make();
      await replaceKeyFingerprint(database, box.fingerprint()!);
    },
  };
}
