/**
 * Copies files, and folders with all in them, within a tree. Copies share the stored content of their originals. The
 * first transaction notes what the folder has and counts the bytes; then entries follow in portions, level by level. The
 * copy is in no tree until it is complete. What is renamed or moved meanwhile is copied as it was noted, what is
 * deleted is left out. A job of any process continues after a crash.
 */
import { pagesAfter } from "../../lib/pages.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { isUnavailable } from "../../platform/db/failures.ts";
import type { Actor } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { fault } from "../../lib/fault.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { toFolderId, type TreeTransaction } from "./account-tree.ts";
import type { CopiesRepository, CopyItem, Copying } from "./copies.repository.ts";
import { nameConflict } from "./entries.repository.ts";
import {
  type Entry,
  type Folder,
  isLinked,
  MOST_LEVELS,
  newFolder,
  type StoredFile,
  TRANSIT,
} from "./entry.ts";
import { overQuota, remainingBytes } from "./space.ts";
import { tooDeep } from "./folders.service.ts";
import { freeNames } from "./free-name.ts";
import type { RemovalDeps } from "./removal.ts";
import { freePlace } from "./transfers.ts";
import type { TransfersRepository } from "./transfers.repository.ts";

export type CopyRequest = {
  kind: Entry["kind"];
  id: number;
  /** The target folder, or null for the root; absent: the folder of the original. */
  parentId?: number | null | undefined;
  /** Absent: that of the original, with a number if it is taken. */
  name?: string | undefined;
  /** False: a folder without its contents. */
  isDeep?: boolean;
};

type Deps = Pick<RemovalDeps, "tree" | "entries" | "blobs" | "clock" | "logger" | "removal"> & {
  repository: CopiesRepository;
  transfers: Pick<TransfersRepository, "place">;
  record: RecordEvents<Db>;
  /** Entries per transaction. */
  portion?: number;
  /** Entries of a copy. */
  most?: number;
};

export type Copies = ReturnType<typeof createCopies>;

const PORTION = 1_000;
const MOST_COPIED = 100_000;
const COPIES_AT_ONCE = 100;

