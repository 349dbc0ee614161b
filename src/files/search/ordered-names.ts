/**
 * The names of an account in order, in blocks: some 65 bytes a name. A change replaces the blocks that it touches, so a
 * running reader continues in the former ones.
 */
import { createTimeSlices } from "../../lib/time-slices.ts";
import { createNameBlock, type NameBlock } from "./name-block.ts";
import type { Needle } from "./needle.ts";
import { comparePlaces, type HeldName, keyOfPlace, type NamePlace } from "./name-place.ts";

const SIZE = 512;
/** Longest use of the event loop without a rest. */
const SLICE_MS = 4;
/** Up to this many ids a native search is faster than a set. */
const FEW = 4;

export type OrderedNames = ReturnType<typeof createOrderedNames>;

export function createOrderedNames(size = SIZE) {
  let blocks: readonly NameBlock[] = [];
  let bytes = 0;

  function replace(next: readonly NameBlock[]): void {
    blocks = next;
    bytes = next.reduce((sum, block) => sum + block.bytes, 0);
  }

  /** The block whose range has the place. */
  function locate(place: NamePlace): number {
    let [low, high] = [0, blocks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (comparePlaces(blocks[middle]!.first, place) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Blocks with any of the ids. */
  async function having(ids: ReadonlySet<number>): Promise<Set<number>> {
    const found = new Set<number>();
    if (ids.size === 0) return found;
    const few = ids.size <= FEW ? [...ids] : null;
    const slices = createTimeSlices(SLICE_MS);
    for (const [at, block] of blocks.entries()) {
      const own = block.ids;
      if (few === null ? own.some((id) => ids.has(id)) : few.some((id) => own.includes(id))) found.add(at);
      if (slices.due()) await slices.rest();
    }
    return found;
  }

  const cut = (names: readonly HeldName[], most: number): NameBlock[] => {
    const parts = Math.ceil(names.length / most);
    return Array.from({ length: parts }, (_, at) =>
      createNameBlock(
        names.slice(Math.floor((at * names.length) / parts), Math.floor(((at + 1) * names.length) / parts)),
      ),
    );
  };

  function rebuilt(block: NameBlock, gone: ReadonlySet<number>, added: readonly HeldName[]): NameBlock[] {
    const taken = new Set(added.map(keyOfPlace));
    const names = [...added];
    for (let at = 0; at < block.count; at++) {
      if (gone.has(block.ids[at]!)) continue;
      const name = block.nameAt(at);
      if (!taken.has(keyOfPlace(name))) names.push(name);
    }
    return cut(names.sort(comparePlaces), names.length > 2 * size ? size : 2 * size);
  }

  return {
    bytes: (): number => bytes,

    /** In order, after all others. */
    append(names: readonly HeldName[]): void {
      const added = cut(names, size);
      blocks = [...blocks, ...added];
      bytes += added.reduce((sum, block) => sum + block.bytes, 0);
    },

    /** Removes ids, then adds names. One call at a time. */
    async change(gone: ReadonlySet<number>, added: readonly HeldName[]): Promise<void> {
      if (gone.size === 0 && added.length === 0) return;
      if (blocks.length === 0) return this.append(added.toSorted(comparePlaces));
      const touched = new Map<number, HeldName[]>();
      for (const at of await having(gone)) touched.set(at, []);
      for (const name of added) {
        const at = locate(name);
        const known = touched.get(at);
        if (known === undefined) touched.set(at, [name]);
        else known.push(name);
      }
      const next: NameBlock[] = [];
      const slices = createTimeSlices(SLICE_MS);
      for (const [at, block] of blocks.entries()) {
        const names = touched.get(at);
        if (names === undefined) next.push(block);
        else next.push(...rebuilt(block, gone, names));
        if (slices.due()) await slices.rest();
      }
      replace(next);
    },

    async *matches(needle: Needle, after: NamePlace): AsyncGenerator<NamePlace[]> {
      const all = blocks;
      const slices = createTimeSlices(SLICE_MS);
      for (let at = locate(after), begin = at; at < all.length; at++) {
        const block = all[at]!;
        const found = block.find(needle.bytes).map((name) => block.nameAt(name));
        const places = at === begin ? found.filter((name) => comparePlaces(name, after) > 0) : found;
        if (places.length > 0) yield places;
        if (slices.due()) await slices.rest();
      }
    },
  };
}
