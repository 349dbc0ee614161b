/**
 * Folders, shares and files that an import from another product makes. They are as if uploaded, and remembered until the
 * move is confirmed, so that it can be undone. No mail and no event reports them.
 */
import type { Db } from "../../platform/db/dialect.ts";
import { AppError } from "../../lib/errors.ts";
import { openLocal } from "../local-file.ts";
import { dropName } from "../drops/drop-name.ts";
import type { TreeTransaction } from "../tree/account-tree.ts";
import type { EntriesRepository } from "../tree/entries.repository.ts";
import { newFolder, ROOT, type StoredFile } from "../tree/entry.ts";
import type { Files, FilesDeps } from "../tree/files.service.ts";
import { remainingBytes } from "../tree/space.ts";
import { freeNames } from "../tree/free-name.ts";
import type { Uploads } from "../uploads/service.ts";
import type { MovedPlace, MovedRepository } from "./repository.ts";
import type { Actor } from "../../lib/actor.ts";
import { resolve } from "node:path";
import { readDiskSpace } from "../../lib/disk-check.ts";

export type MovedFiles = ReturnType<typeof createMovedFiles>;

/** An address and a name in lower case. */
export type MovedOwner = { email: string; name: string };

type Deps = Pick<FilesDeps, "tree" | "removal" | "clock"> & {
  repository: MovedRepository;
  entries: EntriesRepository;
  uploads: Uploads;
  files: Files;
  dataDir: string;
};

/** The built-in administrator. */
const ADMINISTRATOR = 0;

export function createMovedFiles(deps: Deps) {
  const { repository, tree, entries, uploads, files, clock } = deps;

  /** Makes folders, in a transaction that has the tree of the account. Names that are taken get a number. */
  async function insert(
    tx: Db,
    importId: number,
    folders: readonly { accountId: number; parentId: number; name: string }[],
  ): Promise<number[]> {
    const [first] = folders;
    if (first === undefined) return [];
    const names = await freeNames(
      folders.map((folder) => ({ ...folder, name: dropName(folder.name), isNumbered: true })),
      (parentId, some) => entries.takenNames(tx, first.accountId, parentId, some),
    );
    const now = clock.now();
    const rows = folders.map(({ accountId, parentId }, at) =>
      newFolder(accountId, parentId, names[at]!, now),
    );
    const ids = await entries.insertAll(tx, rows);
    await repository.remember(
      tx,
      importId,
      now,
      rows.map(({ parentId }, at) => ({ id: ids[at]!, parentId })),
    );
    return ids;
  }

  return {
    addShares: repository.addShares,
    changedShares: repository.changedShares,
    placeOf: repository.placeOf,

    /** Who gets what they had: the account with that address or name, else the administrator. */
    async accountsOf(owners: readonly (MovedOwner | null)[], db?: Db): Promise<number[]> {
      const known = owners.filter((owner) => owner !== null);
      const found = await repository.accounts(
        [...new Set(known.map(({ email }) => email))],
        [...new Set(known.map(({ name }) => name))],
        db,
      );
      return owners.map(
        (owner) =>
          (owner === null ? undefined : (found.get(owner.email) ?? found.get(owner.name))) ?? ADMINISTRATOR,
      );
    },

    /** One folder for each, in one of the product in the root of its account. Locks their trees. */
    async makeFolders(
      tx: Db,
      importId: number,
      product: string,
      given: readonly { accountId: number; name: string }[],
    ): Promise<number[]> {
      const made: number[] = [];
      const places = given.map((folder, at) => ({ ...folder, at }));
      const accounts = [...Map.groupBy(places, ({ accountId }) => accountId)].sort(([a], [b]) => a - b);
      for (const [accountId, folders] of accounts) {
        await tree.lock(tx, accountId);
        const parentId =
          (await repository.topIn(tx, importId, accountId)) ??
          (await insert(tx, importId, [{ accountId, parentId: ROOT, name: product }]))[0]!;
        const ids = await insert(
          tx,
          importId,
          folders.map(({ name }) => ({ accountId, parentId, name })),
        );
        for (const [index, { at }] of folders.entries()) made[at] = ids[index]!;
      }
      return made;
    },

    /** Asks file after file whether it would fit in. */
    planRoom: () => planRoom(deps),

    /**
     * Stores the file at a path of this machine. `alongside` runs in the transaction that makes it. Returns why it can't
     * be stored. @throws errors of the file system, of the storage, and of `alongside`
     */
    async add(
      { accountId, folderId }: MovedPlace,
      importId: number,
      { path, name: given, modifiedAt }: { path: string; name: string; modifiedAt?: number | undefined },
      alongside: (tx: Db, file: StoredFile) => Promise<void>,
    ): Promise<string | null> {
      const source = await openLocal(path, false);
      try {
        const destination = await uploads.destination(accountId, folderId);
        uploads.checkSize(destination, source.size);
        const name = dropName(given);
        const incoming = { name, mimeType: undefined, body: source.bytes(), isNumbered: true };
        const { mimeType, stored } = await uploads.receive(destination, incoming);
        const times = { modifiedAt: modifiedAt ?? source.modifiedAt };
        const file = { accountId, parentId: folderId, name, mimeType, isNumbered: true, ...times };
        await files.add(file, stored, {
          async alongside({ db }: TreeTransaction, added) {
            await repository.remember(db, importId, added.updatedAt, [{ id: added.id, parentId: folderId }]);
            await alongside(db, added);
          },
        });
        return null;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (error.kind === "too_large") return TOO_LARGE;
        if (error.name === "FolderNotFound" || error.name === "Unauthorized")
          return "Its folder or its owner is gone.";
        throw error;
      } finally {
        await source.close();
      }
    },

    undoSome: createMovedUndo(deps),
  };
}

