/**
 * Forgets changed links here and in the shared cache, then loads them again, so an outage finds them known. A small
 * change is looked up at once through the shared cache, for other nodes too. A large one, and failed lookups, are
 * loaded in bulk (refill.ts).
 */
import type { SharedLinks } from "./cached-link.ts";

/** Codes forgotten in one step of the event loop. */
const SLICE = 2_000;
/** Larger changes are loaded in bulk. */
const MOST_LOADED = 200;
/** Stands for all codes. */
export const ANY_CODE = "*";

type Deps = {
  forget(code: string): void;
  /** Throws or rejects if the database fails. */
  load(code: string): unknown;
  /** Once the database answers, while there is room. */
  loadLater(codes: Iterable<string>): void;
  /** Codes between being forgotten and being loaded or asked for later; only of small changes. */
  changing: Set<string>;
  shared?: SharedLinks | undefined;
};

/**
 * After it returned or resolved, no request gets old content, even from a running lookup. `isCleaned`: the writer has
 * removed the old values from the shared cache.
 */
export type Invalidate = (codes: readonly string[], isCleaned?: boolean) => void | Promise<void>;

export function createInvalidation({ forget, load, loadLater, changing, shared }: Deps): Invalidate {
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
      // Values read from the shared cache so far may be old.
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
    const known = codes.length <= MOST_LOADED ? codes : [];
    for (const code of known) changing.add(code);
    const settle = (): void => known.forEach((code) => changing.delete(code));
    if (shared !== undefined) return forgetShared(shared, codes, isCleaned).finally(settle);
    if (codes.length > SLICE) return forgetMany(codes).then(() => reload(codes));
    for (const code of codes) forget(code);
    void reload(codes).then(settle);
  };
}
