/**
 * Thumbnails of photos of 12 megapixels, made one after the other by the process that the server starts for them.
 *
 *     bin/bun bench/thumbnails.ts [pictures]
 *
 * The processor time of that process counts, so that others on the machine do not.
 */
import { readFileSync } from "node:fs";
import { encode } from "fast-png";
import { MAKER_COMMAND } from "../src/files/thumbnails/frame.ts";
import { createMaker } from "../src/files/thumbnails/maker-process.ts";
import { ownCommand } from "../src/lib/own-command.ts";
import { processSeconds } from "./lib/machine.ts";

const PICTURES = Number(process.argv[2] ?? 1_000);
const PHOTOS = 4;
const [WIDTH, HEIGHT] = [4_000, 3_000];
const GOAL_SECONDS = 60;
const GOAL_MB = 256;

/** Soft shapes with the grain of a sensor, of about the size of a camera's file. */
async function photo(nth: number): Promise<Uint8Array<ArrayBuffer>> {
  const data = new Uint8Array(WIDTH * HEIGHT * 3);
  let grain = nth + 1;
  for (let at = 0; at < data.length; at++) {
    const [x, y] = [Math.floor(at / 3) % WIDTH, Math.floor(at / 3 / WIDTH)];
    grain = (Math.imul(grain, 1_664_525) + 1_013_904_223) >>> 0;
    data[at] = 128 + 90 * Math.sin(x / (90 + nth) + (at % 3)) * Math.cos(y / (70 + nth)) + (grain >>> 28);
  }
  const png = encode({ width: WIDTH, height: HEIGHT, data, channels: 3 }, { zlib: { level: 1 } });
  return new Uint8Array(await new Bun.Image(new Uint8Array(png)).jpeg({ quality: 90 }).bytes());
}

const photos = await Promise.all(Array.from({ length: PHOTOS }, (_, nth) => photo(nth)));
const maker = createMaker([...ownCommand(), MAKER_COMMAND]);
const make = async (nth: number): Promise<void> => {
  const bytes = photos[nth % PHOTOS]!;
  if ((await maker.make(new Blob([bytes]).stream(), { size: bytes.length, side: 512 })) === null)
    throw new Error("no thumbnail");
};
await make(0);
const pid = maker.pid()!;
const [cpu, wall] = [processSeconds(pid), performance.now()];
for (let nth = 0; nth < PICTURES; nth++) await make(nth);
const seconds = processSeconds(pid) - cpu;
const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_000;
maker.close();

const sizes = photos.map(({ length }) => length / 1e6);
console.log(`${PICTURES} photos of ${Math.max(...sizes).toFixed(1)} MB`);
const thousand = (seconds / PICTURES) * 1_000;
console.log(`1,000 take ${thousand.toFixed(1)} s of a core   goal ≤ ${GOAL_SECONDS}`);
console.log(`on this machine ${((performance.now() - wall) / PICTURES).toFixed(0)} ms each`);
console.log(`memory at most ${peak.toFixed(0)} MB   goal ≤ ${GOAL_MB}`);
process.exitCode = thousand > GOAL_SECONDS || peak > GOAL_MB ? 1 : 0;
