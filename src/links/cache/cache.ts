/**
 * From a code to its link, for every redirect. Layers in order, with their names in metrics:
 *
 *     link table       links found or loaded before               object_cache
 *     Bloom filter     "no such code", once it has every code     bloom_filter
 *     missing codes    "not in the database a moment ago"         negative_cache
 *     shared cache     links that other processes found (optional)
 *     database         one query at a time per code
 *
 * Entries older than `ttlSeconds` are read again, but serve while the database is away.
 */
import type { Clock } from "../../lib/clock.ts";
import { hashCode } from "../../lib/code-hash.ts";
import { createLinkTable } from "./table.ts";
import type { Logger } from "../../lib/logger.ts";
import {
  type CachedLink,
  expiryOrZero,
  type FoundLink,
  locationOf,
  type SharedLinks,
  type StoredLink,
} from "./cached-link.ts";
import { createCodeFilter, createMissingCodes } from "./code-filter.ts";
import { createLinkRefill, createLinkWarmer, createLoadPace } from "./loading.ts";
import { createLinkLookup, createRetries, type FindLink, type LookupLimits } from "./lookup.ts";

export type LinkCache = ReturnType<typeof createLinkCache>;

const NO_COUNTS = {
  tableHits: 0,
  tableMisses: 0,
  filterHits: 0,
  /** Queries that an exact filter would have avoided. */
  filterFalsePositives: 0,
  missingHits: 0,
  sharedHits: 0,
  lookups: 0,
  /** Requests whose query failed. */
  lookupFailures: 0,
};
type LinkCacheCounts = typeof NO_COUNTS;

export type LinkCacheStats = LinkCacheCounts & {
  entries: number;
  bytes: number;
  isFilterTrusted: boolean;
  missingEntries: number;
};

export type LinkCacheOptions = {
  maxLinks: number;
  /** 0: unlimited. */
  ttlSeconds: number;
  /** cache.bloom_rebuild_interval */
  rebuildSeconds(): number;
  findLink: FindLink;
  /** Called for each change, which later results of findLink must show. */
  refreshLookups?(): void;
  scan: {
    /** Newest first, at most 10,000 per chunk. */
    links(): AsyncIterable<readonly StoredLink[]>;
    /** Several a text, separated by blanks, like aliases. */
    codes(beforeId: number | null): AsyncIterable<string>;
    aliases(): AsyncIterable<string>;
    /** At most 1,000 codes. */
    some(codes: readonly string[]): Promise<readonly StoredLink[]>;
  };
  shared?: SharedLinks;
  /** `invalidate` received every change, as filter and missing codes need. Default: always. */
  isInformed?(now: number): boolean;
  clock: Clock;
  logger: Logger;
  limits?: Partial<LookupLimits & { missingCodes: number; missingMs: number }>;
  seed?: number;
};

const LIMITS = {
  maxActive: 64,
  maxWaiting: 10_000,
  deadlineMs: 2_500,
  missingCodes: 50_000,
  missingMs: 60_000,
};
/** An entry that could not be read again serves this long before the next try. */
const GRACE_SECONDS = 2;

/** Seconds in 32 bits, as in the table. Differences stay right beyond 2038. */
const seconds = (ms: number): number => Math.floor(ms / 1000) | 0;

const isOver = (expiresAt: number | null, now: number): boolean => expiresAt !== null && expiresAt <= now;

export function createLinkCache(options: LinkCacheOptions) {
  const { ttlSeconds, shared, clock, isInformed = () => true } = options;
  const seed = options.seed ?? crypto.getRandomValues(new Int32Array(1))[0]!;
  const counts: LinkCacheCounts = { ...NO_COUNTS };
  const layers = createLayers(options, seed, counts);
  const { table, missing, lookup, filter, refill, retries } = layers;

  const isOld = (address: number, now: number): boolean =>
    ((seconds(now) - table.storedAt(address)) | 0) > ttlSeconds;

  function fromTable(address: number, now: number): CachedLink | null {
    if (isOver(table.expiresAt(address) || null, now)) return null;
    return { id: table.id(address), location: table.location(address) };
  }

  function learn(code: string, link: FoundLink | null): void {
    const now = clock.now();
    if (link === null) {
      table.delete(code);
      missing.add(code, now);
      if (filter.isTrusted()) counts.filterFalsePositives++;
    } else {
      table.set(code, link.id, expiryOrZero(link.expires_at), locationOf(link.target), seconds(now));
    }
  }

  function show(link: FoundLink | null): CachedLink | null {
    if (link === null || isOver(link.expires_at, clock.now())) return null;
    return { id: link.id, location: locationOf(link.target) };
  }

  function failed(error: unknown): never {
    counts.lookupFailures++;
    throw error;
  }

  function ask(code: string): CachedLink | null | Promise<CachedLink | null> {
    const look = () => lookup.ask(code, (link) => learn(code, link));
    try {
      const found = look();
      return found instanceof Promise ? found.catch(retries.of(code, look)).then(show, failed) : show(found);
    } catch (error) {
      return retries.isFor(code, error) ? retries.of(code, look)(error).then(show, failed) : failed(error);
    }
  }

  /** The old entry serves if the database fails and the link did not change. */
  function askAgain(hash: number, code: string): CachedLink | null | Promise<CachedLink | null> {
    const serveOld = (error: unknown): CachedLink | null => {
      const address = table.find(hash, code, 0, code.length);
      if (address < 0) throw error;
      const now = clock.now();
      table.restamp(address, (seconds(now) - ttlSeconds + GRACE_SECONDS) | 0);
      return fromTable(address, now);
    };
    try {
      const found = ask(code);
      return found instanceof Promise ? found.catch(serveOld) : found;
    } catch (error) {
      return serveOld(error);
    }
  }

  function findIn(text: string, start: number, end: number, now: number) {
    const hash = hashCode(text, start, end, seed);
    const address = table.find(hash, text, start, end);
    if (address >= 0) {
      if (ttlSeconds > 0 && isOld(address, now)) return askAgain(hash, text.slice(start, end));
      counts.tableHits++;
      return fromTable(address, now);
    }
    counts.tableMisses++;
    const isSure = isInformed(now);
    if (isSure && filter.excludes(hash)) {
      counts.filterHits++;
      return null;
    }
    const code = text.slice(start, end);
    if (isSure && missing.has(code, now)) {
      counts.missingHits++;
      return null;
    }
    return ask(code);
  }

  return {
    /** The link of a code; null without one, or if it has expired. Throws or rejects if the database fails. */
    find: (code: string, now: number): CachedLink | null | Promise<CachedLink | null> =>
      findIn(code, 0, code.length, now),
    /** The code is `text` from `start` to `end` (excluded). */
    findIn,
    /** After a `find` without result: whether the link has expired. */
    knows: (code: string): boolean =>
      table.find(hashCode(code, 0, code.length, seed), code, 0, code.length) >= 0,
    /** `*` stands for any link. */
    invalidate: createInvalidation(layers, (code) => lookup.ask(code, (link) => learn(code, link)), shared),
    /** Fills table and filter. Call it once `invalidate` receives changes. */
    start: filter.start,
    /** Resolves when the filter excludes codes. */
    ready: filter.ready,
    reschedule: filter.reschedule,
    stats: (): LinkCacheStats => ({
      ...counts,
      entries: table.size(),
      bytes: table.bytes() + filter.bytes(),
      isFilterTrusted: filter.isTrusted(),
      missingEntries: missing.size(),
    }),
    close(): void {
      filter.close();
      refill.close();
    },
  };
}

