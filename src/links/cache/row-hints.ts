/**
 * Likely row ids of codes that the link table lacks, for a database that finds a row sooner by id than by code: the
 * lookup reads one page instead of two. Open addressing with linear probing, four fifths full: 32 bits of the id and
 * eight of the code's hash, 6.25 bytes a code. A hint may be missing or wrong, so the lookup compares the code.
 */

export type RowHints = {
  /** 0: unknown. `hash` is the code's hashCode. */
  find(hash: number): number;
  readonly bytes: number;
};

export type RowHintsBuilder = RowHints & {
  /** At most `capacity` times. */
  add(hash: number, id: number): void;
};

const SLOTS_PER_CODE = 1.25;
const TWO_POW_32 = 0x1_0000_0000;

export function createRowHints(capacity: number): RowHintsBuilder {
  const slots = Math.ceil(capacity * SLOTS_PER_CODE) + 1;
  const ids = new Uint32Array(slots);
  const tags = new Uint8Array(slots);
  const home = (hash: number): number => Math.floor(((hash >>> 0) * slots) / TWO_POW_32);
  const after = (slot: number): number => (slot + 1 === slots ? 0 : slot + 1);
  return {
    add(hash, id) {
      let slot = home(hash);
      while (ids[slot] !== 0) slot = after(slot);
      ids[slot] = id;
      tags[slot] = hash;
    },
    find(hash) {
      const tag = hash & 0xff;
      for (let slot = home(hash); ids[slot] !== 0; slot = after(slot)) {
        if (tags[slot] === tag) return ids[slot]!;
      }
      return 0;
    },
    bytes: ids.byteLength + tags.byteLength,
  };
}
