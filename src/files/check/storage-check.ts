/**
 * The storage part of the doctor. Every file has one blob with its facts. A blob counts its files, and has some unless
 * it is dead. Every other blob has an object of its size, and every object a blob.
 *
 * It may run beside a server: it looks twice before it reports, counts under the row's lock, and skips young uploads
 * and dead blobs. Objects and rows are compared by ranges of keys, so memory stays flat.
 *
 * `fix` corrects counts, removes left-overs, marks blobs without bytes as damaged, and repairs damaged blobs whose
 * object is sound again or whose content is stored once more. lost-files.ts does the rest.
 */
import { pagesAfter } from "../../lib/pages.ts";
import { messageOf } from "../../lib/errors.ts";
import { isStorageFailure } from "../storage/storage-failure.ts";
import type { StoredBlob } from "../blobs/blob.ts";
import type { PolicyCache } from "../policies/drivers.ts";
import { createLostFiles, type LostFilesDeps } from "./lost-files.ts";
import { createObjectCheck, type ObjectCheckDeps } from "./object-check.ts";
import { type CheckMeter, finding, type StorageCheck, type StorageFinding } from "./storage-report.ts";
import { createBlobFixes } from "./storage-fixes.ts";

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

  async function* checkFiles(): AsyncGenerator<StorageFinding> {
    for await (const page of pagesAfter(0, PAGE, checks.oddFiles, ({ id }) => id)) {
      for (const { id, accountId, name, blobId } of page) {
        const [still] = await checks.oddFiles(id - 1, 1);
        if (still?.id !== id) continue;
        const message = `File '${name}' (${id} of account ${accountId}) does not match its content (blob ${blobId}).`;
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
    const where = areTrashed ? " Only the trash has files of it." : "";
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
    yield* checkFiles();
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
