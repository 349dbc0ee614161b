/**
 * Decodes HEIC and AVIF in WebAssembly, in the process that makes thumbnails. libheif reads the structure of both and
 * decodes HEVC, tile by tile; libavif decodes AV1. Each picture has instances of its own, so that none meets what the
 * one before left, and memory is given back.
 */
import type avifFactory from "@jsquash/avif/codec/dec/avif_dec.js";
// @ts-expect-error a path, not a module
import avifPath from "@jsquash/avif/codec/dec/avif_dec.wasm" with { type: "file" };
// @ts-expect-error a path, not a module
import heifPath from "libheif-js/libheif-wasm/libheif.wasm" with { type: "file" };
import type heifFactory from "libheif-js/libheif-wasm/libheif.js";
import {
  addToPlane,
  bmpOf,
  cropped,
  flippedHorizontally,
  flippedVertically,
  fromLightAndColours,
  type Matrix,
  newPlane,
  type Pixels,
  reduced,
  type Size,
  turned,
} from "./pixels.ts";

type Heif = ReturnType<typeof heifFactory>;
type Picture = { bmp: Uint8Array<ArrayBuffer>; hasAlpha: boolean };

const MOST_SIDE = 32_767;
const MOST_PIXELS = 64_000_000;
/** libavif takes twelve times as much memory for a pixel as libheif does for one of a tile. */
const MOST_AV1_PIXELS = 20_000_000;
/** A picture of 48 megapixels from a phone has 192. */
const MOST_TILES = 1_024;
/** Pixels of all tiles together, which may reach over the edges. */
const MOST_TILED_PIXELS = 2 * MOST_PIXELS;
const MOST_MEMORY = 512 * 1024 * 1024;

/** As browsers have it. The class that libavif's script makes where there is none keeps the first instance for ever. */
class DecodedImage {
  constructor(
    readonly data: Uint8ClampedArray,
    readonly width: number,
    readonly height: number,
  ) {}
}

/** Reads the modules; call it before the process gives up opening files. */
export async function loadHeif(): Promise<(file: Uint8Array, side: number) => Promise<Picture | null>> {
  const [heif, avif] = await Promise.all([
    import("libheif-js/libheif-wasm/libheif.js"),
    import("@jsquash/avif/codec/dec/avif_dec.js"),
  ]);
  const [heifBytes, avifBytes] = await Promise.all(
    [heifPath, avifPath].map((path) => Bun.file(path).bytes()),
  );
  Object.assign(globalThis, { ImageData: DecodedImage });
  // What nobody needs is not compiled.
  const compiled = { heif: once(heifBytes!), avif: once(avifBytes!) };
  return async (file, side) => {
    const reader = heif.default({ instantiateWasm: instantiate(compiled.heif()), printErr() {} });
    const picture = openPicture(reader, file);
    const factor = factorFor(picture.size, side);
    const isAv1 = picture.codec === "av01";
    if (isAv1 && picture.size.width * picture.size.height > MOST_AV1_PIXELS) return null;
    const pixels = isAv1
      ? await decodeAv1(avif.default, compiled.avif(), file, factor)
      : decodeTiles(reader, picture, factor);
    const shown = transformed(reader, picture, pixels);
    return { bmp: bmpOf(shown), hasAlpha: shown.hasAlpha };
  };
}

function once(bytes: Uint8Array<ArrayBuffer>): () => WebAssembly.Module {
  let compiled: WebAssembly.Module | undefined;
  return () => (compiled ??= new WebAssembly.Module(bytes));
}

type Receive = (instance: WebAssembly.Instance) => unknown;

const instantiate =
  (compiled: WebAssembly.Module) =>
  (imports: WebAssembly.Imports, receive: Receive): WebAssembly.Exports => {
    const instance = new WebAssembly.Instance(compiled, imports);
    receive(instance);
    return instance.exports;
  };

/** Leaves at least what is asked for, of which Bun.Image makes the rest. Even, or 1, because colours have half of it. */
function factorFor({ width, height }: Size, side: number): number {
  const factor = Math.floor(Math.max(width, height) / side);
  return factor < 2 ? 1 : factor - (factor % 2);
}

type OpenPicture = {
  context: number;
  item: number;
  handle: number;
  codec: string;
  size: Size;
  tiles: Size & { columns: number; rows: number };
};

/** Scratch memory of a call: an error of three words, then results. */
const ERROR = 0;
const RESULT = 4;
const SCRATCH_BYTES = 256;

