/**
 * The process that makes thumbnails: reads pictures from its input, writes their thumbnails to its output (frame.ts);
 * no bytes for what it can't read. A fault in a decoder stays in it (confine.ts), and it ends first when memory is
 * short. The server watches its time and memory.
 */
import { writeSync } from "node:fs";
import { setPriority } from "node:os";
import { confine } from "./confine.ts";
import {
  headOf,
  HEIF_MAKER,
  lengthIn,
  MOST_SOURCE_BYTES,
  MOST_THUMBNAIL_BYTES,
  PICTURE_HEAD_BYTES,
  sideIn,
} from "./frame.ts";

/** The longest side of a picture. The decoders take long for lines of a single pixel. */
const MOST_SIDE = 32_767;
const QUALITY = 75;
const NICENESS = 10;
const OUTPUT = 1;

/** A JPEG file is decoded at a part of its size; others have four bytes a pixel at once. */
const mostPixels = (bytes: Uint8Array): number => (bytes[0] === 0xff ? 64_000_000 : 36_000_000);

/** A picture that Bun.Image decodes. Without a thumbnail it is null, or the promise rejects. */
type Prepare = (bytes: Bytes, side: number) => Promise<{ bytes: Bytes; isPhoto: boolean } | null>;
type Bytes = Uint8Array<ArrayBuffer>;

export async function makeThumbnails(): Promise<void> {
  setPriority(NICENESS);
  const isHeif = process.argv.at(-1) === HEIF_MAKER;
  const prepare = isHeif ? await prepareHeif() : bounded;
  // Starts the threads of the decoders, before nothing more can be opened.
  await thumbnailOf(TINY, 1, bounded);
  const input = Bun.stdin.stream();
  confine();
  for await (const { picture, side } of picturesIn(input)) {
    const made = await thumbnailOf(picture, side, prepare);
    send(headOf(made.length));
    send(made);
    // The memory of the decoders goes before the next picture comes.
    if (isHeif) Bun.gc(true);
  }
}

const bounded: Prepare = async (given) => {
  const bytes = boundedPicture(given);
  return bytes === null ? null : { bytes, isPhoto: bytes[0] === 0xff };
};

/** Loaded by this process only, which there is for these pictures only. */
async function prepareHeif(): Promise<Prepare> {
  const { loadHeif } = await import("./heif.ts");
  const decode = await loadHeif();
  return async (given, side) => {
    const decoded = await decode(given, side);
    return decoded === null ? null : { bytes: decoded.bmp, isPhoto: !decoded.hasAlpha };
  };
}

const NOTHING = new Uint8Array(0);

/** Photos become JPEG, which every program that shows link previews reads. */
async function thumbnailOf(given: Bytes, side: number, prepare: Prepare): Promise<Uint8Array> {
  try {
    const prepared = await prepare(given, side);
    if (prepared === null) return NOTHING;
    const { bytes, isPhoto } = prepared;
    const image = new Bun.Image(bytes, { maxPixels: mostPixels(bytes) });
    const { width, height } = await image.metadata();
    if (Math.max(width, height) > MOST_SIDE) return NOTHING;
    const small = image.resize(side, side, { fit: "inside", withoutEnlargement: true });
    const options = { quality: QUALITY };
    const made = await (isPhoto ? small.jpeg(options) : small.webp(options)).bytes();
    return made.length <= MOST_THUMBNAIL_BYTES ? made : NOTHING;
  } catch {
    return NOTHING;
  }
}

async function* picturesIn(
  input: ReadableStream<Uint8Array>,
): AsyncGenerator<{ picture: Bytes; side: number }> {
  let frame = new Uint8Array(PICTURE_HEAD_BYTES);
  let isHead = true;
  let filled = 0;
  let side = 0;
  for await (const chunk of input) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + frame.length - filled);
      frame.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < frame.length) continue;
      const whole = frame;
      filled = 0;
      if (isHead) side = sideIn(whole);
      else yield { picture: whole, side };
      const length = isHead ? lengthIn(whole) : PICTURE_HEAD_BYTES;
      if (length === 0 || length > MOST_SOURCE_BYTES) return;
      isHead = !isHead;
      frame = new Uint8Array(length);
    }
  }
}