export function createCopies(deps: Deps) {
  const { tree, entries, repository, blobs, record, clock, portion = PORTION, most = MOST_COPIED } = deps;
  const { step, finish, giveUp } = createFinishing(deps);

  /** @throws FileNotFound, FolderNotFound, InvalidName, NameConflict, FolderCycle, BadRequest */
  async function find(tx: TreeTransaction, accountId: number, request: CopyRequest) {
    const source = await tree.entry(accountId, request, tx.db);
    const parentId = request.parentId === undefined ? source.parentId : toFolderId(request.parentId);
    const above = await tree.writable(accountId, parentId, tx.db);
    if (above.some(({ id }) => id === source.id)) {
      throw appError("FolderCycle", "A folder can't be copied into itself or into a folder inside it.");
    }
    if (isLinked(source)) throw notCopied();
    const isNumbered = request.name === undefined;
    const named = { parentId, name: request.name ?? source.name, isNumbered };
    const takenIn = (folder: number, some: readonly string[]) =>
      entries.takenNames(tx.db, accountId, folder, some);
    const [name] = await freeNames([named], takenIn);
    if (!isNumbered && (await entries.isTaken(accountId, parentId, name!, tx.db))) throw nameConflict(name!);
    return { source, place: { parentId, name: name! }, levels: above.length };
  }

  async function copyFile(
    tx: TreeTransaction,
    source: StoredFile,
    place: { parentId: number; name: string },
  ) {
    if (remainingBytes(tx.space) < source.size) throw overQuota(tx.space);
    const now = clock.now();
    const { id: _, ...copied } = { ...source, ...place, createdAt: now, updatedAt: now };
    const id = await entries.insert(tx.db, copied);
    await blobs.retain(tx.db, [source.blobId]);
    await entries.addUsage(tx.db, source.accountId, source.size);
    await repository.copyProperties(tx.db, new Map([[source.id, id]]));
    return id;
  }

  /** Notes what is to be copied. Returns the copy and the number of entries. */
  async function begin(tx: TreeTransaction, source: Folder, place: Begun) {
    const { accountId } = source;
    const now = clock.now();
    const { id: _, ...copied } = { ...source, parentId: TRANSIT, createdAt: now, updatedAt: now };
    const entryId = await entries.insert(tx.db, { ...copied, name: crypto.randomUUID() });
    await repository.noteItems(tx.db, entryId, { source, most, isDeep: place.isDeep });
    const { count, bytes, height } = await repository.totals(tx.db, entryId);
    if (count > most) throw tooMany(most);
    if (await repository.hasLinked(tx.db, entryId)) throw notCopied();
    if (place.levels + height > MOST_LEVELS) throw tooDeep();
    if (remainingBytes(tx.space) < bytes) throw overQuota(tx.space);
    await entries.addUsage(tx.db, accountId, bytes);
    await repository.copyProperties(tx.db, new Map([[source.id, entryId]]));
    const { parentId, name } = place;
    const start = { level: 1, sourceId: 0, lastId: entryId };
    await repository.insert(tx.db, { entryId, accountId, parentId, name, bytes, ...start });
    return { entryId, count };
  }

  async function recordCopy(tx: TreeTransaction, source: Entry, id: number, name: string, actor: Actor) {
    const event = { at: clock.now(), actor, action: `${source.kind}.copy`, subject: source.name };
    await record(tx.db, [{ ...event, before: { id: source.id }, after: { id, name } }]);
  }

  return {
    /**
     * The copy is in its place when this resolves with its id. @throws FileNotFound, FolderNotFound, InvalidName,
     * NameConflict, FolderCycle, BadRequest (too deep, too many), FileTooLargeForPolicy (over the quota)
     */
    async copy(accountId: number, given: CopyRequest, actor: Actor): Promise<number> {
      const name = given.name === undefined ? undefined : checkFileName(given.name);
      const { id, isLarge } = await tree.change(accountId, async (tx) => {
        const { source, place, levels } = await find(tx, accountId, { ...given, name });
        if (source.kind === "file") {
          const copyId = await copyFile(tx, source, place);
          await recordCopy(tx, source, copyId, place.name, actor);
          return { id: copyId, isLarge: false };
        }
        const begun = await begin(tx, source, { ...place, levels, isDeep: given.isDeep ?? true });
        await recordCopy(tx, source, begun.entryId, place.name, actor);
        const isSmall = begun.count <= portion;
        fault("copy.noted");
        if (isSmall) await step(tx, begun.entryId);
        return { id: begun.entryId, isLarge: !isSmall };
      });
      if (!isLarge) return id;
      fault("copy.begun");
      try {
        await finish(id);
      } catch (error) {
        if (!isUnavailable(error)) await giveUp(accountId, id);
        throw error;
      }
      return id;
    },

    /** Completes what is not. A copy that can't be completed is removed. Run it every minute. */
    async finishAll(signal?: AbortSignal): Promise<void> {
      const pages = pagesAfter(0, COPIES_AT_ONCE, repository.unfinished, ({ entryId }) => entryId);
      for await (const found of pages) {
        for (const { entryId, accountId } of found) {
          signal?.throwIfAborted();
          await finish(entryId, signal).catch(async (err: unknown) => {
            if (signal?.aborted || isUnavailable(err)) throw err;
            deps.logger.error(
              { err, entry: entryId },
              "a folder can't be copied; what was copied is removed",
            );
            await giveUp(accountId, entryId);
          });
        }
      }
    },
  };
}

type Begun = { parentId: number; name: string; levels: number; isDeep: boolean };

