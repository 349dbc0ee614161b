/**
 * Some hundred names one after another in bytes, so that one native search finds a text in all of them. ASCII letters
 * are stored small; bits mark capitals. A block never changes.
 */
import type { HeldName } from "./name-place.ts";

export type NameBlock = {
  readonly count: number;
  readonly first: HeldName;
  readonly ids: Float64Array;
  readonly bytes: number;
  nameAt(at: number): HeldName;
  /** Which names have one of the texts, ascending. */
  find(texts: readonly Buffer[]): number[];
};

const BETWEEN = 0;
const [A, Z, TO_SMALL] = [0x41, 0x5a, 0x20];
/** Bytes of the objects themselves. */
const OVERHEAD = 500;

/** Takes names in order, not empty, without the character 0. */
export function createNameBlock(names: readonly HeldName[]): NameBlock {
  const text = Buffer.from(`${names.map(({ name }) => name).join("\0")}\0`);
  const capitals = new Uint8Array((text.length >> 3) + 1);
  const ends = new Uint32Array(names.length);
  for (let at = 0, name = 0; at < text.length; at++) {
    const byte = text[at]!;
    if (byte === BETWEEN) ends[name++] = at;
    if (byte < A || byte > Z) continue;
    capitals[at >> 3]! |= 1 << (at & 7);
    text[at] = byte + TO_SMALL;
  }
  const ids = Float64Array.from(names, ({ id }) => id);
  const parents = Float64Array.from(names, ({ parentId }) => parentId);

  /** The name that covers a byte. */
  function nameOver(byte: number, from: number): number {
    let [low, high] = [from, ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle]! < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function findOne(wanted: Buffer): number[] {
    const found: number[] = [];
    for (let byte = text.indexOf(wanted); byte !== -1; ) {
      const name = nameOver(byte, (found.at(-1) ?? -1) + 1);
      found.push(name);
      byte = text.indexOf(wanted, ends[name]! + 1);
    }
    return found;
  }

  return {
    count: names.length,
    first: names[0]!,
    ids,
    bytes: text.length + capitals.length + names.length * 20 + OVERHEAD,
    nameAt(name) {
      const begin = name === 0 ? 0 : ends[name - 1]! + 1;
      const own = Buffer.from(text.subarray(begin, ends[name]));
      for (let byte = 0; byte < own.length; byte++) {
        const place = begin + byte;
        if ((capitals[place >> 3]! & (1 << (place & 7))) !== 0) own[byte]! -= TO_SMALL;
      }
      return { id: ids[name]!, parentId: parents[name]!, name: own.toString() };
    },
    find(texts) {
      if (texts.length === 1) return findOne(texts[0]!);
      return [...new Set(texts.flatMap(findOne))].sort((a, b) => a - b);
    },
  };
}