type Layers = ReturnType<typeof createLayers>;

function createLayers(options: LinkCacheOptions, seed: number, counts: LinkCacheCounts) {
  const { scan, clock, logger } = options;
  const limits = { ...LIMITS, ...options.limits };
  const table = createLinkTable(options.maxLinks, seed);
  const missing = createMissingCodes({ limit: limits.missingCodes, lifeMs: limits.missingMs });
  const lookup = createLinkLookup(countedFind(options, counts), limits);
  const put = ({ code, id, target, expiresAt }: StoredLink) =>
    table.set(code, id, expiryOrZero(expiresAt), locationOf(target), seconds(clock.now()));
  const pace = createLoadPace({ counts });
  const warmer = createLinkWarmer({
    loadLinks: scan.links,
    loadCodes: scan.codes,
    maxLinks: options.maxLinks,
    pace,
    put,
  });
  const filter = createCodeFilter({
    async *loadCodes() {
      yield* scan.aliases();
      yield* warmer.codes();
    },
    rebuildSeconds: options.rebuildSeconds,
    pace,
    seed,
    logger,
  });
  const refill = createLinkRefill({
    load: scan.some,
    put,
    room: () => options.maxLinks - table.size(),
    logger,
  });
  const retries = createRetries(refill.isPending);
  const { refreshLookups } = options;
  return { table, missing, lookup, warmer, filter, refill, retries, refreshLookups };
}

function forgetLink(layers: Layers, code: string): void {
  layers.refreshLookups?.();
  if (code === ANY_CODE) return forgetAll(layers);
  layers.filter.add(code);
  layers.table.delete(code);
  layers.missing.delete(code);
  layers.lookup.forget(code);
  layers.warmer.changed(code);
  layers.refill.changed(code);
}

function forgetAll({ filter, table, missing, lookup, warmer, refill }: Layers): void {
  table.clear();
  missing.clear();
  lookup.forgetAll();
  warmer.allChanged();
  refill.clear();
  filter.distrust();
}

function countedFind({ shared, findLink }: LinkCacheOptions, counts: LinkCacheCounts) {
  const ask: FindLink = (code) => {
    counts.lookups++;
    return findLink(code);
  };
  if (shared === undefined) return ask;
  return async (code: string) => {
    let isShared = true;
    const link = await shared.find(code, () => {
      isShared = false;
      return ask(code);
    });
    if (isShared) counts.sharedHits++;
    return link;
  };
}

/** Codes forgotten in one step of the event loop. */
const SLICE = 2_000;
/** Larger changes are loaded in bulk. */
const MOST_LOADED = 200;
/** Stands for all codes. */
export const ANY_CODE = "*";

/**
 * After it returned or resolved, no request gets old content, even from a running lookup. `isCleaned`: the writer has
 * removed the old values from the shared cache.
 */
type Invalidate = (codes: readonly string[], isCleaned?: boolean) => void | Promise<void>;

/**
 * Forgets changed links here and in the shared cache, then loads them again, so an outage finds them known. A small
 * change is looked up at once through the shared cache, for other nodes too. A large one, and failed lookups, are
 * loaded in bulk (loading.ts).
 */
function createInvalidation(
  layers: Layers,
  /** Throws or rejects if the database fails. */
  load: (code: string) => unknown,
  shared: SharedLinks | undefined,
): Invalidate {
  const forget = (code: string) => forgetLink(layers, code);
  const loadLater = layers.refill.request;
  const { changing } = layers.retries;

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
