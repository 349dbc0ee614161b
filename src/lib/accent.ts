/** Readable colours for pages in any accent colour: WCAG 2.2 AA, 4.5:1 for text, 3:1 for the edges of what one sets. */
import { COLOURS } from "./tokens.ts";

const AA = 4.5;
const AA_EDGE = 3;

export type Accent = {
  fill: string;
  /** Text on `fill`. */
  onFill: string;
  /** Text and edges in the accent colour on the grounds and the tint of each scheme. */
  light: string;
  dark: string;
  /** Grounds of what is chosen. */
  tints: { light: string; dark: string };
  /** From nearly white to dark; 7 is `fill`, and 6 is seen as a control on the dark grounds. */
  shades: readonly string[];
};

/** Parts of white in the shades 0 to 5, of black in 8 and 9. */
const WHITE = [0.94, 0.86, 0.68, 0.5, 0.34, 0.2];
const BLACK = [0.15, 0.3];

/** @param fill `#` and six hexadecimal digits */
export function accentOf(fill: string): Accent {
  const onFill = contrast(fill, "#ffffff") >= AA ? "#ffffff" : "#000000";
  const tints = { light: mixed(fill, "#ffffff", WHITE[0]!), dark: mixed(fill, COLOURS.dark.card, 0.78) };
  return {
    fill,
    onFill,
    light: readable(fill, [...groundsOf("light"), tints.light], "#000000"),
    dark: readable(fill, [...groundsOf("dark"), tints.dark], "#ffffff"),
    tints,
    shades: [
      ...WHITE.map((part) => mixed(fill, "#ffffff", part)),
      readable(fill, groundsOf("dark"), "#ffffff", AA_EDGE),
      fill,
      ...BLACK.map((part) => mixed(fill, "#000000", part)),
    ],
  };
}

const groundsOf = (scheme: keyof typeof COLOURS) => [COLOURS[scheme].ground, COLOURS[scheme].card];

function mixed(color: string, other: string, part: number): string {
  const towards = channelsOf(other);
  return hex(channelsOf(color).map((channel, at) => channel + (towards[at]! - channel) * part));
}

/** The colour, mixed with black or white as little as makes it readable. */
function readable(color: string, grounds: readonly string[], towards: string, least = AA): string {
  for (let step = 0; step < 32; step++) {
    const made = mixed(color, towards, step / 32);
    if (grounds.every((ground) => contrast(made, ground) >= least)) return made;
  }
  return towards;
}

/** From 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = channelsOf(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export const channelsOf = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

const hex = (channels: readonly number[]): string =>
  `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;
