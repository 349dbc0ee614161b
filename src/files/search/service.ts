/**
 * Finds entries of an account by a part of their names, by folder and name.
 *
 * A few names are read in the order of their index: a frequent needle fills the page there. For a rare
 * one the database's index of letters tells all candidates; otherwise reading goes on in larger steps.
 * What lies in the trash or is being removed has no path and drops out. A request reads up to MOST_READ names or
 * MOST_MATCHES matches.
 */
import { ROOT } from "../tree/entry.ts";
import type { LocatedEntry } from "../tree/located-entry.ts";
import type { FolderPath, PathsRepository } from "../tree/paths.repository.ts";
import type { NamePlace, SearchRepository } from "./repository.ts";

const START: NamePlace = { parentId: ROOT, name: "" };
const FIRST_STEP = 5_000;
const LARGEST_STEP = 320_000;
const GROWTH = 4;
const MOST_INDEXED = 10_000;
const MOST_READ = 2_000_000;
const MOST_MATCHES = 20_000;
/** Matches whose paths are looked up at once. */
const PORTION = 200;

/** No name has them. Databases take some for the end of a text. */
const IN_NO_NAME = /\p{Cc}/u;

export type SearchPage = {
  entries: LocatedEntry[];
  /** Null at the end. A page may be short, even empty, before that. */
  next: NamePlace | null;
};

/** Matches in order. `upTo`: everything up to there was read; null: everything. */
type Portion = { places: readonly NamePlace[]; upTo: NamePlace | null };

type Deps = { repository: SearchRepository; paths: PathsRepository };

export type FileSearch = ReturnType<typeof createFileSearch>;

export function createFileSearch({ repository, paths }: Deps) {
  async function* fromIndex(found: readonly NamePlace[], from: NamePlace): AsyncGenerator<Portion> {
    const sorted = found.filter((place) => compare(place, from) > 0).sort(compare);
    for (let at = 0; ; at += PORTION) {
      const places = sorted.slice(at, at + PORTION);
      const isAll = at + PORTION >= sorted.length;
      yield { places, upTo: isAll ? null : places.at(-1)! };
      if (isAll) return;
    }
  }

  async function* matching(accountId: number, needle: string, after: NamePlace): AsyncGenerator<Portion> {
    let from = after;
    for (let step = FIRST_STEP, read = 0; ; step = Math.min(step * GROWTH, LARGEST_STEP)) {
      const to = await repository.placeAfter(accountId, from, step);
      for (let begin = from; ; ) {
        const places = await repository.matches(accountId, needle, { from: begin, to }, PORTION);
        const isAll = places.length < PORTION;
        yield { places, upTo: isAll ? to : places.at(-1)! };
        if (isAll) break;
        begin = places.at(-1)!;
      }
      if (to === null) return;
      from = to;
      read += step;
      if (step === FIRST_STEP) {
        const found = await repository.indexed(accountId, needle, MOST_INDEXED);
        if (found !== null) return yield* fromIndex(found, from);
      }
      if (read >= MOST_READ) return;
    }
  }

  return {
    /** At most `limit` entries after a place. */
    async page(accountId: number, text: string, after: NamePlace | null, limit: number): Promise<SearchPage> {
      if (IN_NO_NAME.test(text) || !text.isWellFormed()) return { entries: [], next: null };
      const needle = text.normalize("NFC");
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

const compare = (a: NamePlace, b: NamePlace): number =>
  a.parentId - b.parentId || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
