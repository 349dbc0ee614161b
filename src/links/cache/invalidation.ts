/**
 * What happens to the cache when links were made, changed or removed.
 *
 * They are forgotten first, here and in the shared cache. Then they are loaded again, before any request asks for
 * them: an outage of the database finds them known, new ones too. Those of a small change are looked up at once, by
 * way of the shared cache, where other nodes find them when they hear of the change. Those of a large one, and those
 * whose lookup failed, are loaded in bulk (refill.ts).
 */
import type { SharedLinks } from "./cached-link.ts";

/** Codes that are forgotten without letting requests in between. */
const SLICE = 2_000;
/** Larger changes (imports, batches) are loaded in bulk. */
const MOST_LOADED = 200;
/** In place of a code: all of them. */
export const ANY_CODE = "*";

type Deps = {
  /** Forgets the link with this code, or all. */
  forget(code: string): void;
  /** Looks it up, for the cache; throws or rejects when the database fails. */
  load(code: string): unknown;
  /** Loads them as soon as the database answers, as far as there is room. */
  loadLater(codes: Iterable<string>): void;
  shared?: SharedLinks | undefined;
};

/**
 * Once it has returned, or its promise is fulfilled, no request gets what was there before. `isCleaned`: whoever made
 * the change has removed it from the shared cache, and what is there now is new.
 */
export type Invalidate = (codes: readonly string[], isCleaned?: boolean) => void | Promise<void>;

export function createInvalidation({ forget, load, loadLater, shared }: Deps): Invalidate {
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
      await (codes.includes(ANY_CODE) ? from.clear() : from.delete(codes));
      // What was taken from the shared cache until now may be old.
      await forgetMany(codes);
    }
    await reload(codes);
  }

  /** Never throws or rejects. */
  async function reload(codes: readonly string[]): Promise<void> {
    if (codes.includes(ANY_CODE)) return;
    if (codes.length > MOST_LOADED) return loadLater(codes);
    const outcomes = await Promise.allSettled(codes.map(async (code) => load(code)));
    loadLater(codes.filter((_, at) => outcomes[at]!.status === "rejected"));
  }

  return (codes, isCleaned = false) => {
    if (shared !== undefined) return forgetShared(shared, codes, isCleaned);
    if (codes.length > SLICE) return forgetMany(codes).then(() => reload(codes));
    for (const code of codes) forget(code);
    void reload(codes);
  };
}
