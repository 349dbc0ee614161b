import { rest } from "../../lib/rest.ts";
import { isDatabaseAway } from "./failures.ts";

const AGAIN_MS = 1_000;

/** Repeats work that finds no database, which may have been done, until the database responds or the process stops. */
export async function retryUntilAvailable<T>(work: () => Promise<T>, stopping: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (stopping.aborted || !isDatabaseAway(error)) throw error;
      await rest(AGAIN_MS, stopping);
    }
  }
}
