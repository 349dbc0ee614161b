/**
 * Gives files, and folders with all in them, to another owner, with shares, drop boxes and unfinished uploads. At most a
 * portion of entries moves in one transaction. A larger folder is in no tree while its contents follow in portions,
 * level by level; its bytes are reserved in the new owner's quota. A job of any process continues after a crash.
 */
import { tooDeep } from "./folders.service.ts";
import { gatherInside, type RemovalDeps } from "./removal.ts";
import { pagesAfter } from "../../lib/pages.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { checkFileName } from "../../lib/file-name.ts";
import { nullIfNoFolder, toFolderId, type TreeTransaction } from "./account-tree.ts";
import { type AccountSpace, type EntriesRepository, nameConflict } from "./entries.repository.ts";
import { type Entry, MOST_LEVELS, newFolder, refuseMirrored, ROOT, TRANSIT } from "./entry.ts";
import { remainingBytes } from "./space.ts";
import { freeNames } from "./free-name.ts";
import type { OwnersRepository } from "./owners.repository.ts";
import type { Moving, Transfer, TransfersRepository } from "./transfers.repository.ts";

type Between = { from: number; to: number };
/** A null `parentId` is the root of the new owner. Without a name the entry keeps its own. */
type GivenEntry = { kind: "folder" | "file"; id: number; name?: string | undefined; parentId: number | null };

type Deps = Pick<RemovalDeps, "tree" | "clock" | "logger"> & {
  entries: EntriesRepository;
  owners: OwnersRepository;
  repository: TransfersRepository;
  record: RecordEvents<Db>;
  /** Entries per transaction. */
  portion?: number;
};

export type Transfers = ReturnType<typeof createTransfers>;

const PORTION = 1_000;
const FOLDERS_AT_ONCE = 200;
const TRANSFERS_AT_ONCE = 100;

export function createTransfers(deps: Deps) {
  const { tree, entries, owners, repository, record, clock, portion = PORTION } = deps;
  const finish = createFinishing(deps);

  const gather = ({ db }: TreeTransaction, from: number, folderId: number): Promise<Moving[] | null> =>
    gatherInside(folderId, portion, (folders, limit) => repository.inside(db, from, folders, limit));

  /** @throws FileNotFound, FolderNotFound, NameConflict, BadRequest (too deep) */
  async function find(tx: TreeTransaction, { from, to }: Between, { kind, id, name, parentId }: GivenEntry) {
    const entry = await tree.entry(from, { kind, id }, tx.db);
    refuseMirrored(entry);
    const place = { parentId: toFolderId(parentId), name: name ?? entry.name };
    const above = await tree.writable(to, place.parentId, tx.db);
    const height = kind === "file" ? 0 : await entries.height(from, id, tx.db);
    if (above.length + height > MOST_LEVELS) throw tooDeep();
    if (await entries.isTaken(to, place.parentId, place.name, tx.db)) throw nameConflict(place.name);
    return { entry, place };
  }

  async function recordTransfer(
    tx: TreeTransaction,
    { from, to }: Between,
    entry: Entry,
    actor: Actor,
  ): Promise<void> {
    const [before, after] = [await owners.nameOf(from, tx.db), await owners.nameOf(to, tx.db)];
    const action = `${entry.kind}.transfer`;
    const facts = { id: entry.id };
    const event = { at: clock.now(), actor, action, subject: entry.name };
    await record(tx.db, [
      { ...event, before: { ...facts, owner: before }, after: { ...facts, owner: after } },
    ]);
  }

  return {
    /**
     * It is in its place when this resolves. @throws FileNotFound, FolderNotFound, InvalidName, NameConflict,
     * FileTooLargeForPolicy (over the quota), Conflict (another large folder of the owner is on its way), BadRequest
     */
    async give(between: Between, given: GivenEntry, actor: Actor): Promise<void> {
      const { from, to } = between;
      const name = given.name === undefined ? undefined : checkFileName(given.name);
      const isLarge = await tree.changeBoth(from, to, async (tx) => {
        const { entry, place } = await find(tx, between, { ...given, name });
        const inside = entry.kind === "file" ? [] : await gather(tx, from, entry.id);
        const size = entry.kind === "file" ? entry.size + entry.versionsBytes : 0;
        const bytes = inside ? sizeOf(inside) + size : await repository.bytesIn(tx.db, from, entry.id);
        if (bytes > remainingBytes(tx.space)) throw overQuota(tx.space, bytes);
        if (inside === null && (await repository.isMoving(tx.db, from, "from"))) throw transferUnderWay();
        await recordTransfer(tx, between, entry, actor);
        // Not yet under its name, which another entry of the new owner's root may have.
        await repository.intoTransit(tx.db, entry.id);
        await repository.move(tx.db, [entry.id, ...(inside ?? []).map(({ id }) => id)], between);
        await entries.countMove(tx.db, from);
        if (inside === null) {
          await repository.insert(tx.db, { entryId: entry.id, ...between, ...place, isWhole: false, bytes });
          return true;
        }
        await entries.addUsage(tx.db, from, -bytes);
        await entries.addUsage(tx.db, to, bytes);
        await repository.place(tx.db, entry.id, { ...place, updatedAt: clock.now() });
        await entries.countMove(tx.db, to);
        return false;
      });
      if (isLarge) await finish(given.id);
    },

    /**
     * All files of an owner that goes, in a folder of that name in the new one's root, with what is in the trash. Call
     * `finishAll` after the commit. @throws Conflict if the new owner's quota does not hold them
     */
    async giveAll(tx: { db: Db }, from: number, to: number, ownerName: string): Promise<void> {
      const space = await tree.lockBoth(tx.db, from, to);
      if (!(await repository.hasEntries(tx.db, from))) return;
      if (await repository.isMoving(tx.db, from, "either")) throw transferUnderWay();
      const { used: bytes } = await entries.lock(tx.db, from);
      const left = remainingBytes(space);
      if (bytes > left) {
        throw appError(
          "Conflict",
          `Its files have ${bytes} bytes, but the quota of the new owner leaves ${left}. Raise that quota, or delete files first.`,
          { field: "transfer_to" },
        );
      }
      const name = safeName(ownerName);
      const folder = newFolder(to, TRANSIT, crypto.randomUUID(), clock.now());
      const entryId = await entries.insert(tx.db, folder);
      await repository.insert(tx.db, { entryId, from, to, parentId: ROOT, name, isWhole: true, bytes });
    },

    /** Completes what is on its way. Failures are logged, and the job tries again. */
    async finishAll(signal?: AbortSignal): Promise<void> {
      const pages = pagesAfter(0, TRANSFERS_AT_ONCE, repository.unfinished, ({ entryId }) => entryId);
      for await (const found of pages) {
        for (const { entryId } of found) {
          signal?.throwIfAborted();
          await finish(entryId, signal).catch((err: unknown) => {
            if (signal?.aborted) throw err;
            deps.logger.error(
              { err, entry: entryId },
              "a folder did not reach its new owner; it will be tried again",
            );
          });
        }
      }
    },
  };
}

