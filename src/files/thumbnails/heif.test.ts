/**
 * HEIC and AVIF in the process that makes thumbnails. The pictures (test/fixtures/pictures/README.md) have a red corner
 * at the top left, a green one at the top right and a yellow one at the bottom left, as people see them.
 */
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { PNG } from "pngjs";
import { ownCommand } from "../../lib/own-command.ts";
import { HEIF_MAKER, MAKER_COMMAND } from "./frame.ts";
import { createMaker } from "./maker-process.ts";

/** Long enough for a machine that is busy with other tests. */
const LIMITS = { pictureMs: 60_000, idleMs: 60_000, memoryBytes: 512 * 1024 * 1024 };
const COMMAND = [...ownCommand(), MAKER_COMMAND, HEIF_MAKER];
const maker = createMaker(COMMAND, LIMITS);
afterAll(maker.close);

const picture = (name: string): Buffer =>
  readFileSync(new URL(`../../../test/fixtures/pictures/${name}`, import.meta.url));
const make = (bytes: Uint8Array, side = 512) =>
  maker.make(new Blob([new Uint8Array(bytes)]).stream(), { size: bytes.length, side });

async function shown(made: Uint8Array | null) {
  const image = new Bun.Image(new Uint8Array(made!));
  const { format, width, height } = await image.metadata();
  const { data } = PNG.sync.read(Buffer.from(await new Bun.Image(new Uint8Array(made!)).png().bytes()));
  const colourAt = (x: number, y: number): string => {
    const [red, green, blue, alpha] = data.subarray(4 * (y * width + x));
    if (alpha! < 128) return "none";
    if (red! > 180) return green! > 180 ? "yellow" : "red";
    return green! > 160 ? "green" : blue! > 150 ? "blue" : "other";
  };
  const corners = [
    [9, 9],
    [width - 9, 9],
    [9, height - 9],
    [width - 9, height - 9],
  ].map(([x, y]) => colourAt(x!, y!));
  return { is: `${format} ${width}x${height}`, corners: corners.join(" ") };
}

test.each([
  // In tiles, turned by `irot`, which Exif repeats, as phones write it.
  ["turned.heic", "jpeg 384x512", "yellow red blue green"],
  ["mirrored.heic", "jpeg 512x384", "green red blue yellow"],
  ["both.heic", "jpeg 384x512", "red yellow green blue"],
  ["ten.heic", "jpeg 512x384", "red green yellow blue"],
  ["turned.avif", "jpeg 384x512", "yellow red blue green"],
  ["alpha.avif", "webp 512x384", "red green yellow none"],
])("%s is shown as it was taken", async (name, is, corners) => {
  expect(await shown(await make(picture(name)))).toEqual({ is, corners });
});

test("48 megapixels become small, in tiles within the memory of other pictures", async () => {
  for (const name of ["large.heic", "large-single.heic"]) {
    const made = await make(picture(name), 1_600);
    expect(await shown(made)).toEqual({ is: "jpeg 1600x1200", corners: "red green yellow blue" });
  }
  const small = createMaker(COMMAND, { ...LIMITS, memoryBytes: 256 * 1024 * 1024 });
  const file = picture("large.heic");
  const what = { size: file.length, side: 512 };
  expect(await small.make(new Blob([new Uint8Array(file)]).stream(), what)).not.toBeNull();
  small.close();
});

test("AVIF of 12 megapixels, one after the other, takes the memory of one", async () => {
  const one = createMaker(COMMAND, { ...LIMITS, memoryBytes: 320 * 1024 * 1024 });
  const file = picture("photo.avif");
  const what = { size: file.length, side: 512 };
  for (let nth = 0; nth < 3; nth++) {
    const made = await one.make(new Blob([new Uint8Array(file)]).stream(), what);
    expect(await shown(made)).toEqual({ is: "jpeg 512x384", corners: "red green yellow blue" });
  }
  one.close();
});

