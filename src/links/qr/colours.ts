/** Colours of a QR code, and whether scanners can tell them apart. */
import { appError } from "../../lib/errors.ts";

/** Parts of red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];

/** With or without `#`, which a query has to escape. */
export const HEX_COLOUR = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** Luma of white by BT.709, which readers use; a whole number, so that bounds are exact. */
const WHITE = 255 * 10_000;
const brightnessOf = ([red, green, blue]: Colour): number => 2126 * red + 7152 * green + 722 * blue;

/** In % of light. Readers take the mean of both for the border, and find no code beyond this. */
const MOST_OF_LIGHT = 50;
/** In % of white. Below it camera noise hides the difference. */
const LEAST_LIGHT = 40;

/** @param text matches HEX_COLOUR */
export function colourOf(text: string): Colour {
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
export function refuseFaint(dark: Colour, light: Colour): void {
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
