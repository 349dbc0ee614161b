/**
 * The searched texts of all links, outside the database (blocks.ts). They are read once. The database tests changed
 * links until a few hundred have changed, then those are read again. Texts of deleted links stay.
 */
import { chunked } from "../../lib/chunked.ts";
import { writtenForms } from "../../db/text-search.ts";
import { END, SEPARATOR, type TextSizes } from "./blocks.ts";
import type { TextsRead, TextsRepository } from "./repository.ts";
import type { ScanThread } from "./scan.thread.ts";

export type LinkTexts = {
  /** Links with these ids. Rejects if a text can't be kept. */
  read(from: number, to: number): Promise<void>;
  /** At most 5,000 at once. */
  change(ids: readonly number[]): void;
  /** `ids` as bits, including deleted links; `unsure` may match too. Null if the texts can't answer. */
  find(search: string): Promise<{ ids: Uint8Array; unsure: readonly number[] } | null>;
  sizes(): TextSizes;
  close(): void;
};

type Deps = { repository: TextsRepository; thread: ScanThread; refreshFrom?: number };

const ASCII = /^[\x00-\x7f]*$/;

/** A portion is a block. */
const PORTION = 1_024;
const CHUNK = 1_000;
const REFRESH_FROM = 400;
/** Testing more takes longer than searching all links. */
const MOST_UNSURE = 5_000;
const MOST_ODD = 4_000;

export function createLinkTexts({ repository, thread, refreshFrom = REFRESH_FROM }: Deps): LinkTexts {
  let changed = new Set<number>();
  let inWork: ReadonlySet<number> = new Set();
  /** Texts that are not kept, or that the database compares in its own way. */
  const odd = new Set<number>();
  let isClosed = false;

  /** Whether all were whole. */
  async function put({ texts, links }: TextsRead): Promise<boolean> {
    if (links === 0) return true;
    const done = await thread.put(texts);
    if (!repository.foldsOnlyAscii) note(done.beyondAscii);
    return done.links === links;
  }

  function note(ids: readonly number[]): void {
    for (const id of ids) odd.add(id);
    if (odd.size > MOST_ODD) throw new RangeError("too many links have texts that can't be kept");
  }

  async function readSpan(from: number, to: number): Promise<void> {
    if (await put(await repository.between(from, to))) return;
    if (from < to) {
      const middle = (from + to) >> 1;
      await readSpan(from, middle);
      return readSpan(middle + 1, to);
    }
    note([from]);
  }

  async function refresh(): Promise<void> {
    while (changed.size >= refreshFrom && !isClosed) {
      inWork = changed;
      changed = new Set();
      for (const ids of chunked([...inWork], CHUNK)) {
        if (await put(await repository.of(ids))) continue;
        for (const id of ids) await readSpan(id, id);
      }
      inWork = new Set();
    }
  }

  let refreshing: Promise<void> | null = null;

  return {
    async read(from, to) {
      for (let at = from; at <= to && !isClosed; at += PORTION - (at % PORTION)) {
        await readSpan(at, Math.min(to, at + PORTION - (at % PORTION) - 1));
      }
    },
    change(ids) {
      for (const id of ids) changed.add(id);
      if (changed.size < refreshFrom || refreshing !== null || isClosed) return;
      refreshing = refresh()
        .catch(() => {
          // They stay unsure and are tried again with the next ones.
          for (const id of inWork) changed.add(id);
          inWork = new Set();
        })
        .finally(() => (refreshing = null));
    },
    async find(search) {
      if (search.includes(SEPARATOR) || search.includes(END)) return null;
      if (!repository.foldsOnlyAscii && !ASCII.test(search)) return null;
      const unsure = [...new Set([...changed, ...inWork, ...odd])];
      if (unsure.length > MOST_UNSURE) return null;
      return { ids: await thread.find(writtenForms(search)), unsure };
    },
    sizes: thread.sizes,
    close() {
      isClosed = true;
      thread.close();
    },
  };
}
