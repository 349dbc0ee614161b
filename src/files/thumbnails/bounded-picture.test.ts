/** Pictures that are small as files and large for a decoder. */
import { expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { boundedPicture } from "./maker.ts";

const segment = (marker: number, ...data: number[]): Buffer =>
  Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255, ...data]);
const START = Buffer.from([0xff, 0xd8]);
const END = Buffer.from([0xff, 0xd9]);
const frame = (width: number, height: number, marker = 0xc2) =>
  segment(marker, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0);
const SCAN = Buffer.concat([segment(0xda, 1, 1, 0, 1, 63, 0), Buffer.from([0, 0xff, 0, 0xff, 0xd0, 7])]);
const jpeg = (...parts: Buffer[]) => new Uint8Array(Buffer.concat([START, ...parts]));
const scans = (count: number) => Array.from({ length: count }, () => SCAN);
const isTaken = (bytes: Uint8Array<ArrayBuffer>) => boundedPicture(bytes) !== null;

test("a JPEG file has at most a hundred scans, fewer if it is large, and its end", () => {
  for (const [parts, isGood] of [
    [[frame(100, 100), ...scans(1), END], true],
    [[frame(100, 100), ...scans(100), END], true],
    [[frame(100, 100), ...scans(101), END], false],
    [[frame(8_000, 8_000), ...scans(20), END], true],
    [[frame(8_000, 8_000), ...scans(21), END], false],
    [[frame(8_000, 8_000, 0xc1), ...scans(21), END], false],
    // Between the scans are tables, filling bytes and what decoders skip.
    [[frame(9, 9), ...scans(60), segment(0xc4, 0), Buffer.from([1, 2, 255, 255]), ...scans(60), END], false],
    [[frame(9, 9), ...scans(1), segment(0xfe), END], true],
    [[frame(9, 9), ...scans(1)], false],
    [[frame(9, 9), END], false],
    [[frame(9, 9), Buffer.from([0xff, 0xda, 0])], false],
    [[Buffer.from([0xff, 0xc0, 0, 9])], false],
    [[frame(9, 9), ...Array.from({ length: 10_001 }, () => segment(0xfe)), ...scans(1), END], false],
    // A file in a file, such as the thumbnail of a camera.
    [[segment(0xe1, ...jpeg(frame(9, 9), ...scans(300), END)), frame(9, 9), ...scans(1), END], true],
    [[frame(9, 9), ...scans(1), END, ...scans(300)], true],
  ] as const) {
    expect([parts.length, isTaken(jpeg(...parts))]).toEqual([parts.length, isGood]);
  }
});

test("a scan bomb costs no decoder", () => {
  // 252 kilobytes, for which libjpeg-turbo took eleven seconds.
  const zeros = Buffer.concat([segment(0xda, 1, 1, 0, 1, 63, 0), Buffer.alloc(115)]);
  expect(isTaken(jpeg(frame(8_000, 8_000), ...Array.from({ length: 1_000 }, () => zeros), END))).toBeFalse();
});

function chunk(type: string, data: Uint8Array = new Uint8Array(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const edge = Buffer.alloc(8);
  edge.writeUInt32BE(data.length, 0);
  edge.writeUInt32BE(Bun.hash.crc32(named), 4);
  return Buffer.concat([edge.subarray(0, 4), named, edge.subarray(4)]);
}
const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const HEAD = chunk("IHDR", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]));
const DATA = chunk("IDAT", deflateSync(Buffer.alloc(4)));
const png = (...chunks: Buffer[]) => new Uint8Array(Buffer.concat([SIGNATURE, ...chunks]));
const namesIn = (bytes: Uint8Array | null): string => {
  const names = [];
  const file = Buffer.from(bytes!);
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at))
    names.push(file.toString("latin1", at + 4, at + 8));
  return names.join(" ");
};

test("of a PNG file nothing is unpacked but the first picture and a short profile", () => {
  const profile = (bytes: number) => chunk("iCCP", Buffer.alloc(bytes));
  const bomb = deflateSync(Buffer.alloc(10_000_000));
  const whole = boundedPicture(
    png(
      HEAD,
      profile(60_000),
      profile(100),
      chunk("zTXt", Buffer.concat([Buffer.from("a\0\0"), bomb])),
      chunk("iTXt", Buffer.concat([Buffer.from("a\0\x01\0\0\0"), bomb])),
      chunk("tEXt", Buffer.from("a\0b")),
      chunk("acTL", Buffer.alloc(8)),
      chunk("IDAT"),
      DATA,
      chunk("IDAT"),
      chunk("fdAT", bomb),
      chunk("IEND"),
      chunk("tEXt"),
    ),
  );
  expect(namesIn(whole)).toBe("IHDR iCCP IDAT IEND");
  expect(namesIn(boundedPicture(png(HEAD, profile(70_000), DATA, chunk("IEND"))))).toBe("IHDR IDAT IEND");
  const bare = png(HEAD, chunk("PLTE"), chunk("tRNS"), chunk("gAMA"), DATA, chunk("IEND"));
  expect(boundedPicture(bare.slice())).toEqual(bare);
  for (const cut of [png(HEAD, DATA), bare.slice(0, -3), png(), SIGNATURE.subarray(0)])
    expect(boundedPicture(new Uint8Array(cut))).toBeNull();
});

test("GIF, WebP and BMP are left to their decoders, other kinds reach none", () => {
  const isTakenText = (text: string) => isTaken(new Uint8Array(Buffer.from(text, "latin1")));
  expect(["GIF87a", "GIF89a", "RIFF\xff\n\0\0WEBP", "BM"].map(isTakenText)).toEqual([true, true, true, true]);
  for (const text of ["", "II*\0", "MM\0*", "\0\0\0\x20ftypavif", "RIFF0000WAVE", "GIF", "<svg/>", " GIF89a"])
    expect([text, isTakenText(text)]).toEqual([text, false]);
});
