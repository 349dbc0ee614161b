import { expect, test } from "bun:test";
import { dataUrlOf, pictureIn } from "./picture.ts";

const bytesOf = (...parts: (string | number[])[]): Buffer<ArrayBuffer> =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );
const png = bytesOf("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", [0, 0, 1, 2, 0, 0, 0, 3, 8, 6]);
const frame = [0xff, 0xc2, 0, 17, 8, 0, 3, 1, 2, 3];
const jpeg = bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 4, 9, 9, 0xff, 0xc4, 0, 2], frame);
const riff = (chunk: string, data: number[]) =>
  bytesOf("RIFF", [0, 0, 0, 0], "WEBP", chunk, [0, 0, 0, 0], data);
const lossy = riff("VP8 ", [0, 0, 0, 0x9d, 1, 0x2a, 2, 1, 3, 0]);
const lossless = riff("VP8L", [0x2f, 1, 0x81, 0, 0, 0, 0, 0, 0, 0]);
const extended = riff("VP8X", [0, 0, 0, 0, 1, 1, 0, 2, 0, 0]);

test("the first bytes say kind and size", () => {
  for (const [type, bytes] of [
    ["image/png", png],
    ["image/jpeg", jpeg],
    ["image/webp", lossy],
    ["image/webp", extended],
  ] as const)
    expect(pictureIn(dataUrlOf({ type, bytes }))).toEqual({ type, bytes, width: 258, height: 3 });
  expect(pictureIn(dataUrlOf({ type: "image/webp", bytes: lossless }))).toMatchObject({
    width: 258,
    height: 3,
  });
});

test("what is cut, of another kind or hostile is no picture, and ends", () => {
  const all = [png, jpeg, lossy, lossless, extended];
  for (const bytes of all)
    for (let length = 0; length < 24 && length < bytes.length - 1; length++)
      expect(pictureIn(dataUrlOf({ type: "image/png", bytes: bytes.subarray(0, length) }))).toBeNull();
  expect(pictureIn(dataUrlOf({ type: "image/png", bytes: jpeg }))).toBeNull();
  const endless = bytesOf([0xff, 0xd8], ...Array.from({ length: 4000 }, () => [0xff, 0xe0, 0, 0]));
  expect(pictureIn(dataUrlOf({ type: "image/jpeg", bytes: endless }))).toBeNull();
  expect(pictureIn("data:image/svg+xml;base64,PHN2Zy8+")).toBeNull();
});
