/** Sets of ids as bits: an eighth of a byte for each id up to the largest. */

/** A set of larger ids is not made. */
export const LARGEST_ID = 2 ** 22;

export type IdSet = {
  readonly size: number;
  add(id: number): void;
  delete(id: number): void;
  copy(): IdSet;
  /** The intersection. */
  and(other: IdSet): IdSet;
  without(other: IdSet): IdSet;
  all(): number[];
  /** Ascending. */
  forEach(visit: (id: number) => void): void;
  readonly bytes: Uint8Array;
};

const BITS_IN = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

export const createIdSet = (): IdSet => setOf(new Uint8Array(0), 0);

/** Intersects these ids, as bits, with the other set. Keeps and changes `bytes`. */
export function idSetWithin(bytes: Uint8Array, other: IdSet): IdSet {
  const theirs = other.bytes;
  let size = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]! & (theirs[at] ?? 0);
    bytes[at] = byte;
    size += BITS_IN[byte]!;
  }
  return setOf(bytes, size);
}

function setOf(given: Uint8Array, count: number): IdSet {
  let bytes = given;
  let size = count;

  const combined = (other: Uint8Array, combine: (own: number, theirs: number) => number): IdSet => {
    const both = new Uint8Array(bytes.length);
    let found = 0;
    for (let at = 0; at < both.length; at++) {
      const byte = combine(bytes[at]!, other[at] ?? 0);
      both[at] = byte;
      found += BITS_IN[byte & 255]!;
    }
    return setOf(both, found);
  };

  function forEach(visit: (id: number) => void): void {
    for (let at = 0; at < bytes.length; at++) {
      for (let rest = bytes[at]!; rest !== 0; rest &= rest - 1) visit(at * 8 + 31 - Math.clz32(rest & -rest));
    }
  }

  return {
    get size() {
      return size;
    },
    get bytes() {
      return bytes;
    },
    add(id) {
      if (id > LARGEST_ID) throw new RangeError(`the id ${id} is too large for a set`);
      const at = id >> 3;
      if (at >= bytes.length) {
        const longer = new Uint8Array(Math.max(at + 1, bytes.length * 2));
        longer.set(bytes);
        bytes = longer;
      }
      const bit = 1 << (id & 7);
      if ((bytes[at]! & bit) === 0) size++;
      bytes[at]! |= bit;
    },
    delete(id) {
      const at = id >> 3;
      const bit = 1 << (id & 7);
      if (at >= bytes.length || (bytes[at]! & bit) === 0) return;
      size--;
      bytes[at]! &= ~bit;
    },
    copy: () => setOf(bytes.slice(), size),
    and: (other) => combined(other.bytes, (own, theirs) => own & theirs),
    without: (other) => combined(other.bytes, (own, theirs) => own & ~theirs),
    forEach,
    all() {
      const ids: number[] = [];
      forEach((id) => ids.push(id));
      return ids;
    },
  };
}