function createFinishing({ tree, entries, repository, transfers, removal, blobs, clock, ...deps }: Deps) {
  const { portion = PORTION } = deps;

  /** Items of one level. Returns the ids of the copies by parent and name. */
  async function insertCopies(
    tx: TreeTransaction,
    { accountId, lastId }: Copying,
    copies: readonly Copied[],
  ) {
    if (copies.length === 0) return new Map<string, number>();
    await entries.insertMany(
      tx.db,
      copies.map(({ copy }) => copy),
    );
    await blobs.retain(
      tx.db,
      copies.flatMap(({ copy }) => (copy.kind === "file" ? copy.blobId : [])),
    );
    const parents = new Set(copies.map(({ copy }) => copy.parentId));
    return repository.idsIn(tx.db, accountId, [...parents], lastId);
  }

  /** Copies items of one level. Returns the next place and by how much the sources have grown. */
  async function copyItems(tx: TreeTransaction, copying: Copying, items: readonly CopyItem[]) {
    const { entryId, accountId, level } = copying;
    const around = [...new Set(items.map(({ parentId }) => parentId))];
    const parents = await repository.copiesOf(tx.db, entryId, level - 1, around);
    const ids = items.map(({ sourceId }) => sourceId);
    const sources = await repository.sources(tx.db, accountId, ids);
    const now = clock.now();
    const copies = items.flatMap((item): Copied[] => {
      const source = sources.get(item.sourceId);
      const parentId = parents.get(item.parentId)!;
      const place = { name: item.name, parentId, createdAt: now, updatedAt: now };
      if (source !== undefined) return [{ item, copy: { ...source, ...place } }];
      // What was in it may have been moved out of it.
      const isFolder = item.kind === "folder";
      return isFolder ? [{ item, copy: newFolder(accountId, parentId, item.name, now) }] : [];
    });
    const made = await insertCopies(tx, copying, copies);
    const copyIds = new Map(
      copies.map(({ item, copy }) => [item.sourceId, made.get(`${copy.parentId}/${copy.name}`)!]),
    );
    const folders = items.filter(({ kind }) => kind === "folder");
    await repository.noteCopies(
      tx.db,
      folders.map(({ id, sourceId }) => ({ id, copy_id: copyIds.get(sourceId)! })),
    );
    // Nothing is below files. All at once at the end would keep others waiting.
    const files = items.filter(({ kind }) => kind === "file").map(({ id }) => id);
    await repository.removeItems(tx.db, files);
    await repository.copyProperties(tx.db, copyIds);
    const noted = sizeOf(items);
    const growth = sizeOf(copies.map(({ copy }) => ({ size: copy.kind === "file" ? copy.size : 0 }))) - noted;
    const bytes = copying.bytes - noted;
    const lastId = Math.max(copying.lastId, ...copyIds.values());
    return { next: { ...copying, bytes, sourceId: items.at(-1)!.sourceId, lastId }, growth };
  }

  async function settle(tx: TreeTransaction, { entryId: id, ...copying }: Copying): Promise<void> {
    const place = await freePlace({ tree, entries }, tx, { ...copying, id });
    await transfers.place(tx.db, id, { ...place, updatedAt: clock.now() });
    await entries.countMove(tx.db, copying.accountId);
    await repository.remove(tx.db, id);
    fault("copy.placed");
  }

  /** Copies a portion. False when the copy is complete, or gone. @throws Unauthorized if the account is gone */
  async function step(tx: TreeTransaction, id: number): Promise<boolean> {
    const found = await repository.find(id, tx.db);
    if (found === null) return false;
    const room = remainingBytes(tx.space);
    let copying = found;
    let grown = 0;
    let emptyLevels = 0;
    for (let left = portion; left > 0 && emptyLevels < 2; ) {
      const items = await repository.items(tx.db, copying, left);
      emptyLevels = items.length === 0 ? emptyLevels + 1 : 0;
      if (items.length === 0) {
        if (emptyLevels === 1) copying = nextLevel(copying);
        continue;
      }
      const { next, growth } = await copyItems(tx, copying, items);
      copying = next;
      grown += growth;
      left -= items.length;
    }
    if (grown > room) throw overQuota(tx.space);
    await entries.addUsage(tx.db, copying.accountId, grown);
    if (emptyLevels === 2) await settle(tx, copying);
    else await repository.advance(tx.db, copying);
    return emptyLevels < 2;
  }

  return {
    step,

    /** Two processes may do it at once. */
    async finish(id: number, signal?: AbortSignal): Promise<void> {
      const found = await repository.find(id);
      if (found === null) return;
      while (await tree.change(found.accountId, (tx) => step(tx, id))) {
        fault("copy.portion");
        signal?.throwIfAborted();
      }
    },

    /** What was copied is removed like a deleted folder. */
    giveUp: (accountId: number, id: number): Promise<void> =>
      tree.change(accountId, async ({ db }) => {
        const copying = await repository.find(id, db);
        if (copying === null) return;
        await entries.addUsage(db, accountId, -copying.bytes);
        await repository.remove(db, id);
        await removal.detach(db, accountId, [id]);
      }),
  };
}

const nextLevel = (copying: Copying): Copying => ({ ...copying, level: copying.level + 1, sourceId: 0 });

type Copied = { item: CopyItem; copy: Omit<Folder, "id"> | Omit<StoredFile, "id"> };

const sizeOf = (some: readonly { size: number }[]): number => some.reduce((sum, { size }) => sum + size, 0);

const tooMany = (most: number) =>
  appError("BadRequest", `A copy has at most ${most} entries; copy the folders inside one by one.`);

const notCopied = () =>
  appError("Forbidden", "A folder that lies on the server can't be copied here. Download it instead.");
