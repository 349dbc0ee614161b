/** A QR code as SVG, PNG, PDF and as text for a terminal. */
import { encode as encodePng } from "fast-png";
import { encode as encodeQr, renderUnicodeCompact } from "uqr";
import { z } from "zod";
import { appError } from "../../lib/errors.ts";
import { queryChoice } from "../../lib/query-text.ts";
import { pdfOf } from "./pdf.ts";

/** Parts of red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];

/** With or without `#`, which a query has to escape. */
const HEX_COLOUR = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

export const FORMATS = ["svg", "png", "pdf"] as const;
export const LEVELS = ["L", "M", "Q", "H"] as const;

export type QrFormat = (typeof FORMATS)[number];
export type QrLook = {
  format: QrFormat;
  /** Width and height in pixels. */
  size: number;
  /** Width and height of a PDF in millimetres. */
  mm: number;
  /** The quiet zone on each side, in modules. */
  margin: number;
  dark: Colour;
  light: Colour;
  ecc: (typeof LEVELS)[number];
};

const choice = <T extends string>(values: readonly T[], standard: T, meaning: string) =>
  queryChoice(values, meaning).meta({ default: standard });

const whole = (least: number, most: number, standard: number, meaning: string) =>
  z
    .string()
    .refine(
      (text) => text === "" || (/^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most),
      `must be a whole number from ${least} to ${most}`,
    )
    .optional()
    .describe(meaning)
    .meta({ type: "integer", minimum: least, maximum: most, default: standard });

const colourQuery = (standard: string, meaning: string) =>
  z
    .string()
    .refine(
      (text) => text === "" || HEX_COLOUR.test(text),
      "must be a colour of 3 or 6 hex digits, such as 1a2b3c",
    )
    .optional()
    .describe(meaning)
    .meta({ pattern: `${HEX_COLOUR.source.replaceAll("a-f", "a-fA-F")}|^$`, default: standard });

const SIZE = 512;
const MM = 30;
/** As the standard asks for. */
const MARGIN = 4;

/** An empty text counts as absent. */
export const qrQuery = z.object({
  format: choice(FORMATS, "svg", "default: svg"),
  size: whole(64, 2048, SIZE, "width and height in pixels"),
  mm: whole(5, 2000, MM, "width and height in millimetres, of a PDF, which has no pixels"),
  margin: whole(0, 32, MARGIN, "quiet zone on each side, in modules; scanners expect 4"),
  dark: colourQuery("000000", "colour of the modules, 3 or 6 hex digits"),
  light: colourQuery("ffffff", "colour behind them, with enough contrast to be scanned"),
  ecc: choice(LEVELS, "M", "error correction: 7, 15, 25 or 30 % may be lost"),
  caps: choice(
    ["true", "false"],
    "false",
    "true: the address in capitals, which makes a coarser picture; of a domain that ignores case",
  ),
});
export type QrInput = z.output<typeof qrQuery>;

/** @throws BadRequest for colours that scanners can't tell apart */
export function qrLookOf(input: QrInput): QrLook {
  const [dark, light] = [colourOf(input.dark || "000000"), colourOf(input.light || "ffffff")];
  refuseFaint(dark, light);
  return {
    format: input.format || "svg",
    size: Number(input.size || SIZE),
    mm: Number(input.mm || MM),
    margin: Number(input.margin || MARGIN),
    dark,
    light,
    ecc: input.ecc || "M",
  };
}

/** Luma of white by BT.709, which readers use; a whole number, so that bounds are exact. */
const WHITE = 255 * 10_000;
const brightnessOf = ([red, green, blue]: Colour): number => 2126 * red + 7152 * green + 722 * blue;

/** The brightest dark, in % of light. Readers take the mean as the border, and find no code beyond this. */
const MOST_OF_LIGHT = 50;
/** The darkest light, in % of white. Below it camera noise hides the difference. */
const LEAST_LIGHT = 40;

/** @param text matches HEX_COLOUR */
function colourOf(text: string): Colour {
  const digits = text.replace("#", "");
  const part = (at: number): number =>
    digits.length === 3
      ? Number.parseInt(digits[at]!.repeat(2), 16)
      : Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16);
  return [part(0), part(1), part(2)];
}

export const hexOf = (colour: Colour): string =>
  `#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** @throws BadRequest for colours that scanners can't tell apart */
function refuseFaint(dark: Colour, light: Colour): void {
  const [below, above] = [brightnessOf(dark), brightnessOf(light)];
  if (below > above) {
    throw refused("dark", "dark must be darker than light: many scanners can't read inverted codes.");
  }
  if (above * 100 < WHITE * LEAST_LIGHT) {
    const has = Math.floor((above * 100) / WHITE);
    throw refused(
      "light",
      `light is too dark for scanners: it has ${has} % of the brightness of white and needs ${LEAST_LIGHT} %.`,
    );
  }
  if (below * 100 <= above * MOST_OF_LIGHT) return;
  const has = Math.ceil((below * 100) / above);
  throw refused(
    "dark",
    `dark and light are too similar for scanners: dark has ${has} % of the brightness of light and may have ${MOST_OF_LIGHT} %.`,
  );
}

const refused = (field: string, message: string) => appError("BadRequest", message, { field });

/**
 * The short URL in capitals: a QR code has 45 such characters, which take two thirds of the room of others.
 * @throws BadRequest if capitals would lead elsewhere
 */
export function inCapitals(url: string, ignoresCase: boolean): string {
  if (ignoresCase) return url.toUpperCase();
  throw refused(
    "caps",
    "caps needs a domain that ignores case: links.ignore_case, or ignore_case of the domain.",
  );
}

/** Rows of modules; true: dark. */
type Modules = readonly (readonly boolean[])[];

/** Smaller modules get lost as soon as somebody scales the picture. */
const LEAST_PIXELS = 2;

/** @throws BadRequest if a PNG of this size can't show the modules */
export function qrPicture(text: string, look: QrLook): Uint8Array<ArrayBuffer> {
  const modules = encodeQr(text, { ecc: look.ecc, border: look.margin }).data;
  if (look.format === "pdf") return pdfOf(modules.map(runs), look);
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
