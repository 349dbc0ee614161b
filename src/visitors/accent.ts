/** Readable colours for pages in any accent colour: WCAG 2.2 AA, 4.5:1 for text. */

/** Grounds of cards and pages, in light and dark. */
export const GROUNDS = {
  light: { ground: "#f5f6f8", card: "#ffffff" },
  dark: { ground: "#14171a", card: "#1d2125" },
} as const;

const AA = 4.5;

export type Accent = {
  fill: string;
  /** Text on `fill`. */
  onFill: string;
  /** Text and edges in the accent colour on the grounds of each scheme. */
  light: string;
  dark: string;
};

/** @param fill `#` and six hexadecimal digits */
export function accentOf(fill: string): Accent {
  const onFill = contrast(fill, "#ffffff") >= AA ? "#ffffff" : "#000000";
  return {
    fill,
    onFill,
    light: readable(fill, Object.values(GROUNDS.light), 0),
    dark: readable(fill, Object.values(GROUNDS.dark), 255),
  };
}

/** The colour, mixed with black or white as little as makes it readable. */
function readable(color: string, grounds: readonly string[], towards: 0 | 255): string {
  const channels = channelsOf(color);
  for (let step = 0; step < 32; step++) {
    const mixed = hex(channels.map((channel) => channel + ((towards - channel) * step) / 32));
    if (grounds.every((ground) => contrast(mixed, ground) >= AA)) return mixed;
  }
  return towards === 0 ? "#000000" : "#ffffff";
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
