/** The looks of a QR code, as query of the API and options of the command. */
import { z } from "zod";
import { queryChoice } from "../../lib/query-text.ts";
import { type Colour, colourOf, HEX_COLOUR, refuseFaint } from "./colours.ts";

export const FORMATS = ["svg", "png"] as const;
export const LEVELS = ["L", "M", "Q", "H"] as const;

export type QrFormat = (typeof FORMATS)[number];
export type QrLook = {
  format: QrFormat;
  /** Width and height in pixels. */
  size: number;
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

const colour = (standard: string, meaning: string) =>
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
/** As the standard asks for. */
const MARGIN = 4;

/** An empty text counts as absent. */
export const qrQuery = z.object({
  format: choice(FORMATS, "svg", "default: svg"),
  size: whole(64, 2048, SIZE, "width and height in pixels"),
  margin: whole(0, 32, MARGIN, "quiet zone on each side, in modules; scanners expect 4"),
  dark: colour("000000", "colour of the modules, 3 or 6 hex digits"),
  light: colour("ffffff", "colour behind them, with enough contrast to be scanned"),
  ecc: choice(LEVELS, "M", "error correction: 7, 15, 25 or 30 % may be lost"),
});
export type QrInput = z.output<typeof qrQuery>;

/** @throws BadRequest for colours that scanners can't tell apart */
export function qrLookOf(input: QrInput): QrLook {
  const [dark, light] = [colourOf(input.dark || "000000"), colourOf(input.light || "ffffff")];
  refuseFaint(dark, light);
  return {
    format: input.format || "svg",
    size: Number(input.size || SIZE),
    margin: Number(input.margin || MARGIN),
    dark,
    light,
    ecc: input.ecc || "M",
  };
}
