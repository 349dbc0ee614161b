/**
 * Asks again for a link that was forgotten because it changed, while the database fails: the change tells that another
 * process has just reached it, so this one is only the last to notice its return.
 */
import { isUnavailable } from "../../platform/db/failures.ts";

type Ask<T> = () => T | Promise<T>;

/** A second altogether. */
const MOST_TRIES = 10;
const PAUSE_MS = 100;

/** @param isAwaited whether the code is loaded as soon as the database answers */
export function createRetries(isAwaited: (code: string) => boolean) {
  const changing = new Set<string>();
  const isFor = (code: string, error: unknown): boolean =>
    isUnavailable(error) && (changing.has(code) || isAwaited(code));

  return {
    /** Codes between being forgotten and being loaded, or awaited. */
    changing,
    isFor,
    /** For a failure. Rejects with it, or with the last one. */
    of:
      <T>(code: string, ask: Ask<T>) =>
      async (error: unknown): Promise<T> => {
        let last = error;
        for (let tries = 0; tries < MOST_TRIES && isFor(code, last); tries++) {
          await Bun.sleep(PAUSE_MS);
          try {
            return await ask();
          } catch (again) {
            last = again;
          }
        }
        throw last;
      },
  };
}
