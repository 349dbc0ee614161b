/**
 * Searches texts held outside the database, once they are read, and prepares what pages far from the start need. The
 * first list starts both in the background.
 */
import { chunked } from "../../lib/chunked.ts";
import type { Held, HeldThings } from "../../lib/held.ts";
import { EVERYTHING } from "./filter.ts";
import { type IdSet, idSetWithin, LARGEST_ID } from "./id-set.ts";
import type { SortKey } from "./order.ts";
import { sizeOf } from "./plan.ts";
import type { Changed, PositionsRepository } from "./positions.repository.ts";
import type { IdRange } from "./repository.ts";

/** See texts/texts.ts. */
export type Texts = {
  read(from: number, to: number): Promise<void>;
  change(ids: readonly number[]): void;
  find(search: string): Promise<{ ids: Uint8Array; unsure: readonly number[] } | null>;
  close(): void;
};

/** `from`: from this many links on. Without `open` nothing is prepared. */
export type Ahead = { open: (() => Texts) | null; from: number };

type HeldTexts = Held<Changed> & { texts: Texts };

type Deps = {
  repository: PositionsRepository;
  held: HeldThings<Changed>;
  ahead: Ahead;
  everything(all: IdRange): Promise<IdSet>;
  order(sort: SortKey): Promise<unknown>;
};

const TEXTS = "texts";
/** Without the order by clicks, which is rebuilt too often. */
const ORDERS: readonly SortKey[] = ["created_at", "expires_at", "code"];
const CHUNK = 1_000;
/** Too many changes at once end an attempt. */
const PAUSE_MS = 10_000;

export const AHEAD_FROM = 100_000;

export function createHeldTexts({ repository, held, ahead: { open, from }, everything, order }: Deps) {
  let making: Promise<void> | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let opened: Texts | undefined;
  let isClosed = false;

  async function makeTexts(openTexts: () => Texts, all: IdRange): Promise<HeldTexts> {
    const texts = (opened = openTexts());
    try {
      await texts.read(all.from, all.to);
    } catch (error) {
      texts.close();
      throw error;
    }
    return {
      texts,
      isPinned: true,
      bytes: () => 0,
      drop: texts.close,
      follow({ links }: Changed) {
        if (links.some(({ id }) => id > LARGEST_ID)) return false;
        texts.change(links.map(({ id }) => id));
        return true;
      },
    };
  }

  async function makeAhead(extent: () => Promise<IdRange | null>): Promise<void> {
    const all = await extent();
    if (open === null || all === null || sizeOf(all) < from || all.to > LARGEST_ID) return;
    for (const sort of ORDERS) await order(sort);
    await everything(all);
    let tries = 0;
    const made = await held.get(TEXTS, async () => {
      if (isClosed || tries++ > 0) throw new Error("too much changed while the texts were read");
      return makeTexts(open, all);
    });
    if (held.peek(TEXTS) !== made) made.drop?.();
  }

  return {
    isReady: (): boolean => held.peek(TEXTS) !== undefined,

    /** Null if the texts are not ready or can't answer. */
    async searched(search: string, all: IdRange): Promise<IdSet | null> {
      const kept = (await held.current(TEXTS)) as HeldTexts | undefined;
      if (kept === undefined) return null;
      try {
        const [found, existing] = await Promise.all([kept.texts.find(search), everything(all)]);
        if (found === null) return null;
        const set = idSetWithin(found.ids, existing);
        for (const id of found.unsure) set.delete(id);
        for (const ids of chunked(found.unsure, CHUNK)) {
          for (const id of await repository.matchingAmong({ ...EVERYTHING, search }, ids)) set.add(id);
        }
        return set;
      } catch {
        // The thread failed; the next attempt reads them again.
        held.forget(TEXTS);
        return null;
      }
    },

    /** In the background. */
    makeAhead(extent: () => Promise<IdRange | null>): void {
      if (open === null || isClosed || making !== null || performance.now() - triedAt < PAUSE_MS) return;
      triedAt = performance.now();
      making = makeAhead(extent)
        .catch(() => {})
        .finally(() => (making = null));
    },

    close(): void {
      isClosed = true;
      opened?.close();
    },
  };
}
