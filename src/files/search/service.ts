/**
 * Finds entries of an account by a part of their names, by folder and name.
 *
 * A few names are read in order: a frequent needle fills the page there. Otherwise an index of the database tells all
 * candidates, or the account's names are searched in memory. If there are too many, a request reads a part of them.
 * Entries in the trash or being removed have no path and drop out.
 */
import type { LocatedEntry } from "../tree/located-entry.ts";
import type { FolderPath, PathsRepository } from "../tree/paths.repository.ts";
import type { HeldNames } from "./held-names.ts";
import { comparePlaces, type NamePlace } from "./name-place.ts";
import { createNeedle, type Needle } from "./needle.ts";
import type { OrderedNames } from "./ordered-names.ts";
import { START, type SearchRepository } from "./repository.ts";

const FIRST_STEP = 2_000;
const STEP = 5_000;
const MOST_CANDIDATES = 10_000;
const MOST_READ = 200_000;
/** If the index is slower, as for frequent words, the names are held in memory. */
const SLOW_MS = 50;
const MOST_MATCHES = 20_000;
/** Matches whose paths are looked up at once. */
const PORTION = 200;

/** No name has control characters. Some databases end a text there. */
const IN_NO_NAME = /\p{Cc}/u;

export type SearchPage = {
  entries: LocatedEntry[];
  /** Null at the end. Earlier pages may be short, even empty. */
  next: NamePlace | null;
};

/** Matches in order. `upTo`: how far names were read; null: to the end. */
type Portion = { places: readonly NamePlace[]; upTo: NamePlace | null };

type Deps = { repository: SearchRepository; held: HeldNames; paths: PathsRepository; slowMs?: number };

export type FileSearch = ReturnType<typeof createFileSearch>;

export function createFileSearch({ repository, held, paths, slowMs = SLOW_MS }: Deps) {
  /** Reads at most this many names after a place. */
  async function* reading(
    accountId: number,
    needle: Needle,
    { after, most }: { after: NamePlace; most: number },
  ): AsyncGenerator<Portion, NamePlace | null> {
    let from = after;
    for (let read = 0; read < most; read += STEP) {
      const step = Math.min(STEP, most - read);
      const names = await repository.names(accountId, from, step);
      const isAll = names.length < step;
      const upTo = isAll ? null : names.at(-1)!;
      yield { places: names.filter(({ name }) => needle.isIn(name)), upTo };
      if (upTo === null) return null;
      from = upTo;
    }
    return from;
  }

  async function* matching(accountId: number, needle: Needle, after: NamePlace): AsyncGenerator<Portion> {
    let from: NamePlace | null = after;
    if (!held.knows(accountId)) {
      from = yield* reading(accountId, needle, { after, most: FIRST_STEP });
      if (from === null) return;
      const begun = performance.now();
      const found = await repository.candidates(accountId, needle.text, MOST_CANDIDATES);
      if (performance.now() - begun > slowMs) held.prepare(accountId);
      if (found !== null) return yield* inPortions(found, needle, from);
    }
    const names = await held.of(accountId);
    if (names !== null) return yield* inMemory(names, needle, from);
    yield* reading(accountId, needle, { after: from, most: MOST_READ });
  }

  return {
    /** Bytes of names in memory. */
    heldBytes: held.bytes,

    async page(accountId: number, text: string, after: NamePlace | null, limit: number): Promise<SearchPage> {
      if (IN_NO_NAME.test(text) || !text.isWellFormed()) return { entries: [], next: null };
      const needle = createNeedle(text);
      const known = new Map<number, FolderPath | null>();
      const found: { place: NamePlace; path: FolderPath }[] = [];
      let next: NamePlace | null = null;
      let matches = 0;
      for await (const { places, upTo } of matching(accountId, needle, after ?? START)) {
        const unknown = places.map(({ parentId }) => parentId).filter((id) => !known.has(id));
        const ways = await paths.pathsOf(accountId, unknown);
        for (const id of unknown) known.set(id, ways.get(id) ?? null);
        for (const place of places) {
          const path = known.get(place.parentId) ?? null;
          if (path !== null && found.length <= limit) found.push({ place, path });
        }
        next = upTo;
        matches += places.length;
        if (found.length > limit || matches >= MOST_MATCHES) break;
      }
      const shown = found.slice(0, limit);
      if (found.length > limit) next = shown.at(-1)!.place;
      const entries = await repository.load(
        accountId,
        shown.map(({ place }) => place),
      );
      return { entries: entries.map((entry) => ({ ...entry, path: known.get(entry.parentId) ?? [] })), next };
    },
  };
}

async function* inMemory(names: OrderedNames, needle: Needle, after: NamePlace): AsyncGenerator<Portion> {
  let places: NamePlace[] = [];
  for await (const found of names.matches(needle, after)) {
    places.push(...found);
    while (places.length > PORTION) {
      const portion = places.slice(0, PORTION);
      places = places.slice(PORTION);
      yield { places: portion, upTo: portion.at(-1)! };
    }
  }
  yield { places, upTo: null };
}

function* inPortions(candidates: readonly NamePlace[], needle: Needle, after: NamePlace): Generator<Portion> {
  const sorted = candidates
    .filter((place) => needle.isIn(place.name) && comparePlaces(place, after) > 0)
    .sort(comparePlaces);
  for (let at = 0; ; at += PORTION) {
    const places = sorted.slice(at, at + PORTION);
    const isAll = at + PORTION >= sorted.length;
    yield { places, upTo: isAll ? null : places.at(-1)! };
    if (isAll) return;
  }
}
