/**
 * Pixels of a decoded picture, made smaller as they come, so that a large picture is never in memory as a whole beside
 * what its decoder has. `Bun.Image` makes the rest, and reads them as a BMP file.
 */

/** Red, green, blue and alpha, row by row. */
export type Pixels = { width: number; height: number; data: Uint8Array; hasAlpha: boolean };

export type Size = { width: number; height: number };

/** Each pixel is the mean of a square of `factor` × `factor` values, or of what is inside the picture. */
export type Plane = Size & { factor: number; full: Size; sums: Uint16Array | Uint32Array };

/** The sum of so many squared bytes fits into two bytes. */
const LARGEST_SHORT_FACTOR = 16;

export function newPlane(full: Size, factor: number): Plane {
  const [width, height] = [Math.ceil(full.width / factor), Math.ceil(full.height / factor)];
  const Sums = factor > LARGEST_SHORT_FACTOR ? Uint32Array : Uint16Array;
  return { width, height, factor, full, sums: new Sums(width * height) };
}

type Values = Size & {
  bytes: Uint8Array;
  /** From the first value of a row to that of the next one. */
  stride: number;
  /** From a value to the next one. */
  step: number;
  /** Where the first value is in the picture. */
  left: number;
  top: number;
};

/** Adds a part of the picture. What is outside of it, as in the last tiles of a grid, is left out. */
export function addToPlane({ sums, width, factor, full }: Plane, values: Values): void {
  const { bytes, stride, step, left, top } = values;
  const columns = Math.min(values.width, full.width - left);
  const rows = Math.min(values.height, full.height - top);
  for (let y = 0; y < rows; y++) {
    const row = Math.floor((top + y) / factor) * width;
    for (let x = 0, at = y * stride; x < columns; x++, at += step)
      sums[row + Math.floor((left + x) / factor)]! += bytes[at]!;
  }
}

/** The means, of whose squares those at the edges are smaller. */
function meansOf({ sums, width, height, factor, full }: Plane): Uint8Array {
  const means = new Uint8Array(width * height);
  for (let y = 0, at = 0; y < height; y++) {
    const rows = Math.min(factor, full.height - y * factor);
    for (let x = 0; x < width; x++, at++)
      means[at] = Math.round(sums[at]! / (rows * Math.min(factor, full.width - x * factor)));
  }
  return means;
}

/** How brightness and colours become red, green and blue (ITU-T H.273). */
export type Matrix = { red: number; blue: number; isFullRange: boolean };

/** `colours`: differences of blue and red, at the resolution of `light` or at half of it. */
export function fromLightAndColours(
  light: Plane,
  colours: readonly [Plane, Plane],
  { red, blue, isFullRange }: Matrix,
): Pixels {
  const { width, height } = light;
  const data = new Uint8Array(width * height * 4);
  const [lights, blues, reds] = [meansOf(light), meansOf(colours[0]), meansOf(colours[1])];
  const shift = colours[0].width < width ? 1 : 0;
  const base = isFullRange ? 0 : 16;
  const [lightScale, colourScale] = isFullRange ? [1, 1] : [255 / 219, 255 / 224];
  const green = 1 - red - blue;
  const [toRed, toBlue] = [2 * (1 - red), 2 * (1 - blue)];
  for (let y = 0, at = 0; y < height; y++) {
    const row = (y >> shift) * colours[0].width;
    for (let x = 0; x < width; x++, at++) {
      const l = (lights[at]! - base) * lightScale;
      const b = toBlue * (blues[row + (x >> shift)]! - 128) * colourScale;
      const r = toRed * (reds[row + (x >> shift)]! - 128) * colourScale;
      data[4 * at] = byteOf(l + r);
      data[4 * at + 1] = byteOf(l - (red * r + blue * b) / green);
      data[4 * at + 2] = byteOf(l + b);
      data[4 * at + 3] = 255;
    }
  }
  return { width, height, data, hasAlpha: false };
}

const byteOf = (value: number): number => Math.min(Math.max(Math.round(value), 0), 255);

/** Makes a picture with four bytes a pixel smaller. */
export function reduced(bytes: Uint8Array, full: Size, factor: number): Pixels {
  const [width, height] = [Math.ceil(full.width / factor), Math.ceil(full.height / factor)];
  const data = new Uint8Array(width * height * 4);
  let hasAlpha = false;
  for (let channel = 0; channel < 4; channel++) {
    const plane = newPlane(full, factor);
    const values = { ...full, bytes: bytes.subarray(channel), stride: full.width * 4, step: 4 };
    addToPlane(plane, { ...values, left: 0, top: 0 });
    const means = meansOf(plane);
    for (let at = 0; at < means.length; at++) data[4 * at + channel] = means[at]!;
    hasAlpha = channel === 3 && means.some((mean) => mean !== 255);
  }
  return { width, height, data, hasAlpha };
}

/** Where the first pixel comes from, and how far from there those to the right of and below a pixel are. */
type Order = { start: number; right: number; below: number };

function rearranged({ data, hasAlpha }: Pixels, size: Size, { start, right, below }: Order): Pixels {
  const from = new Uint32Array(data.buffer);
  const to = new Uint32Array(size.width * size.height);
  for (let y = 0, at = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++, at++) to[at] = from[start + x * right + y * below]!;
  return { ...size, data: new Uint8Array(to.buffer), hasAlpha };
}

export function flippedVertically(pixels: Pixels): Pixels {
  const { width, height } = pixels;
  return rearranged(pixels, { width, height }, { start: (height - 1) * width, right: 1, below: -width });
}

export function flippedHorizontally(pixels: Pixels): Pixels {
  const { width, height } = pixels;
  return rearranged(pixels, { width, height }, { start: width - 1, right: -1, below: width });
}

/** Turned by a quarter against the clock. */
export function turned(pixels: Pixels): Pixels {
  const { width, height } = pixels;
  const size = { width: height, height: width };
  return rearranged(pixels, size, { start: width - 1, right: width, below: -1 });
}

export type Borders = { left: number; top: number; right: number; bottom: number };

export function cropped(pixels: Pixels, { left, top, right, bottom }: Borders): Pixels {
  const { width, height } = pixels;
  const size = { width: width - left - right, height: height - top - bottom };
  if (size.width < 1 || size.height < 1) return pixels;
  return rearranged(pixels, size, { start: top * width + left, right: 1, below: width });
}

const FILE_HEAD_BYTES = 14;
/** BITMAPV4HEADER, which has a mask for alpha. */
const PICTURE_HEAD_BYTES = 108;
const WITH_MASKS = 3;
const MASKS = [0xff0000, 0xff00, 0xff, 0xff000000];

/** An uncompressed BMP file, with the first row first. */
export function bmpOf({ width, height, data }: Pixels): Uint8Array<ArrayBuffer> {
  const start = FILE_HEAD_BYTES + PICTURE_HEAD_BYTES;
  const file = Buffer.alloc(start + data.length);
  file.write("BM", 0, "latin1");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(start, 10);
  file.writeUInt32LE(PICTURE_HEAD_BYTES, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(-height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(32, 28);
  file.writeUInt32LE(WITH_MASKS, 30);
  file.writeUInt32LE(data.length, 34);
  for (const [index, mask] of MASKS.entries()) file.writeUInt32LE(mask, 54 + index * 4);
  for (let at = 0; at < data.length; at += 4) {
    file[start + at] = data[at + 2]!;
    file[start + at + 1] = data[at + 1]!;
    file[start + at + 2] = data[at]!;
    file[start + at + 3] = data[at + 3]!;
  }
  return file;
}
