/** The mark of the pages as a PNG, because not every browser takes an SVG as icon. */
import { encode } from "fast-png";
import { accentOf, channelsOf } from "./accent.ts";
import { MARK_LINES, MARK_RADIUS, MARK_SIZE, MARK_STROKE } from "./mark.ts";

const PIXELS = 64;

let last: { accentColor: string; icon: Uint8Array<ArrayBuffer> } | undefined;

/** @param accentColor `#` and six hexadecimal digits */
export function iconOf(accentColor: string): Uint8Array<ArrayBuffer> {
  if (last?.accentColor !== accentColor) last = { accentColor, icon: draw(accentColor) };
  return last.icon;
}

/** Edges are smooth: a pixel is covered as far as its centre is inside. */
function draw(accentColor: string): Uint8Array<ArrayBuffer> {
  const { fill, onFill } = accentOf(accentColor);
  const [ground, line] = [channelsOf(fill), channelsOf(onFill)];
  const scale = PIXELS / MARK_SIZE;
  const covered = (distance: number) => Math.min(1, Math.max(0, 0.5 - distance * scale));
  const data = new Uint8Array(PIXELS * PIXELS * 4);
  for (let at = 0; at < PIXELS * PIXELS; at++) {
    const x = ((at % PIXELS) + 0.5) / scale;
    const y = (Math.floor(at / PIXELS) + 0.5) / scale;
    const onLine = covered(Math.min(...MARK_LINES.map((ends) => distanceTo(ends, x, y))) - MARK_STROKE / 2);
    const color = ground.map((channel, of) => Math.round(channel + (line[of]! - channel) * onLine));
    data.set([...color, Math.round(255 * covered(distanceToSquare(x, y)))], at * 4);
  }
  return encode({ width: PIXELS, height: PIXELS, data, channels: 4, depth: 8 }).slice();
}

/** Negative inside. */
function distanceToSquare(x: number, y: number): number {
  const half = MARK_SIZE / 2;
  const [dx, dy] = [x, y].map((at) => Math.abs(at - half) - (half - MARK_RADIUS)) as [number, number];
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - MARK_RADIUS;
}

function distanceTo(
  [x1, y1, x2, y2]: readonly [number, number, number, number],
  x: number,
  y: number,
): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const along = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy);
  const part = Math.min(1, Math.max(0, along));
  return Math.hypot(x - x1 - part * dx, y - y1 - part * dy);
}
