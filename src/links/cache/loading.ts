import type { StoredLink } from "./cached-link.ts";
import { isUnavailable } from "../../platform/db/failures.ts";
import type { Logger } from "../../lib/logger.ts";

/**
 * Slows a load of all links while requests ask for links: it rests four times as long as it worked, and eight
 * times while the database serves many of them, because a lookup takes about as much of the core as a redirect.
 * Redirects on one core shall keep half of their rate (bench/large.ts).
 */
export type LoadPace = ReturnType<typeof createLoadPace>;

type PaceDeps = {
  /** Growing counts. A request is a hit or a miss; a lookup asks the database. */
  counts: { readonly tableHits: number; readonly tableMisses: number; readonly lookups: number };
  /** Monotonic, in ms. */
  now?(): number;
  sleep?(ms: number): Promise<unknown>;
};

const REST_PER_WORK = 4;
const REST_BESIDE_LOOKUPS = 8;
/** One request in this many. */
const MANY_LOOKUPS = 4;
/** Bounds the rest after a pause of the whole process. */
const LONGEST_REST_MS = 20;

export function createLoadPace(deps: PaceDeps) {
  const { counts, now = () => performance.now(), sleep = Bun.sleep } = deps;
  const requested = (): number => counts.tableHits + counts.tableMisses;
  let restedAt = now();
  let seen = requested();
  /** Read before the rest, in which most requests come. */
  let before = { requested: seen, lookups: counts.lookups };

  function restPerWork(): number {
    const [requests, lookups] = [requested() - before.requested, counts.lookups - before.lookups];
    return lookups * MANY_LOOKUPS > requests ? REST_BESIDE_LOOKUPS : REST_PER_WORK;
  }

  return {
    /** Call it after each portion of about half a millisecond. */
    async rest(): Promise<void> {
      const worked = now() - restedAt;
      const factor = restPerWork();
      before = { requested: requested(), lookups: counts.lookups };
      if (before.requested === seen) await new Promise(setImmediate);
      else await sleep(Math.min(LONGEST_REST_MS, worked * factor));
      restedAt = now();
      seen = requested();
    },
  };
}

type WarmerDeps = {
  /** Newest first. */
  loadLinks(): AsyncIterable<readonly StoredLink[]>;
  /** Codes of links with a smaller id. */
  loadCodes(before: number | null): AsyncIterable<string>;
  maxLinks: number;
  pace: LoadPace;
  put(link: StoredLink): void;
};

const MOST_CHANGES = 100_000;
const COLLECT_AFTER = 20_000;
/** Links between two rests: less than half a millisecond. */
const SLICE = 250;

/**
 * Reads all links at start and after the table was emptied: fills the table with the newest and yields all codes for
 * the Bloom filter. A link that changes between reading and storing is skipped.
 */
export function createLinkWarmer({ loadLinks, loadCodes, maxLinks, pace, put }: WarmerDeps) {
  /** Codes changed since the chunk was read; null if any link may have changed. */
  let changes: Set<string> | null = new Set();
  let isRunning = false;
  /** How often the table was emptied, and for which of these it was filled. */
  let emptied = 1;
  let filled = 0;

  async function putAll(links: readonly StoredLink[]): Promise<void> {
    for (const [at, link] of links.entries()) {
      if (at % SLICE === 0) await pace.rest();
      if (changes !== null && !changes.has(link.code)) put(link);
    }
  }

  async function* codes(): AsyncGenerator<string> {
    if (filled === emptied) return yield* loadCodes(null);
    const filling = emptied;
    isRunning = true;
    let count = 0;
    let last: number | null = null;
    try {
      changes = new Set();
      for await (const links of loadLinks()) {
        await putAll(links.slice(0, maxLinks - count));
        yield links.map((link) => link.code).join(" ");
        count += links.length;
        last = links.at(-1)?.id ?? last;
        // Otherwise a million released rows hold tens of megabytes.
        if (count % COLLECT_AFTER < links.length) Bun.gc(false);
        if (count >= maxLinks) break;
        changes = new Set();
      }
      filled = filling;
    } finally {
      isRunning = false;
    }
    if (count >= maxLinks) yield* loadCodes(last);
  }

  return {
    /** Fills the table if needed. Calls must not overlap. */
    codes,
    changed(code: string): void {
      if (!isRunning || changes === null) return;
      if (changes.size < MOST_CHANGES) changes.add(code);
      else changes = null;
    },
    /** Any link may have changed; the table is empty. */
    allChanged(): void {
      changes = null;
      emptied++;
    },
  };
}

type RefillDeps = {
  /** At most CODES_AT_ONCE. Unknown ones are missing. */
  load(codes: readonly string[]): Promise<readonly StoredLink[]>;
  put(link: StoredLink): void;
  /** The number of links that still fit. */
  room(): number;
  logger: Logger;
};

/** Less than a millisecond of the event loop. */
const CODES_AT_ONCE = 500;
const RETRY_MS = 500;

/**
 * Reads links back into the table after a large change, so that an outage finds them there. Codes wait in a set and are
 * read one statement at a time. A link that changes during the read is skipped: the change requests it again.
 */
export function createLinkRefill({ load, put, room, logger }: RefillDeps) {
  const pending = new Set<string>();
  /** Codes of the running statement, unchanged since it began. */
  let reading = new Set<string>();
  let running = false;
  let closed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  async function run(): Promise<void> {
    running = true;
    try {
      while (pending.size > 0 && !closed) await loadSome();
    } catch (error) {
      for (const code of reading) pending.add(code);
      if (!isUnavailable(error)) logger.warn({ err: error }, "changed links could not be read; retrying");
      retry = setTimeout(start, RETRY_MS);
      retry.unref();
    }
    running = false;
  }

  async function loadSome(): Promise<void> {
    reading = new Set(pending.values().take(CODES_AT_ONCE));
    for (const code of reading) pending.delete(code);
    for (const link of await load([...reading])) if (reading.has(link.code)) put(link);
    reading = new Set();
  }

  function start(): void {
    clearTimeout(retry);
    if (!running && !closed) void run();
  }

  return {
    /** Does nothing without room. Call it after the table has forgotten them. */
    request(codes: Iterable<string>): void {
      for (const code of codes) {
        if (pending.size + reading.size >= room()) break;
        pending.add(code);
      }
      start();
    },
    isPending: (code: string): boolean => pending.has(code) || reading.has(code),
    /** A running read of this link may be old. */
    changed: (code: string): void => void reading.delete(code),
    /** Any link may have changed: cancels all requests. */
    clear(): void {
      pending.clear();
      reading.clear();
    },
    close(): void {
      closed = true;
      clearTimeout(retry);
    },
  };
}