function createFinishing({ tree, entries, repository, clock, portion = PORTION }: Deps) {
  async function settle(tx: TreeTransaction, { entryId, to, parentId, name }: Transfer): Promise<void> {
    const place = await freePlace({ tree, entries }, tx, { id: entryId, accountId: to, parentId, name });
    await repository.place(tx.db, entryId, { ...place, updatedAt: clock.now() });
    await repository.remove(tx.db, entryId);
    await entries.countMove(tx.db, to);
  }

  /** The next entries to move, and the folders that may have more. */
  async function next(tx: TreeTransaction, transfer: Transfer, waiting: readonly number[]) {
    const { from } = transfer;
    if (waiting.length === 0 && transfer.isWhole) {
      const loose = await repository.fromRoot(tx.db, transfer, portion);
      const found = loose.length > 0 ? loose : await repository.fromTrash(tx.db, transfer, portion);
      if (found.length > 0) return { found, folders: [] };
    }
    const folders =
      waiting.length === 0
        ? await repository.frontier(tx.db, transfer, FOLDERS_AT_ONCE)
        : waiting.slice(0, FOLDERS_AT_ONCE);
    if (folders.length === 0) return null;
    return { found: await repository.inside(tx.db, from, folders, portion), folders };
  }

  /** Two processes may do it at once. */
  return async (id: number, signal?: AbortSignal): Promise<void> => {
    const first = await repository.find(id);
    if (first === null) return;
    const { from, to } = first;
    for (let waiting: number[] = []; ; ) {
      signal?.throwIfAborted();
      const moved = await tree.changeBoth(from, to, async (tx) => {
        const transfer = await repository.find(id, tx.db);
        if (transfer === null) return null;
        const portionOf = await next(tx, transfer, waiting);
        if (portionOf === null) {
          await settle(tx, transfer);
          return null;
        }
        const { found } = portionOf;
        if (found.length === 0) return portionOf;
        const ids = found.map((entry) => entry.id);
        await repository.move(tx.db, ids, { from, to });
        const size = sizeOf(found);
        await entries.addUsage(tx.db, from, -size);
        await entries.addUsage(tx.db, to, size);
        await repository.arrived(tx.db, transfer, size);
        return portionOf;
      });
      if (moved === null) return;
      const isDrained = moved.found.length < portion;
      const batch = waiting.length === 0 ? moved.folders : waiting;
      const rest = isDrained ? batch.slice(moved.folders.length) : batch;
      waiting = rest.concat(moved.found.filter(({ kind }) => kind === "folder").map((entry) => entry.id));
    }
  };
}

type Placed = { id: number; accountId: number; parentId: number; name: string };

/** Where a folder was to be, or else in the root, under a free name. */
export async function freePlace(
  { tree, entries }: Pick<Deps, "tree" | "entries">,
  tx: TreeTransaction,
  { id, accountId, parentId, name }: Placed,
): Promise<{ parentId: number; name: string }> {
  const above = await tree.folders(accountId, parentId, tx.db).catch(nullIfNoFolder);
  const height = above === null ? 0 : await entries.height(accountId, id, tx.db);
  const parent = above === null || above.length + height > MOST_LEVELS ? ROOT : parentId;
  const names = [{ parentId: parent, name, isNumbered: true }];
  const [free] = await freeNames(names, (folder, some) => entries.takenNames(tx.db, accountId, folder, some));
  return { parentId: parent, name: free! };
}

/** An account may have a name that no folder has. */
function safeName(name: string): string {
  try {
    return checkFileName(name);
  } catch (error) {
    if (error instanceof AppError) return `_${name}`;
    throw error;
  }
}

const sizeOf = (found: readonly Moving[]): number => found.reduce((sum, { size }) => sum + size, 0);

const transferUnderWay = () =>
  appError("Conflict", "A large folder of this owner is on its way to another one. Try again in a minute.");

const overQuota = ({ used, quota }: AccountSpace, bytes: number) =>
  appError(
    "FileTooLargeForPolicy",
    `It has ${bytes} bytes, but the new owner uses ${used} of its ${quota}. Delete files there, or ask for a larger quota.`,
    { field: "owner", details: { usedBytes: used, quotaBytes: quota } },
  );