const AT_ONCE = 100;
/** The owner of folders that are gone. */
const ANYONE = 0;

function createMovedUndo({ repository, removal }: Deps) {
  /**
   * Removes folders that are as the move left them, and forgets the others. `report` runs in the transaction, with the
   * number of files and the names of folders that stay because of what is in them. False: nothing is left.
   */
  return async function undoSome(
    importId: number,
    actor: Actor,
    report: (tx: Db, done: { files: number; kept: readonly string[] }) => Promise<void>,
  ): Promise<boolean> {
    const found = await repository.next(importId, AT_ONCE);
    if (found.length === 0) return false;
    const accountId = found.find((folder) => folder.accountId !== null)?.accountId ?? ANYONE;
    const mine = found.filter((folder) => folder.accountId === accountId || folder.accountId === null);
    const ids = mine.map(({ id }) => id);
    const pick = async ({ db }: TreeTransaction) => {
      const unchanged = await repository.unchanged(db, importId, ids);
      const shared = await repository.shared(db, importId, ids);
      const going = ids.filter((id) => unchanged.has(id) && !shared.has(id));
      const kept = mine.filter(
        ({ id, parentId }) => parentId !== ROOT && !unchanged.has(id) && !shared.has(id),
      );
      await report(db, {
        files: going.reduce((sum, id) => sum + unchanged.get(id)!, 0),
        kept: kept.flatMap(({ name }) => name ?? []),
      });
      await repository.forget(db, importId, ids);
      return going.map((id) => ({ id, kind: "folder" as const, blobId: null, size: 0, versionsBytes: 0 }));
    };
    await removal.picked(accountId, pick, { actor });
    return true;
  };
}

export const TOO_LARGE = "It is larger than its storage policy or the quota of its owner allows.";

/** Asks file after file whether it would fit in. Returns why not. */
export function planRoom({ uploads, dataDir }: { uploads: Pick<Uploads, "destination">; dataDir: string }) {
  const accounts = new Map<number, Promise<{ left: number; largest: number; disk: { left: number } }>>();
  const disks = new Map<number, { left: number }>();
  async function roomOf(accountId: number) {
    const { policy, space } = await uploads.destination(accountId, null);
    const disk = disks.getOrInsertComputed(policy.id, () => ({ left: Number.POSITIVE_INFINITY }));
    if (policy.driverType === "local" && disk.left === Number.POSITIVE_INFINITY) {
      const folder = resolve(dataDir, policy.basePath);
      const found = (await readDiskSpace(folder)) ?? (await readDiskSpace(dataDir));
      disk.left = found?.freeBytes ?? disk.left;
    }
    return { left: remainingBytes(space), largest: policy.maxFileSize || Number.POSITIVE_INFINITY, disk };
  }
  return async (accountId: number, bytes: number): Promise<string | null> => {
    const room = await accounts.getOrInsertComputed(accountId, () => roomOf(accountId));
    if (bytes > room.largest || bytes > room.left) return TOO_LARGE;
    if (bytes > room.disk.left) return "The disk of the storage has no room for it.";
    room.left -= bytes;
    room.disk.left -= bytes;
    return null;
  };
}
