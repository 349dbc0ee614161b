/**
 * The storage part of the doctor. Files and versions have a blob each, with its facts. A blob counts them, and has some
 * unless it is dead. Every other blob has an object of its size, and every object a blob.
 *
 * It may run beside a server: it looks twice before it reports, counts under the row's lock, and skips young uploads
 * and dead blobs. Objects and rows are compared by ranges of keys, so memory stays flat.
 *
 * `fix` corrects counts, removes left-overs, marks blobs without bytes as damaged, and repairs damaged blobs whose
 * object is sound again or whose content is stored once more. `createLostFiles` does the rest.
 */
import { pagesAfter } from "../../lib/pages.ts";
import { AppError, messageOf } from "../../lib/errors.ts";
import { isStorageFailure } from "../storage/storage-failure.ts";
import type { StoredBlob } from "../blobs/repository.ts";
import type { Drivers, PolicyCache } from "../policies/drivers.ts";
import {
  type CheckMeter,
  finding,
  type MoveToTrash,
  type StorageCheck,
  type StorageFinding,
} from "./storage-report.ts";
import { type BlobFixDeps, createBlobFixes } from "./storage-fixes.ts";
import type { FolderPath, PathsRepository } from "../tree/paths.repository.ts";
import type { StorageCheckRepository } from "./storage.repository.ts";
import type { LeftOvers } from "../blobs/left-overs.ts";
import type { AgeLimits, Reaper } from "../blobs/reaper.ts";
import type { Driver, StoredObject } from "../storage/driver.ts";

type StorageCheckDeps = ObjectCheckDeps &
  LostFilesDeps & {
    policies: PolicyCache;
    checkTrees: StorageCheck;
  };

type Options = Parameters<StorageCheck>[0];

const PAGE = 1_000;

export function createStorageCheck(deps: StorageCheckDeps): StorageCheck {
  const { checks, policies } = deps;
  const fixes = createBlobFixes(deps);
  const lost = createLostFiles(deps);
  /** Blobs whose loss this run reported. */
  const reported = new Set<number>();
  const { checkStorage, openStorage, filesOf } = createObjectCheck(deps, reported);
  /** The refusals of this run by policy. */
  const refusals = new Map<number, string | null>();

  async function* checkHolders(find: typeof checks.oddFiles, what: string): AsyncGenerator<StorageFinding> {
    for await (const page of pagesAfter(0, PAGE, find, ({ id }) => id)) {
      for (const { id, accountId, name, blobId } of page) {
        const [still] = await find(id - 1, 1);
        if (still?.id !== id) continue;
        const message = `${what} '${name}' (${id} of account ${accountId}) does not match its content (blob ${blobId}).`;
        yield { problem: "odd_file", message, fixed: false };
      }
    }
  }

  /** Counts, and known damage. */
  async function* checkBlobs(options: Options, meter: CheckMeter): AsyncGenerator<StorageFinding> {
    const { fix, signal } = options;
    let isEmpty = true;
    for await (const page of pagesAfter(0, PAGE, checks.blobs, ({ id }) => id)) {
      const holders = await checks.holders(page[0]!.id, page.at(-1)!.id);
      for (const blob of page) {
        signal?.throwIfAborted();
        const held = holders.get(blob.id) ?? 0;
        const isOdd = held !== blob.refs || (held === 0) !== (blob.state === "dead");
        if (isOdd) yield* fixes.checkCount(blob.id, fix);
        if (blob.state === "damaged" && held > 0 && !reported.has(blob.id)) yield* damaged(blob, options);
      }
      meter("contents", page.length);
      isEmpty = false;
    }
    if (isEmpty) meter("contents", 0);
  }

  async function* damaged(blob: StoredBlob, options: Options): AsyncGenerator<StorageFinding> {
    const files = await filesOf(blob.id);
    const condition = options.fix ? await fixes.repair(blob, options.signal) : null;
    let isMoved = false;
    if (condition === "missing") {
      for await (const found of moveLost(blob, options)) {
        isMoved ||= found.fixed;
        yield found;
      }
    }
    const fixed = condition === "sound";
    const areTrashed = !fixed && (await lost.areAllTrashed(blob.id));
    if (isMoved && areTrashed) return;
    const problem = areTrashed ? "trashed_content" : "damaged_blob";
    const where = areTrashed ? " Only the trash, or former contents of files, have it." : "";
    yield { problem, message: `Blob ${blob.id} is damaged${files}.${where}`, fixed };
  }

  async function* moveLost(
    { id, policyId }: StoredBlob,
    { toTrash, isAllLost = false, signal }: Options,
  ): AsyncGenerator<StorageFinding> {
    if (toTrash === undefined) return;
    if (!refusals.has(policyId)) {
      const refusal = await lost.refusal(policyId, isAllLost);
      refusals.set(policyId, refusal);
      if (refusal !== null) yield finding("unlikely_loss", refusal, false);
    }
    if (refusals.get(policyId) === null) yield* lost.move(id, toTrash, signal);
  }

  async function createMeter({ onProgress }: Options): Promise<CheckMeter> {
    if (onProgress === undefined) return () => {};
    const total = await checks.countBlobs();
    const done = { objects: 0, contents: 0 };
    // Blobs without files may have lost their objects.
    return (step, more) => onProgress(step, Math.min((done[step] += more), total), total);
  }

  return async function* (options) {
    const { fix, signal } = options;
    reported.clear();
    refusals.clear();
    yield* deps.checkTrees(options);
    yield* checkHolders(checks.oddFiles, "File");
    yield* checkHolders(checks.oddVersions, "A version of the file");
    const meter = await createMeter(options);
    for (const { id, name } of await policies.list()) {
      try {
        yield* checkStorage(id, await openStorage(id, fix), options, meter);
      } catch (error) {
        signal?.throwIfAborted();
        if (!isStorageFailure(error)) throw error;
        yield finding(
          "storage_unavailable",
          `Policy '${name}' could not be checked: ${messageOf(error)}`,
          false,
        );
      }
    }
    yield* checkBlobs(options, meter);
  };
}

