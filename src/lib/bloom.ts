/**
 * A Bloom filter: a set that may say "there" of what was never added, but never "not there" of what was.
 *
 * It is the split-block filter of Apache Parquet (https://parquet.apache.org/docs/file-format/bloomfilter/, after
 * Putze, Sanders, Singler: "Cache-, Hash- and Space-Efficient Bloom Filters"): the hash chooses one block of eight
 * 32-bit words, and one bit in each of the eight words. So an answer touches half a cache line, whatever the size.
 * At 12 bits for each code of the capacity, about 0.5 % of the codes that are not there pass at capacity.
 *
 * A filter doesn't grow and forgets nothing: its owner builds a larger one from the whole set of codes. Added to
 * beyond its capacity it stays right and lets more and more codes pass (about 3 % at one and a half times of it).
 */
export type Bloom = {
  add(hash: number): void;
  /** False: certainly never added. */
  mayHave(hash: number): boolean;
  /** For how many codes it was made. */
  readonly capacity: number;
  /** Memory taken. */
  readonly bytes: number;
};

const BITS_PER_CODE = 12;
const WORDS_PER_BLOCK = 8;
const TWO_POW_32 = 0x1_0000_0000;

/** Parquet's eight odd multipliers: one bit position in each word of a block. */
const SALT = new Int32Array([
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
]);

/** An empty filter for that many codes; hashes are `hashCode`'s 32 bits. */
export function createBloom(capacity: number): Bloom {
  const blocks = Math.max(1, Math.ceil((capacity * BITS_PER_CODE) / (WORDS_PER_BLOCK * 32)));
  const words = new Int32Array(blocks * WORDS_PER_BLOCK);

  /** The block comes from the hash's high bits. */
  const firstWord = (hash: number): number =>
    Math.floor(((hash >>> 0) * blocks) / TWO_POW_32) * WORDS_PER_BLOCK;

  return {
    add(hash) {
      const first = firstWord(hash);
      const key = rehash(hash);
      for (let i = 0; i < WORDS_PER_BLOCK; i++) words[first + i]! |= 1 << (Math.imul(key, SALT[i]!) >>> 27);
    },
    mayHave(hash) {
      const first = firstWord(hash);
      const key = rehash(hash);
      for (let i = 0; i < WORDS_PER_BLOCK; i++) {
        if ((words[first + i]! & (1 << (Math.imul(key, SALT[i]!) >>> 27))) === 0) return false;
      }
      return true;
    },
    capacity,
    bytes: words.byteLength,
  };
}

/** Mixed once more, the hash serves again inside of the block. */
function rehash(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 12);
}
