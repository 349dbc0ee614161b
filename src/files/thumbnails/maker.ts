/**
 * The process that makes thumbnails: reads pictures from its input, writes their thumbnails to its output (frame.ts);
 * no bytes for what it can't read. A fault in a decoder stays in it (confine.ts), and it ends first when memory is
 * short. The server watches its time and memory.
 */
import { writeSync } from "node:fs";
import { setPriority } from "node:os";
import { boundedPicture } from "./bounded-picture.ts";
import { confine } from "./confine.ts";
import { HEAD_BYTES, headOf, lengthIn, MOST_SOURCE_BYTES, MOST_THUMBNAIL_BYTES } from "./frame.ts";

/** The longer side of a thumbnail in pixels. */
const SIDE = 512;
/** The longest side of a picture. The decoders take long for lines of a single pixel. */
const MOST_SIDE = 32_767;
const QUALITY = 75;
const NICENESS = 10;
const OUTPUT = 1;

/** A JPEG file is decoded at a part of its size; others have four bytes a pixel at once. */
const mostPixels = (bytes: Uint8Array): number => (bytes[0] === 0xff ? 64_000_000 : 36_000_000);

export async function makeThumbnails(): Promise<void> {
  setPriority(NICENESS);
  // Starts the threads of the decoders, before nothing more can be opened.
  await thumbnailOf(TINY);
  const input = Bun.stdin.stream();
  confine();
  for await (const picture of framesIn(input)) {
    const made = await thumbnailOf(picture);
    send(headOf(made.length));
    send(made);
  }
}

const NOTHING = new Uint8Array(0);

/** JPEG stays JPEG, which every program that shows link previews reads. */
async function thumbnailOf(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  try {
    const bounded = boundedPicture(bytes);
    if (bounded === null) return NOTHING;
    const image = new Bun.Image(bounded, { maxPixels: mostPixels(bytes) });
    const { format, width, height } = await image.metadata();
    if (Math.max(width, height) > MOST_SIDE) return NOTHING;
    const small = image.resize(SIDE, SIDE, { fit: "inside", withoutEnlargement: true });
    const options = { quality: QUALITY };
    const made = await (format === "jpeg" ? small.jpeg(options) : small.webp(options)).bytes();
    return made.length <= MOST_THUMBNAIL_BYTES ? made : NOTHING;
  } catch {
    return NOTHING;
  }
}

async function* framesIn(input: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let frame = new Uint8Array(HEAD_BYTES);
  let isHead = true;
  let filled = 0;
  for await (const chunk of input) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + frame.length - filled);
      frame.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < frame.length) continue;
      const whole = frame;
      filled = 0;
      if (!isHead) yield whole;
      const length = isHead ? lengthIn(whole) : HEAD_BYTES;
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