type LostFilesDeps = {
  checks: StorageCheckRepository;
  paths: PathsRepository;
  /** Writes, reads and removes an object. */
  probe(policyId: number): Promise<void>;
};

/**
 * Files whose content is gone, as after a dump of the database that does not match the backup of the storage. They go
 * to the trash, which keeps their names and places, unless so much is missing that the storage may not be mounted.
 */
function createLostFiles({ checks, paths, probe }: LostFilesDeps) {
  /** Files outside of the trash, by id. */
  async function* visible(blobId: number): AsyncGenerator<{ id: number; accountId: number }> {
    const find = (after: number, limit: number) => checks.holdersAfter(blobId, after, limit);
    for await (const page of pagesAfter(0, PAGE, find, ({ id }) => id)) {
      for (const [accountId, files] of Map.groupBy(page, (file) => file.accountId)) {
        const folders = await paths.pathsOf(
          accountId,
          files.map(({ parentId }) => parentId),
        );
        yield* files.filter(({ parentId }) => folders.has(parentId));
      }
    }
  }

  return {
    areAllTrashed: async (blobId: number): Promise<boolean> => {
      for await (const _ of visible(blobId)) return false;
      return true;
    },

    /** Why the files of this policy must stay, as a sentence; null: they may go. */
    async refusal(policyId: number, isAll: boolean): Promise<string | null> {
      try {
        await probe(policyId);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return `Files of policy ${policyId} without content stay in place, because its storage failed a test: ${messageOf(error)}`;
      }
      const { damaged, total } = await checks.damage(policyId);
      if (isAll || damaged * 2 <= total) return null;
      return `${damaged} of ${total} contents of policy ${policyId} are missing or damaged, so its storage does not look like the one that was used: their files stay in place.`;
    },

    async *move(blobId: number, toTrash: MoveToTrash, signal?: AbortSignal): AsyncGenerator<StorageFinding> {
      for await (const { id, accountId } of visible(blobId)) {
        signal?.throwIfAborted();
        const moved = await toTrash(accountId, id, blobId).catch((error: unknown) => {
          if (error instanceof AppError && error.name === "FileNotFound") return null;
          throw error;
        });
        if (moved === null) continue;
        const { name, path, size } = moved;
        const message = `The content of '${pathOf(path, name)}' (file ${id} of account ${accountId}, ${size} bytes) is lost.`;
        yield { problem: "lost_content", message, fixed: true };
      }
    },
  };
}

const pathOf = (folders: FolderPath | null, name: string): string =>
  `/${[...(folders ?? []), { name }].map((one) => one.name).join("/")}`;

type ObjectCheckDeps = BlobFixDeps & {
  drivers: Drivers;
  leftOvers: LeftOvers;
  reaper: Reaper;
};

const MOST_FILES_NAMED = 20;
const SAMPLE = 20;

/**
 * Compares the objects of a storage with the blobs, by ranges of keys.
 * @param reported gets the blobs whose loss it reports
 */
