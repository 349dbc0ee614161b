/**
 * Reads all links at start and after the table was emptied: fills the table with the newest and yields all codes for
 * the Bloom filter. A link that changes between reading and storing is skipped.
 */
import type { StoredLink } from "./cached-link.ts";
import type { LoadPace } from "./load-pace.ts";

type Deps = {
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

export function createLinkWarmer({ loadLinks, loadCodes, maxLinks, pace, put }: Deps) {
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
