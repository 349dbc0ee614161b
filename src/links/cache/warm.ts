/**
 * Reading all links: it fills the link table with the newest links until it is full, and tells the codes of all of
 * them, for the Bloom filter. That happens at start, again until it has succeeded once, and after the table was
 * emptied. A link that changes between the moment at which its chunk is read and the moment at which it is put into
 * the table would bring its old content back; so whoever hears of changes tells `changed`, and such links are left
 * out.
 */
import type { StoredLink } from "./cached-link.ts";
import type { LoadPace } from "./load-pace.ts";

export type LinkWarmer = {
  /** The codes of all links, as `loadCodes` gives them; the table fills on the way where it needs to. Not two at a time. */
  codes(): AsyncIterable<string>;
  changed(code: string): void;
  /** Any link may have changed, and the table is empty. */
  allChanged(): void;
};

type Deps = {
  /** Newest first. */
  loadLinks(): AsyncIterable<readonly StoredLink[]>;
  /** The codes of the links older than the one with that id, some in each text, with a blank between two. */
  loadCodes(before: number | null): AsyncIterable<string>;
  maxLinks: number;
  pace: LoadPace;
  put(link: StoredLink): void;
};

const MOST_CHANGES = 100_000;
const COLLECT_AFTER = 20_000;
/** Links put between two rests: less than half a millisecond. */
const SLICE = 250;

export function createLinkWarmer({ loadLinks, loadCodes, maxLinks, pace, put }: Deps): LinkWarmer {
  /** Changed while the chunk was read and put; null when that may be any link. */
  let changes: Set<string> | null = new Set();
  let isRunning = false;
  /** How often the table was emptied, and for which of these times it has been filled since. */
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
        // Without it a million rows, long put away, take tens of megabytes until the collector comes by itself.
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
    codes,
    changed(code) {
      if (!isRunning || changes === null) return;
      if (changes.size < MOST_CHANGES) changes.add(code);
      else changes = null;
    },
    allChanged() {
      changes = null;
      emptied++;
    },
  };
}