function createObjectCheck(deps: ObjectCheckDeps, reported: Set<number>) {
  const { repository, checks, drivers, leftOvers, reaper, clock } = deps;
  const fixes = createBlobFixes(deps);

  const filesOf = async (blobId: number): Promise<string> => {
    const files = await checks.filesOf(blobId, MOST_FILES_NAMED);
    return files.length === 0 ? "" : `; it is the content of ${files.join(", ")}`;
  };

  async function* checkStorage(
    policyId: number,
    driver: Driver,
    options: Options,
    meter: CheckMeter,
  ): AsyncGenerator<StorageFinding> {
    const { fix, signal } = options;
    const limits = await reaper.ageLimits(driver);
    let after = "";
    for await (const objects of inLargePages(driver.listObjects())) {
      signal?.throwIfAborted();
      const through = objects.at(-1)!.key;
      yield* checkRange(policyId, driver, { after, through, objects, limits }, options);
      meter("objects", objects.length);
      after = through;
    }
    yield* checkRange(policyId, driver, { after, through: null, objects: [], limits }, options);
    for await (const page of leftOvers.list(driver, await leftOvers.look())) {
      for (const { id, size } of page) {
        if (fix) await driver.removeStaging(id);
        const message = `An interrupted upload (${id}) has left ${size} bytes in policy ${policyId}.`;
        yield finding("stale_staging", message, fix);
      }
    }
    if (fix) await reaper.finishDeletes(policyId, signal && { signal });
  }

  async function* checkRange(
    policyId: number,
    driver: Driver,
    range: KeyRange,
    options: Options,
  ): AsyncGenerator<StorageFinding> {
    const sizes = new Map(range.objects.map(({ key, size }) => [key, size]));
    const find = (after: string, limit: number) => checks.blobsBetween(policyId, after, range.through, limit);
    for await (const blobs of pagesAfter(range.after, PAGE, find, ({ objectKey }) => objectKey)) {
      for (const blob of blobs) {
        if (blob.state === "live" && sizes.get(blob.objectKey) !== blob.size)
          yield* checkObject(blob, driver, options);
      }
    }
    for (const key of await reaper.orphansAmong(range.objects, range.limits)) {
      if (options.fix) await driver.remove(key);
      yield finding("orphan_object", `Object ${key} of policy ${policyId} belongs to no blob.`, options.fix);
    }
  }

  /** The object seemed missing or of another size. */
  async function* checkObject(
    { id, objectKey, size }: StoredBlob,
    driver: Driver,
    { fix, toTrash }: Options,
  ): AsyncGenerator<StorageFinding> {
    const found = await driver.stat(objectKey);
    const blob = await repository.find(id);
    if (blob?.state !== "live" || blob.objectKey !== objectKey || found?.size === size) return;
    const problem = found === null ? "missing_object" : "wrong_size";
    const what = found === null ? "is missing" : `has ${found.size} bytes instead of ${size}`;
    const message = `Object ${objectKey} of blob ${id} ${what}${await filesOf(id)}.`;
    const isMarked = fix && (await repository.setDamaged(blob, clock.now()));
    const fixed = isMarked && (await fixes.repair(blob)) === "sound";
    // checkBlobs moves its files and reports them.
    if (isMarked && !fixed && found === null && toTrash !== undefined) return;
    reported.add(id);
    yield finding(problem, message, fixed);
  }

  /** A location without marker gets one only if it holds our objects: else its disk may not be mounted. */
  async function openStorage(policyId: number, fix: boolean): Promise<Driver> {
    let mark = false;
    if (fix) {
      const driver = await drivers.forReading(policyId);
      for (const blob of await checks.blobsBetween(policyId, "", null, SAMPLE)) {
        mark ||= (await driver.stat(blob.objectKey))?.size === blob.size;
      }
    }
    return drivers.verify(policyId, { mark });
  }

  return { checkStorage, openStorage, filesOf };
}

type KeyRange = {
  after: string;
  through: string | null;
  objects: readonly StoredObject[];
  limits: AgeLimits;
};

/** Folders of local storages hold few objects, and every page costs queries. */
async function* inLargePages(
  pages: AsyncIterable<readonly StoredObject[]>,
): AsyncGenerator<readonly StoredObject[]> {
  let gathered: StoredObject[] = [];
  for await (const page of pages) {
    gathered.push(...page);
    if (gathered.length < PAGE) continue;
    yield gathered;
    gathered = [];
  }
  if (gathered.length > 0) yield gathered;
}
