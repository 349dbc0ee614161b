import type { Changes, ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { TransactionOptions } from "../../platform/db/database.ts";
import { isUniqueViolation } from "../../platform/db/failures.ts";

export type LinkChanges = Pick<Changes, "write" | "subscribe" | "poll">;

const MOST_RUNS = 5;

/**
 * Runs again after a failure that shows a concurrent writer: the next run sees what that one wrote. `mayHelp` may wait,
 * and gets the number of runs so far.
 */
export async function writeAgain<T>(
  write: () => Promise<T>,
  mayHelp: (error: unknown, runs: number) => boolean | Promise<boolean> = isUniqueViolation,
): Promise<T> {
  for (let runs = 1; ; runs++) {
    try {
      return await write();
    } catch (error) {
      if (runs === MOST_RUNS || !(await mayHelp(error, runs))) throw error;
    }
  }
}

/** If another writer took a code between look and insert, it runs again. */
export const writeLinks =
  (changes: Pick<LinkChanges, "write">) =>
  <T>(run: (tx: ChangeTransaction) => Promise<T>, options?: TransactionOptions): Promise<T> =>
    writeAgain(() => changes.write(run, options));