function scratchOf(heif: Heif) {
  const start = heif._malloc(SCRATCH_BYTES);
  return {
    error: start + ERROR,
    result: start + 4 * RESULT,
    word: (index: number): number => heif.HEAPU32[start / 4 + RESULT + index],
    /** @throws Error if the last call failed */
    check(): void {
      if (heif.HEAPU32[start / 4 + ERROR] !== 0) throw new Error("The picture can't be read.");
    },
  };
}

const nameOf = (fourCharacters: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(fourCharacters >>> 0);
  return bytes.toString("latin1");
};

/** @throws Error if it is not a picture of a codec that is decoded here, or beyond the bounds */
function openPicture(heif: Heif, file: Uint8Array): OpenPicture {
  const scratch = scratchOf(heif);
  const context = heif._heif_context_alloc();
  limit(heif, heif._heif_context_get_security_limits(context));
  const bytes = heif._malloc(file.length);
  heif.HEAPU8.set(file, bytes);
  heif._heif_context_read_from_memory_without_copy(scratch.error, context, bytes, file.length, 0);
  scratch.check();
  heif._heif_context_get_primary_image_handle(scratch.error, context, scratch.result);
  scratch.check();
  const handle = scratch.word(0);
  const item = heif._heif_image_handle_get_item_id(handle);
  // Without the turns of the picture. The first word is a version.
  heif._heif_image_handle_get_image_tiling(scratch.error, handle, 0, scratch.result);
  scratch.check();
  const [columns, rows, tileWidth, tileHeight, width, height] = [1, 2, 3, 4, 5, 6].map(scratch.word) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  let codec = nameOf(heif._heif_item_get_item_type(context, item));
  if (codec === "grid") {
    heif._heif_image_handle_get_grid_image_tile_id(scratch.error, handle, 0, 0, 0, scratch.result);
    scratch.check();
    codec = nameOf(heif._heif_item_get_item_type(context, scratch.word(0)));
  }
  const tiles = { columns, rows, width: tileWidth, height: tileHeight };
  const isBounded =
    Math.min(width, height, tileWidth, tileHeight) > 0 &&
    Math.max(width, height, tileWidth, tileHeight) <= MOST_SIDE &&
    width * height <= MOST_PIXELS &&
    columns * rows <= MOST_TILES &&
    columns * rows * tileWidth * tileHeight <= MOST_TILED_PIXELS;
  if (!isBounded || (codec !== "hvc1" && codec !== "av01")) throw new Error("The picture is out of bounds.");
  return { context, item, handle, codec, size: { width, height }, tiles };
}

/** Offsets in struct heif_security_limits. */
const [PIXELS, TILES, MEMORY_BLOCK, TOTAL_MEMORY] = [8, 16, 40, 64];

function limit(heif: Heif, limits: number): void {
  for (const [offset, most] of [
    [PIXELS, MOST_PIXELS],
    [TILES, MOST_TILES],
    [MEMORY_BLOCK, MOST_MEMORY],
    [TOTAL_MEMORY, MOST_MEMORY],
  ] as const) {
    heif.HEAPU32[(limits + offset) / 4] = most;
    heif.HEAPU32[(limits + offset) / 4 + 1] = 0;
  }
}

/** Offsets in struct heif_decoding_options. */
const [IGNORE_TRANSFORMATIONS, CONVERT_HDR_TO_8_BIT] = [1, 20];
const [YCBCR, CHROMA_420] = [0, 1];
const [LIGHT, BLUE, RED] = [0, 1, 2];

function decodeTiles(heif: Heif, { handle, size, tiles }: OpenPicture, factor: number): Pixels {
  const scratch = scratchOf(heif);
  const options = heif._heif_decoding_options_alloc();
  heif.HEAPU8[options + IGNORE_TRANSFORMATIONS] = 1;
  heif.HEAPU8[options + CONVERT_HDR_TO_8_BIT] = 1;
  const half = { width: Math.ceil(size.width / 2), height: Math.ceil(size.height / 2) };
  const light = newPlane(size, factor);
  const colours = [1, 2].map(() => newPlane(half, Math.max(factor / 2, 1))) as [typeof light, typeof light];
  let matrix: Matrix | null = null;
  const isTiled = tiles.columns * tiles.rows > 1;
  const { error, result } = scratch;
  const decode = (column: number, row: number): void =>
    isTiled
      ? heif._heif_image_handle_decode_image_tile(
          ...([error, handle, result, YCBCR, CHROMA_420, options, column, row] as const),
        )
      : heif._heif_decode_image(error, handle, result, YCBCR, CHROMA_420, options);
  for (let row = 0; row < tiles.rows; row++) {
    for (let column = 0; column < tiles.columns; column++) {
      decode(column, row);
      scratch.check();
      const image = scratch.word(0);
      const [left, top] = [column * tiles.width, row * tiles.height];
      addChannel(heif, image, LIGHT, light, left, top);
      addChannel(heif, image, BLUE, colours[0], left / 2, top / 2);
      addChannel(heif, image, RED, colours[1], left / 2, top / 2);
      matrix ??= matrixOf(heif, image);
      heif._heif_image_release(image);
    }
  }
  return fromLightAndColours(light, colours, matrix!);
}

