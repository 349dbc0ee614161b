/**
 * Reads each stored blob about once a month, at a bounded rate, and compares its hash. A blob that fails twice in a row
 * becomes "damaged": reads fail with 502, and a new upload of its content is stored separately. Its object remains for a
 * repair from a backup; the next run or the doctor accepts it once it matches.
 */
import type { Job } from "../../platform/jobs/runner.ts";
import type { StoredBlob } from "./repository.ts";
import type { Driver } from "../storage/driver.ts";
import type { BlobsDeps } from "./service.ts";

const HOUR_MS = 3_600_000;
const CYCLE_MS = 30 * 24 * HOUR_MS;
const BYTES_PER_RUN = 4 * 1024 ** 3;
const BYTES_PER_SECOND = 32 * 1024 ** 2;
const PAGE = 100;
const FILES_REPORTED = 20;

export type Scrub = ReturnType<typeof createScrub>;
export type BlobCondition = "sound" | "missing" | "damaged";

type Deps = Pick<BlobsDeps, "repository" | "drivers" | "clock" | "logger"> & {
  filesOf(blobId: number, limit: number): Promise<string[]>;
  bytesPerRun?: number;
  bytesPerSecond?: number;
};

export function createScrub(deps: Deps) {
  const { repository, drivers, filesOf, clock, logger } = deps;
  const { bytesPerRun = BYTES_PER_RUN, bytesPerSecond = BYTES_PER_SECOND } = deps;

  /** Rejects if the storage is unavailable. */
  async function examine(driver: Driver, blob: StoredBlob, signal?: AbortSignal): Promise<BlobCondition> {
    const found = await driver.stat(blob.objectKey);
    if (found === null) return "missing";
    if (found.size !== blob.size) return "damaged";
    return (await hashSlowly(driver, blob, bytesPerSecond, signal)) === blob.sha256 ? "sound" : "damaged";
  }

  /** Checks the location's marker and the blob again before it reports damage. */
  async function examineTwice(blob: StoredBlob, signal?: AbortSignal): Promise<BlobCondition> {
    const first = await examine(await drivers.forReading(blob.policyId), blob, signal);
    if (first === "sound") return first;
    return examine(await drivers.verify(blob.policyId, { mark: false }), blob, signal);
  }

  async function recordCondition(blob: StoredBlob, condition: BlobCondition): Promise<void> {
    const now = clock.now();
    if (condition === "sound") {
      if (blob.state === "damaged" && (await repository.setLive(blob.id, now))) {
        logger.info({ blob: blob.id, key: blob.objectKey }, "stored content was damaged and is intact again");
      }
    } else if (blob.state === "live" && (await repository.setDamaged(blob, now))) {
      const files = await filesOf(blob.id, FILES_REPORTED);
      logger.error(
        { blob: blob.id, key: blob.objectKey, verdict: condition, files },
        "stored content is damaged",
      );
    }
    await repository.setChecked(blob.id, now);
  }

  /** Returns the bytes read. An unavailable storage is not damage. */
  async function scrubOne(blob: StoredBlob, signal: AbortSignal): Promise<number> {
    try {
      await recordCondition(blob, await examineTwice(blob, signal));
      return blob.size;
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ err: error, blob: blob.id, key: blob.objectKey }, "stored content could not be checked");
      await repository.setChecked(blob.id, clock.now() - CYCLE_MS + HOUR_MS);
      return 0;
    }
  }

  const job: Job = {
    name: "storage-scrub",
    everyMs: () => HOUR_MS,
    async run(signal) {
      let budget = bytesPerRun;
      for (const state of ["live", "damaged"] as const) {
        const before = clock.now() - CYCLE_MS;
        for (;;) {
          const page = await repository.unchecked(state, before, PAGE);
          for (const blob of page) {
            signal.throwIfAborted();
            if (budget <= 0) return;
            budget -= Math.max(1, await scrubOne(blob, signal));
          }
          if (page.length < PAGE) break;
        }
      }
    },
  };

  return { job, examineTwice, recordCondition };
}

/** Yields to the event loop between chunks. */
async function hashSlowly(
  driver: Driver,
  { objectKey, size }: StoredBlob,
  bytesPerSecond: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const body = await driver.open(objectKey, { size, ...(signal && { signal }) });
  const stream = body instanceof Blob ? body.stream() : body;
  const begun = performance.now();
  let bytes = 0;
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
    signal?.throwIfAborted();
    hasher.update(chunk);
    bytes += chunk.byteLength;
    const ahead = (bytes / bytesPerSecond) * 1_000 - (performance.now() - begun);
    if (ahead > 1) await Bun.sleep(ahead);
  }
  return hasher.digest("hex");
}
