/**
 * Reports outcome and duration of a driver's operations. A write ends with its source and a read with its stream, so
 * both include waits for the client. A read of a local file ends when the file is open. Each page of a list, and its
 * end, is an operation.
 *
 * Only failures of the storage count: a client that leaves or sends too much is a success.
 */
import { isStorageFailure } from "./storage-failure.ts";
import type { Driver, Staging } from "./driver.ts";
import type { DriverMetrics, OperationEnd } from "./metrics.ts";

/** Called once; `error` is why it ended early. */
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
    ...(driver.disk && { disk: driver.disk }),
    ...(driver.isReadOnly !== undefined && { isReadOnly: driver.isReadOnly }),
    claim: (installation, mark) => timed(metrics.claim, () => driver.claim(installation, mark)),
    stage: async (id) => observed(await driver.stage(id)),
    resume: async (id, received) => observed(await timed(metrics.resume, () => driver.resume(id, received))),
    async open(key, options) {
      const end = begin(metrics.read, () => options.signal?.aborted !== true);
      try {
        const body = await driver.open(key, { ...options, onEnd: end });
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
    listStagings: (matches) => pages(driver.listStagings(matches), () => begin(metrics.list)),
    removeStaging: (id) => timed(metrics.delete_staging, () => driver.removeStaging(id)),
  };
}

/** Default: it is. */
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
  settle: () => staging.settle(),
  abort: () => staging.abort(),
});

/** Times the storage, without the consumer of the page. */
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
