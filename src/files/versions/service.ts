/**
 * Former contents of files (replacing.ts makes them). They do not change: restoring one gives the file its content
 * again, and what was there becomes a version. A job deletes those that are too old.
 */
import { appError } from "../../lib/errors.ts";
import type { Blobs } from "../blobs/service.ts";
import type { RemovalDeps } from "../tree/removal.ts";
import type { TreeTransaction } from "../tree/account-tree.ts";
import type { StoredFile } from "../tree/entry.ts";
import { createOverwriting, type OverwritingDeps } from "./overwriting.ts";
import { createReplacing, type VersionLimits } from "./replacing.ts";
import type { FileVersion, VersionsRepository } from "./repository.ts";

const DAY_MS = 86_400_000;
/** Versions of a step of the job. */
const PORTION = 500;

type Deps = OverwritingDeps &
  Pick<RemovalDeps, "entries"> & {
    versions: VersionsRepository;
    blobs: Pick<Blobs, "release" | "retain" | "discard">;
    limits: VersionLimits;
  };

export type Versions = ReturnType<typeof createVersions>;

export function createVersions(deps: Deps) {
  const { tree, entries, versions, blobs, limits, clock } = deps;
  const replace = createReplacing({ ...deps, repository: entries });

  type Removed = { id: number; entryId: number; blobId: number; size: number };

  /** Returns what to discard after the commit. */
  async function remove({ db }: TreeTransaction, accountId: number, gone: readonly Removed[]) {
    await versions.remove(
      db,
      gone.map(({ id }) => id),
    );
    for (const [fileId, some] of Map.groupBy(gone, ({ entryId }) => entryId)) {
      await versions.addBytes(db, fileId, -sizeOf(some));
    }
    await entries.addUsage(db, accountId, -sizeOf(gone));
    return blobs.release(
      db,
      gone.map(({ blobId }) => blobId),
    );
  }

  /** @throws FileNotFound, NotFound */
  async function find(accountId: number, fileId: number, id: number, tx?: TreeTransaction) {
    const file = await tree.file(accountId, fileId, tx?.db);
    const version = Number.isSafeInteger(id) ? await versions.find(fileId, id, tx?.db) : null;
    if (version === null) throw appError("NotFound", "The file has no such version.");
    return { file, version };
  }

  return {
    replace,
    overwriting: createOverwriting(deps, replace),

    /** Newest first. @throws FileNotFound */
    async list(accountId: number, fileId: number): Promise<FileVersion[]> {
      const { versionsBytes } = await tree.file(accountId, fileId);
      return versionsBytes > 0 ? versions.of(fileId) : [];
    },

    /** The file as it was, for a download. @throws FileNotFound, NotFound */
    async fileAt(accountId: number, fileId: number, id: number): Promise<StoredFile> {
      const { file, version } = await find(accountId, fileId, id);
      const { blobId, size, sha256, mimeType, modifiedAt, createdAt, createdBy } = version;
      return { ...file, blobId, size, sha256, mimeType, modifiedAt, createdAt, createdBy };
    },

    /** The version stays. @throws FileNotFound, NotFound, FileTooLargeForPolicy (over the quota) */
    async restore(accountId: number, fileId: number, id: number, createdBy: string): Promise<StoredFile> {
      const { file, dead } = await tree.change(accountId, async (tx) => {
        const { file: former, version } = await find(accountId, fileId, id, tx);
        const { blobId, size, sha256, mimeType, modifiedAt } = version;
        if (sha256 === former.sha256) return { file: former, dead: [] };
        await blobs.retain(tx.db, [blobId]);
        return replace(tx, former, { blobId, size, sha256, mimeType, modifiedAt, createdBy });
      });
      await blobs.discard(dead);
      return file;
    },

    /** @throws FileNotFound, NotFound */
    async remove(accountId: number, fileId: number, id: number): Promise<void> {
      const dead = await tree.change(accountId, async (tx) => {
        const { version } = await find(accountId, fileId, id, tx);
        return remove(tx, accountId, [version]);
      });
      await blobs.discard(dead);
    },

    /** Deletes those that are too old. Run it every minute. */
    async cleanUp(signal: AbortSignal): Promise<void> {
      for (;;) {
        signal.throwIfAborted();
        const due = await versions.due(clock.now() - limits.days() * DAY_MS, PORTION);
        for (const [accountId, some] of Map.groupBy(due, (one) => one.accountId)) {
          const ids = some.map(({ id }) => id);
          const dead = await tree.change(accountId, async (tx) =>
            remove(tx, accountId, await versions.still(tx.db, accountId, ids)),
          );
          await blobs.discard(dead);
        }
        if (due.length < PORTION) return;
      }
    },
  };
}

const sizeOf = (some: readonly { size: number }[]): number => some.reduce((sum, { size }) => sum + size, 0);
