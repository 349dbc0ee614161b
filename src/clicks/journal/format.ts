/**
 * The click journal on disk.
 *
 * Segments are files of fixed size, mapped shared. They are filled with real zero blocks before use, so a full disk is
 * an ordinary error, not a fault at a memory store (copy-on-write file systems can't guarantee that). A record is a few
 * stores into the mapping, which survive the process. A power cut may lose what the kernel has not written.
 *
 * A segment has pages of 4096 bytes, little-endian. Page 0 is the header:
 *
 *     0  8 bytes  "WMCLICKS"           48  f64  created, epoch ms
 *     8  u32      format version       56  u32  seed of the checks
 *    12  u32      segment size         60  u32  check over bytes 0..59
 *    16  16 bytes segment UUID
 *    32  16 bytes UUID of the database that the clicks belong to
 *
 * Records follow from page 1 on. A record is a multiple of 16 bytes and lies within one page:
 *
 *     word 0  bits 0..3 kind, bits 4..11 length in units of 16 bytes, bits 12..31 check
 *     word 1  link id, low 32 bits
 *     word 2  bits 0..20 link id, high bits; bits 21..31 time, high bits
 *     word 3  time, low 32 bits          (link id < 2^53, time in epoch ms < 2^43: the year 2248)
 *
 *     kind 1  count: 16 bytes.
 *     kind 2  count with details: words 4 and 5 are u16 byte lengths of referrer, utm_source and user agent, a u8
 * length
 *             of the address and a u8 of flags. With flag 2 an f64 follows, the visitor (unique/visitor.ts). Then their
 *             bytes follow in that order, zero-padded, shortened to the bounds of details-record.ts; utm_source is
 *             percent-encoded, the address is text. Length 65,535: no such header. With flag 1 then follow a u8 number
 *             of the rule (0: none), a u8 length of the language, a u16 length of the campaign, and both texts.
 *     kinds 3, 4, 5  count whose details were refused (REFUSALS, in this order).
 *     kinds 6 to 10  like 1 to 5, of an automated visitor.
 *     kinds 11, 12  count whose visitor wants no details (`signal`), of a person and of an automated visitor.
 *     kind 15 filler: skip its length. Ends a page without room for the next record.
 *
 * Word 0 is stored last. Its check covers the other words (from word 4 on as a digest in the seed), the record's place
 * and the segment's seed. So word 0 = 0 ends the written part, and a wrong check is an unfinished record. In an open
 * segment a reader stops at either and returns later. If the writer is done or dead, it continues at the next page,
 * because pages after a lost one may be whole.
 */
export const PAGE_BYTES = 4096;
/** The position of a journal without counted clicks. */
export const FIRST_RECORD = PAGE_BYTES;
export const SEGMENT_BYTES = 8 * 1024 * 1024;
export const RECORD_BYTES = 16;
export const SEGMENT_SUFFIX = ".seg";

export const KIND_COUNT = 1;
export const KIND_DETAILS = 2;
const FIRST_REFUSED_KIND = 3;
export const KIND_FILLER = 15;

/** Without the check. */
export const recordHeaderWord = (kind: number, bytes: number): number => kind | ((bytes / RECORD_BYTES) << 4);
/**
 * Why a click lacks requested details: too many waited, no segment had room, the sample left it out, or the visitor's
 * browser asks not to be tracked.
 */
export const REFUSALS = ["full", "disconnected", "sampled_out", "signal"] as const;
export type DetailRefusal = (typeof REFUSALS)[number];

/** Number of kinds for people's clicks; adding it gives the automated kind. */
const HUMAN_KINDS = 5;
const KIND_SIGNAL = 11;
const KIND_AUTOMATED_SIGNAL = 12;
const humanKind = (kind: number): number => (kind > HUMAN_KINDS ? kind - HUMAN_KINDS : kind);

/** `refused`: why the click has no details. */
export const countKind = (refused: DetailRefusal | null, isAutomated: boolean): number =>
  refused === "signal"
    ? isAutomated
      ? KIND_AUTOMATED_SIGNAL
      : KIND_SIGNAL
    : classedKind(
        refused === null ? KIND_COUNT : FIRST_REFUSED_KIND + REFUSALS.indexOf(refused),
        isAutomated,
      );
export const classedKind = (kind: number, isAutomated: boolean): number =>
  isAutomated ? kind + HUMAN_KINDS : kind;
const isSignal = (kind: number): boolean => kind === KIND_SIGNAL || kind === KIND_AUTOMATED_SIGNAL;
export const detailRefusalOf = (kind: number): DetailRefusal | null =>
  isSignal(kind) ? "signal" : (REFUSALS[humanKind(kind) - FIRST_REFUSED_KIND] ?? null);
export const isClick = (kind: number): boolean => kind >= KIND_COUNT && kind <= KIND_AUTOMATED_SIGNAL;
export const isAutomatedKind = (kind: number): boolean => kind > HUMAN_KINDS && kind !== KIND_SIGNAL;
export const hasDetails = (kind: number): boolean => humanKind(kind) === KIND_DETAILS;
export const isRefusedKind = (kind: number): boolean => humanKind(kind) >= FIRST_REFUSED_KIND;
export const CHECK_MASK = 0xfffff000 | 0;

const VERSION = 1;
const MAGIC = new TextEncoder().encode("WMCLICKS");
const HEADER_BYTES = 64;

export type SegmentHeader = {
  uuid: string;
  instance: string;
  /** With the header page. */
  bytes: number;
  createdAt: number;
  seed: number;
};

/** Check of a 16-byte record at word `place`, in bits 12..31. The writer has an inlined copy. */
export function recordCheck(
  seed: number,
  place: number,
  word1: number,
  word2: number,
  word3: number,
): number {
  let hash = Math.imul(word1 ^ seed ^ place, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ word2, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ word3, 0xc2b2ae35);
  return hash & CHECK_MASK;
}

/** Digest of words from 4 on, for the seed of a longer record's check. Starts with 0. */
export const digestWord = (digest: number, word: number): number => {
  const mixed = Math.imul(digest ^ word, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
};

export function encodeHeader(header: SegmentHeader): Uint8Array {
  const page = new Uint8Array(PAGE_BYTES);
  const view = new DataView(page.buffer);
  page.set(MAGIC, 0);
  view.setUint32(8, VERSION, true);
  view.setUint32(12, header.bytes, true);
  page.set(uuidBytes(header.uuid), 16);
  page.set(uuidBytes(header.instance), 32);
  view.setFloat64(48, header.createdAt, true);
  view.setUint32(56, header.seed, true);
  view.setUint32(60, Bun.hash.crc32(page.subarray(0, 60)), true);
  return page;
}

/** Returns null for a file that is no segment of a known version. */
export function decodeHeader(page: Uint8Array): SegmentHeader | null {
  if (page.length < HEADER_BYTES) return null;
  const view = new DataView(page.buffer, page.byteOffset, HEADER_BYTES);
  const known = MAGIC.every((byte, index) => page[index] === byte) && view.getUint32(8, true) === VERSION;
  if (!known || view.getUint32(60, true) !== Bun.hash.crc32(page.subarray(0, 60))) return null;
  return {
    uuid: uuidText(page.subarray(16, 32)),
    instance: uuidText(page.subarray(32, 48)),
    bytes: view.getUint32(12, true),
    createdAt: view.getFloat64(48, true),
    seed: view.getUint32(56, true),
  };
}

const uuidBytes = (uuid: string): Uint8Array => Uint8Array.fromHex(uuid.replaceAll("-", ""));

const uuidText = (bytes: Uint8Array): string =>
  bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
