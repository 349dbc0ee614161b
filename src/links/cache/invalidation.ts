/**
 * What happens to the cache when links were made, changed or removed.
 *
 * They are forgotten first, here and in the shared cache. Then those of a small change are looked up again at once,
 * by nobody's request: a link stays known without a gap that an outage of the database could fall into, a new one
 * is known before its first visit, and where there is a shared cache, other nodes find it there when they hear of the
 * change.
 */
import type { SharedLinks } from "./cached-link.ts";

/** Codes that are forgotten without letting requests in between. */
const SLICE = 2_000;
/** Larger changes (imports, batches) are looked up when they are asked for. */
const MOST_LOADED = 200;
/** In place of a code: all of them. */
export const ANY = "*";

type Deps = {
  /** Forgets the link with this code, or all. */
  forget(code: string): void;
  /** Looks it up, for the cache; throws or rejects when the database fails. */
  load(code: string): unknown;
  shared?: SharedLinks | undefined;
};

/**
 * Once it has returned, or its promise is fulfilled, no request gets what was there before. `isCleaned`: whoever made
 * the change has removed it from the shared cache, and what is there now is new.
 */
export type Invalidate = (codes: readonly string[], isCleaned?: boolean) => void | Promise<void>;

export function createInvalidation({ forget, load, shared }: Deps): Invalidate {
  async function forgetMany(codes: readonly string[]): Promise<void> {
    for (const [at, code] of codes.entries()) {
      if (at % SLICE === SLICE - 1) await new Promise(setImmediate);
      forget(code);
    }
  }

  async function forgetShared(
    from: SharedLinks,
    codes: readonly string[],
    isCleaned: boolean,
  ): Promise<void> {
    await forgetMany(codes);
    if (!isCleaned) {
      await (codes.includes(ANY) ? from.clear() : from.delete(codes));
      // What was taken from the shared cache until now may be old.
      await forgetMany(codes);
    }
    await Promise.allSettled(reload(codes));
  }

  /** Never throws; a failure leaves the link to the next request. */
  function reload(codes: readonly string[]): Promise<unknown>[] {
    if (codes.length > MOST_LOADED || codes.includes(ANY)) return [];
    return codes.map(async (code) => load(code));
  }

  return (codes, isCleaned = false) => {
    if (shared !== undefined) return forgetShared(shared, codes, isCleaned);
    if (codes.length > SLICE) return forgetMany(codes);
    for (const code of codes) forget(code);
    void Promise.allSettled(reload(codes));
  };
}
