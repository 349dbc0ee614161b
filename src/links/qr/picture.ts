/** A QR code as SVG, as PNG and as text for a terminal. */
import { encode as encodePng } from "fast-png";
import { encode as encodeQr, renderUnicodeCompact } from "uqr";
import { appError } from "../../lib/errors.ts";
import { hexOf } from "./colours.ts";
import type { QrLook } from "./qr-input.ts";

/** Rows of modules; true: dark. */
type Modules = readonly (readonly boolean[])[];

/** Smaller modules get lost as soon as somebody scales the picture. */
const LEAST_PIXELS = 2;

/** @throws BadRequest if a PNG of this size can't show the modules */
export function qrPicture(text: string, look: QrLook): Uint8Array<ArrayBuffer> {
  const modules = encodeQr(text, { ecc: look.ecc, border: look.margin }).data;
  return look.format === "png" ? pngOf(modules, look) : new TextEncoder().encode(svgOf(modules, text, look));
}

function svgOf(modules: Modules, text: string, { size, dark, light }: QrLook): string {
  const side = modules.length;
  const path = modules.flatMap((row, y) =>
    runs(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges" role="img" aria-label="QR code: ${Bun.escapeHTML(text)}"><path fill="${hexOf(light)}" d="M0 0h${side}v${side}h-${side}z"/><path fill="${hexOf(dark)}" d="${path.join("")}"/></svg>\n`;
}

/** Where each run of dark modules begins, and its length. */
function runs(row: readonly boolean[]): [start: number, length: number][] {
  const found: [number, number][] = [];
  for (let at = 0; at < row.length; at++) {
    if (!row[at]) continue;
    if (row[at - 1]) found.at(-1)![1]++;
    else found.push([at, 1]);
  }
  return found;
}

/** Modules are whole pixels; the rest of the size goes to the margin. One bit a pixel. */
function pngOf(modules: Modules, { size, margin, dark, light }: QrLook): Uint8Array<ArrayBuffer> {
  const side = modules.length;
  const scale = Math.floor(size / side);
  if (scale < LEAST_PIXELS) {
    throw appError(
      "BadRequest",
      `size must be at least ${side * LEAST_PIXELS} for a PNG of this address: it has ${side - 2 * margin} modules and a margin of ${margin} on each side. SVG has no such limit.`,
      { field: "size" },
    );
  }
  const before = Math.floor((size - side * scale) / 2);
  const stride = Math.ceil(size / 8);
  const data = new Uint8Array(stride * size);
  for (const [y, row] of modules.entries()) {
    const line = new Uint8Array(stride);
    for (const [start, length] of runs(row)) {
      const end = before + (start + length) * scale;
      for (let x = before + start * scale; x < end; x++) line[x >> 3]! |= 0x80 >> (x & 7);
    }
    for (let copy = 0; copy < scale; copy++) data.set(line, (before + y * scale + copy) * stride);
  }
  const palette = [[...light], [...dark]] as [number, number, number][];
  return encodePng({ width: size, height: size, data, depth: 1, channels: 1, palette }).slice();
}

/** Sets the colours, so it suits light and dark terminals. Two modules share a character. */
export function qrForTerminal(text: string, { ecc, margin }: Pick<QrLook, "ecc" | "margin">): string {
  return renderUnicodeCompact(text, { ecc, border: margin })
    .split("\n")
    .map((line) => `${WHITE_ON_BLACK}${line}${RESET}`)
    .join("\n");
}

/** White modules are drawn. Themes do not change these two of 256 colours. */
const WHITE_ON_BLACK = "\u001b[38;5;231;48;5;16m";
const RESET = "\u001b[0m";
