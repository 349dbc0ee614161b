/**
 * Queries links. Requests for one code share a query; at most `maxActive` run at once. Beyond `maxWaiting`, or after
 * `deadlineMs`, requests get ServiceUnavailable. Synchronous results skip all of this.
 */
import { appError } from "../../lib/errors.ts";
import type { FoundLink } from "./cached-link.ts";
import { isUnavailable } from "../../platform/db/failures.ts";

export type LookupLimits = { maxActive: number; maxWaiting: number; deadlineMs: number };

type Found = FoundLink | null | undefined;
export type FindLink = (code: string) => Found | Promise<Found>;

type Lookup = {
  readonly code: string;
  readonly result: PromiseWithResolvers<FoundLink | null>;
  readonly onFound: (link: FoundLink | null) => void;
  isForgotten: boolean;
  isTooLate: boolean;
};

export function createLinkLookup(find: FindLink, { maxActive, maxWaiting, deadlineMs }: LookupLimits) {
  /** Open questions by code. */
  const open = new Map<string, Lookup>();
  const waiting: Lookup[] = [];
  let active = 0;

  function begin(lookup: Lookup, found: Promise<Found>): void {
    active++;
    found
      .then(
        (link = null) => {
          close(lookup);
          if (!lookup.isForgotten) lookup.onFound(link);
          lookup.result.resolve(link);
        },
        (error: unknown) => {
          close(lookup);
          lookup.result.reject(error);
        },
      )
      .catch(lookup.result.reject)
      .finally(() => {
        active--;
        beginNext();
      });
  }

  function close(lookup: Lookup): void {
    if (open.get(lookup.code) === lookup) open.delete(lookup.code);
  }

  function beginNext(): void {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (next.isTooLate) continue;
      const { code } = next;
      return begin(
        next,
        Promise.try(() => find(code)),
      );
    }
  }

  /** The query keeps its place until the database's timeout. */
  function limitTime(lookup: Lookup): void {
    const timer = setTimeout(() => {
      lookup.isTooLate = true;
      // Later changes can't reach it.
      lookup.isForgotten = true;
      close(lookup);
      lookup.result.reject(unavailable("The database takes too long to find a link."));
    }, deadlineMs);
    const stop = () => clearTimeout(timer);
    lookup.result.promise.then(stop, stop);
  }

  function join(code: string, onFound: Lookup["onFound"], found: Promise<Found> | null) {
    const lookup = {
      code,
      onFound,
      result: Promise.withResolvers<FoundLink | null>(),
      isForgotten: false,
      isTooLate: false,
    };
    open.set(code, lookup);
    limitTime(lookup);
    if (found === null) waiting.push(lookup);
    else begin(lookup, found);
    return lookup.result.promise;
  }

  return {
    /**
     * `onFound` receives the result first, unless the code was forgotten meanwhile. Throws or rejects like `find`.
     */
    ask(
      code: string,
      onFound: (link: FoundLink | null) => void,
    ): FoundLink | null | Promise<FoundLink | null> {
      const running = open.get(code);
      if (running !== undefined) return running.result.promise;
      if (active >= maxActive) {
        if (waiting.length >= maxWaiting) throw unavailable("Too many links are being looked up at once.");
        return join(code, onFound, null);
      }
      const found = find(code);
      if (found instanceof Promise) return join(code, onFound, found);
      onFound(found ?? null);
      return found ?? null;
    },
    /** Later requests join no running query. */
    forget(code: string): void {
      const lookup = open.get(code);
      if (lookup === undefined) return;
      lookup.isForgotten = true;
      open.delete(code);
    },
    forgetAll(): void {
      for (const lookup of open.values()) lookup.isForgotten = true;
      open.clear();
    },
    pending: (): number => active + waiting.length,
  };
}

const unavailable = (message: string) => appError("ServiceUnavailable", message);

type Ask<T> = () => T | Promise<T>;

/** A second altogether. */
const MOST_TRIES = 10;
const PAUSE_MS = 100;

/**
 * Repeats a failed lookup of a link that was forgotten because it changed: the change shows that another process has
 * just reached the database, so this one is only the last to notice its return.
 *
 * @param isAwaited whether the code is loaded as soon as the database responds
 */
export function createRetries(isAwaited: (code: string) => boolean) {
  const changing = new Set<string>();
  const isFor = (code: string, error: unknown): boolean =>
    isUnavailable(error) && (changing.has(code) || isAwaited(code));

  return {
    /** Codes between being forgotten and being loaded, or awaited. */
    changing,
    isFor,
    /** Repeats a lookup that failed. Rejects with the last failure. */
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