/** Replaces what follows each occurrence of the name of a box. */
function patched(name: string, box: string, change: (at: number, file: Buffer) => void): Buffer {
  const file = Buffer.from(picture(name));
  for (let at = file.indexOf(box); at >= 0; at = file.indexOf(box, at + 1)) change(at + box.length, file);
  return file;
}

/** A file with so many items, of which none is a picture. */
function crowd(items: number): Buffer {
  const box = (name: string, ...parts: Buffer[]): Buffer => {
    const content = Buffer.concat(parts);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(content.length + 8);
    head.write(name, 4, "latin1");
    return Buffer.concat([head, content]);
  };
  const entry = box("infe", Buffer.from([2, 0, 0, 0, 0, 1, 0, 0]), Buffer.from("hvc1\0", "latin1"));
  const count = Buffer.from([0, 0, 0, 0, items >> 8, items & 255]);
  const handler = box("hdlr", Buffer.alloc(8), Buffer.from("pict", "latin1"), Buffer.alloc(13));
  const meta = [Buffer.alloc(4), handler, box("pitm", Buffer.from([0, 0, 0, 0, 0, 1]))];
  const list = box("iinf", count, ...Array.from({ length: items }, () => entry));
  return Buffer.concat([
    box("ftyp", Buffer.from("heic\0\0\0\0mif1heic", "latin1")),
    box("meta", ...meta, list),
  ]);
}

test("bombs have none, and the process goes on", async () => {
  await make(picture("ten.heic"));
  const first = maker.pid();
  const large = picture("large.heic");
  const references = large.indexOf("dimg") + 4;
  const ofItself = Buffer.from(large);
  for (let index = 0; index < large.readUInt16BE(references + 2); index++)
    large.copy(ofItself, references + 4 + 2 * index, references, references + 2);
  for (const [what, bomb] of Object.entries({
    "a huge size": patched("ten.heic", "ispe", (at, file) => file.writeUInt32BE(60_000, at + 4)),
    "a size of nothing": patched("ten.heic", "ispe", (at, file) => file.writeUInt32BE(0, at + 4)),
    "a huge size of AV1": patched("turned.avif", "ispe", (at, file) => file.fill(0x7f, at + 4, at + 12)),
    "more tiles than there are": patched("large.heic", "idat", (at, file) => file.fill(255, at + 2, at + 4)),
    "a huge size of a grid": patched("large.heic", "idat", (at, file) => file.fill(255, at + 4, at + 8)),
    "a grid of itself": ofItself,
    "twenty thousand items": crowd(20_000),
    "no picture": Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"),
    "another kind": Buffer.from("GIF89a<script>alert(1)</script>"),
  })) {
    expect([what, await make(bomb)]).toEqual([what, null]);
  }
  for (const name of ["turned.heic", "turned.avif"]) {
    const file = picture(name);
    for (let part = 1; part < 8; part++)
      expect(await make(file.subarray(0, (file.length * part) / 8))).toBeNull();
  }
  expect(maker.pid()).toBe(first);
});

test("a picture that is larger than it says, and damaged ones, keep nobody from the next", async () => {
  const liars = patched("large-single.heic", "ispe", (at, file) => {
    file.writeUInt32BE(64, at + 4);
    file.writeUInt32BE(64, at + 8);
  });
  const liar = await make(liars);
  expect(liar === null || liar.length < 10_000).toBeTrue();
  let seed = 40;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % below;
  };
  for (const name of ["turned.heic", "turned.avif", "both.heic"]) {
    for (let nth = 0; nth < 8; nth++) {
      const file = Buffer.from(picture(name));
      for (let change = 0; change < 4; change++) file[random(file.length)] = random(256);
      const made = await make(file);
      expect(made === null || made.length > 0).toBeTrue();
    }
  }
  expect(await shown(await make(picture("ten.heic")))).toMatchObject({ is: "jpeg 512x384" });
});
