/**
 * A driver whose operations are told to an observer: how each ended, and its time until then. A write lasts from the
 * first byte that is asked of the source to the last that was taken, a read until its stream ends, so both are with
 * the waits for the client. What is read as a file goes from the kernel to the socket; it lasts until it was opened.
 * Listings count by step: each page, and that there is no further one.
 *
 * Only the storage fails here. A client who leaves in the middle, or sends too much, ends the operation, and that
 * it could be ended is a success. What reaches no storage (a new staging, a presigned address) and what tells of no
 * failure (abort) is no operation.
 */
import { AppError } from "../../lib/errors.ts";
import type { Driver, Staging } from "./driver.ts";
import type { DriverMetrics, OperationEnd } from "./metrics.ts";

/** The end of an operation, told once; `error` is why it ended early. */
type End = (error?: unknown) => void;

export function observeDriver(driver: Driver, metrics: DriverMetrics): Driver {
  const begin: Begin = (operation, isOurs = () => true) => {
    const begun = performance.now();
    let ended = false;
    return (error) => {
      if (ended) return;
      ended = true;
      const seconds = (performance.now() - begun) / 1000;
      operation(error !== undefined && isOurs(error) ? "failed" : "success", seconds);
    };
  };
  const timed: Timed = async (operation, work, isOurs) => {
    const end = begin(operation, isOurs);
    try {
      const result = await work();
      end();
      return result;
    } catch (error) {
      end(error);
      throw error;
    }
  };
  const observed = (staging: Staging): Staging => observeStaging(staging, metrics, timed, begin);
  return {
    staleAfterMs: driver.staleAfterMs,
    claim: (installation, mark) => timed(metrics.claim, () => driver.claim(installation, mark)),
    stage: async (id) => observed(await driver.stage(id)),
    resume: async (id, received) => observed(await timed(metrics.resume, () => driver.resume(id, received))),
    async open(key, wanted) {
      const end = begin(metrics.read, () => wanted.signal?.aborted !== true);
      try {
        const body = await driver.open(key, { ...wanted, onEnd: end });
        if (body instanceof Blob) end();
        return body;
      } catch (error) {
        end(error);
        throw error;
      }
    },
    stat: (key) => timed(metrics.stat, () => driver.stat(key)),
    remove: (key) => timed(metrics.delete, () => driver.remove(key)),
    presign: driver.presign,
    listObjects: () => pages(driver.listObjects(), () => begin(metrics.list)),
    listStagings: (before) => pages(driver.listStagings(before), () => begin(metrics.list)),
    removeStaging: (id) => timed(metrics.delete_staging, () => driver.removeStaging(id)),
  };
}

/** Whether a failure is the storage's; it is unless this says that it is the caller's. */
type IsOurs = (error: unknown) => boolean;
type Timed = <T>(operation: OperationEnd, work: () => Promise<T>, isOurs?: IsOurs) => Promise<T>;
type Begin = (operation: OperationEnd, isOurs?: IsOurs) => End;

const observeStaging = (staging: Staging, metrics: DriverMetrics, timed: Timed, begin: Begin): Staging => ({
  id: staging.id,
  get received() {
    return staging.received;
  },
  append: (source) => timed(metrics.write, () => staging.append(source), isStorageFailure),
  suspend: () => timed(metrics.suspend, () => staging.suspend()),
  async *read() {
    const end = begin(metrics.read);
    try {
      yield* staging.read();
    } catch (error) {
      end(error);
      throw error;
    } finally {
      end();
    }
  },
  finish: (content) => timed(metrics.finish, () => staging.finish(content)),
  abort: () => staging.abort(),
});

/** The rest is what a source said. */
const isStorageFailure = (error: unknown): boolean =>
  error instanceof AppError && error.name === "StorageUnavailable";

/** The time of a step is the storage's, without what is done with the page. */
async function* pages<T>(source: AsyncIterable<T>, begin: () => End): AsyncGenerator<T> {
  let end = begin();
  try {
    for await (const page of source) {
      end();
      yield page;
      end = begin();
    }
    end();
  } catch (error) {
    end(error);
    throw error;
  }
}