function send(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(OUTPUT, bytes, at);
}

/** A PNG file of one pixel. */
const TINY = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==",
    "base64",
  ),
);

/**
 * Refuses pictures that cost a decoder far more than their size, and leaves out of others what it would unpack for
 * nothing. Reads the structure only, in time linear to the size. GIF, WebP and BMP need nothing: of GIF files the first
 * frame is decoded, animated WebP files are refused by the decoder. Other kinds reach no decoder, whatever their type says.
 */

/** Each scan of a JPEG file goes over the whole picture, and a scan of all zeros has some bytes. */
const MOST_SCANS = 100;
/** Scans times pixels: 20 scans of the largest picture. Encoders make about ten. */
const MOST_SCANNED_PIXELS = 20 * 64_000_000;
/** Without scans. Cameras write some tens. */
const MOST_SEGMENTS = 10_000;
/** Compressed; unpacked a thousand times as much. Real ones have some kilobytes. */
const MOST_PROFILE_BYTES = 64 * 1024;

/** The bytes to decode, or null if the picture has no thumbnail. */
export function boundedPicture(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer[0] === 0xff && buffer[1] === 0xd8) return isBoundedJpeg(buffer) ? bytes : null;
  const start = buffer.toString("latin1", 0, 12);
  if (start.startsWith(PNG_SIGNATURE)) return barePng(buffer);
  return OTHER_KIND.test(start) ? bytes : null;
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
/** Not tables of codes (C4, CC) and not reserved (C8). */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
/** Within the data of a scan: a byte of data, or a restart. Filling bytes end at the marker. */
const isNoMarker = (next: number): boolean => next === 0 || next === 1 || (next >= 0xd0 && next <= 0xd7);

/** Also demands the end: the decoder paints what a cut picture lacks grey. */
function isBoundedJpeg(jpeg: Buffer): boolean {
  let [at, scans, segments, pixels] = [2, 0, 0, 0];
  for (;;) {
    // As decoders do, whatever stands before a marker is skipped.
    while (at < jpeg.length && jpeg[at] !== 0xff) at += 1;
    if (at + 1 >= jpeg.length) return false;
    const marker = jpeg[at + 1]!;
    if (marker === 0xff) at += 1;
    else if (isNoMarker(marker)) at += 2;
    else if (marker === END_OF_IMAGE) return scans > 0;
    else {
      if (at + (isFrame(marker) ? 9 : 4) > jpeg.length) return false;
      if (isFrame(marker)) pixels = Math.max(pixels, jpeg.readUInt16BE(at + 5) * jpeg.readUInt16BE(at + 7));
      if (marker === START_OF_SCAN) scans += 1;
      else segments += 1;
      if (scans > MOST_SCANS || segments > MOST_SEGMENTS || scans * pixels > MOST_SCANNED_PIXELS)
        return false;
      at += 2 + jpeg.readUInt16BE(at + 2);
    }
  }
}

const OTHER_KIND = /^(?:GIF8[79]a|RIFF[^]{4}WEBP|BM)/;
const PNG_SIGNATURE = "\x89PNG\r\n\x1a\n";
const SIGNATURE_BYTES = 8;
/** The length, type and checksum of a chunk. */
const FRAME_BYTES = 12;
/** What decides how the first picture looks. Texts and further frames of an animation do not. */
const KEPT = new Set(["IHDR", "PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "IDAT", "IEND"]);

function barePng(png: Buffer<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  let end = SIGNATURE_BYTES;
  let hasProfile = false;
  for (let at = SIGNATURE_BYTES; at + FRAME_BYTES <= png.length; ) {
    const size = FRAME_BYTES + png.readUInt32BE(at);
    if (at + size > png.length) return null;
    const type = png.toString("latin1", at + 4, at + 8);
    const isProfile: boolean = type === "iCCP" && !hasProfile && size <= MOST_PROFILE_BYTES;
    hasProfile ||= isProfile;
    // An empty part of the content says nothing.
    if (isProfile || (KEPT.has(type) && !(type === "IDAT" && size === FRAME_BYTES))) {
      png.copyWithin(end, at, at + size);
      end += size;
    }
    if (type === "IEND") return png.subarray(0, end);
    at += size;
  }
  return null;
}