function addChannel(
  heif: Heif,
  image: number,
  channel: number,
  plane: ReturnType<typeof newPlane>,
  left: number,
  top: number,
): void {
  const scratch = scratchOf(heif);
  const start = heif._heif_image_get_plane_readonly2(image, channel, scratch.result);
  const [width, height] = [
    heif._heif_image_get_width(image, channel),
    heif._heif_image_get_height(image, channel),
  ];
  const stride = scratch.word(0);
  heif._free(scratch.error);
  if (start === 0 || width < 1 || height < 1) throw new Error("A part of the picture is missing.");
  const bytes = heif.HEAPU8.subarray(start, start + stride * height);
  addToPlane(plane, { bytes, width, height, stride, step: 1, left, top });
}

/** Shares of red and blue in the brightness, by the number of the matrix (ITU-T H.273). BT.601 by default. */
const MATRICES = new Map([
  [1, [0.2126, 0.0722]],
  [9, [0.2627, 0.0593]],
  [10, [0.2627, 0.0593]],
] as const);
const BT_601 = [0.299, 0.114] as const;

function matrixOf(heif: Heif, image: number): Matrix {
  const scratch = scratchOf(heif);
  heif._heif_image_get_nclx_color_profile(scratch.error, image, scratch.result);
  const isKnown = heif.HEAPU32[scratch.error / 4] === 0;
  const profile = scratch.word(0);
  // struct heif_color_profile_nclx: the matrix is the fourth word, the flag the byte after it.
  const [red, blue] = (isKnown && MATRICES.get(heif.HEAPU32[profile / 4 + 3])) || BT_601;
  return { red, blue, isFullRange: !isKnown || heif.HEAPU8[profile + 16] !== 0 };
}

async function decodeAv1(
  factory: typeof avifFactory,
  compiled: WebAssembly.Module,
  file: Uint8Array,
  factor: number,
): Promise<Pixels> {
  const avif = await factory({ instantiateWasm: instantiate(compiled), printErr() {} });
  const image = avif.decode(file as Uint8Array<ArrayBuffer>, 8);
  if (image === null) throw new Error("The picture can't be decoded.");
  const { data, width, height } = image;
  return reduced(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), { width, height }, factor);
}

/** Crops, turns and mirrors as the file says. Orientations in Exif repeat that, and have no effect (ISO/IEC 23008-12). */
function transformed(heif: Heif, { context, item, size }: OpenPicture, pixels: Pixels): Pixels {
  const scratch = scratchOf(heif);
  const count = heif._heif_item_get_transformation_properties(context, item, scratch.result, MOST_TRANSFORMS);
  const properties = Array.from({ length: count }, (_, index) => scratch.word(index));
  let [shown, full] = [pixels, size];
  for (const property of properties) {
    const kind = nameOf(heif._heif_item_get_property_type(context, item, property));
    if (kind === "irot") {
      const turns = heif._heif_item_get_property_transform_rotation_ccw(context, item, property) / 90;
      for (let turn = 0; turn < turns; turn++) {
        shown = turned(shown);
        full = { width: full.height, height: full.width };
      }
    } else if (kind === "imir") {
      const isVertical = heif._heif_item_get_property_transform_mirror(context, item, property) === 0;
      shown = isVertical ? flippedVertically(shown) : flippedHorizontally(shown);
    } else if (kind === "clap") {
      const borders = bordersOf(heif, { context, item, property }, full);
      const scale = (pixelCount: number) => Math.round((pixelCount * shown.width) / full.width);
      const { left, top, right, bottom } = borders;
      shown = cropped(shown, {
        left: scale(left),
        top: scale(top),
        right: scale(right),
        bottom: scale(bottom),
      });
      full = { width: full.width - left - right, height: full.height - top - bottom };
    }
  }
  return shown;
}

const MOST_TRANSFORMS = 8;

function bordersOf(
  heif: Heif,
  { context, item, property }: { context: number; item: number; property: number },
  { width, height }: Size,
) {
  const { result, word } = scratchOf(heif);
  const places = [result, result + 4, result + 8, result + 12] as const;
  heif._heif_item_get_property_transform_crop_borders(context, item, property, width, height, ...places);
  const [left, top, right, bottom] = [0, 1, 2, 3].map((index) => Math.max(word(index) | 0, 0));
  return { left: left!, top: top!, right: right!, bottom: bottom! };
}
