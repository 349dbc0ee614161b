/**
 * Colour, type, spacing and corners of everything that people see: the panel (panel/src/app/theme.ts) and the pages of
 * visitors (visitors/style.ts) both follow this page. Contrasts of texts are 4.5 and more on both grounds.
 */

/** The accent of an instance that has chosen none: `features.accent_color`. */
export const ACCENT = "#1757c2";

export const COLOURS = {
  light: {
    ground: "#f5f6f8",
    card: "#ffffff",
    ink: "#1c2024",
    soft: "#5a636e",
    /** What a field may take, before somebody types. */
    hint: "#69727d",
    line: "#dfe3e8",
    warn: "#b3261e",
    right: "#1a7f37",
    amber: "#b35900",
  },
  dark: {
    ground: "#14171a",
    card: "#1d2125",
    ink: "#e8eaed",
    soft: "#a3abb5",
    hint: "#98a1ab",
    line: "#333a41",
    warn: "#f2b8b5",
    right: "#7ee2a8",
    amber: "#f59f4c",
  },
} as const;

/** Colours of links that a chart compares. Lines have a contrast of 3 and more. */
export const SERIES = {
  light: { first: "#0f766e", second: "#a21caf", third: "#4d7c0f" },
  dark: { first: "#2dd4bf", second: "#e879f9", third: "#a3e635" },
} as const;

/** From light to dark, through the colours above. */
export const GREYS = {
  light: [
    COLOURS.light.ground,
    "#eef0f3",
    "#e6e9ed",
    COLOURS.light.line,
    "#cdd3da",
    "#adb5bf",
    "#868f9a",
    COLOURS.light.soft,
    "#3a424b",
    COLOURS.light.ink,
  ],
  dark: [
    COLOURS.dark.ink,
    "#c9ced4",
    COLOURS.dark.soft,
    "#7d8690",
    COLOURS.dark.line,
    "#282e34",
    COLOURS.dark.card,
    COLOURS.dark.ground,
    "#0f1214",
    "#0a0c0d",
  ],
} as const;

export const TYPE = {
  family: 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif',
  mono: 'ui-monospace,SFMono-Regular,Menlo,Consolas,"Noto Sans Mono","DejaVu Sans Mono",monospace',
  /** Weight of headings. */
  weight: "650",
  size: { xs: "0.75rem", sm: "0.875rem", md: "1rem", lg: "1.125rem", xl: "1.25rem" },
} as const;

export const SPACE = { xs: "0.625rem", sm: "0.75rem", md: "1rem", lg: "1.25rem", xl: "2rem" } as const;

export const RADIUS = { xs: "0.125rem", sm: "0.25rem", md: "0.5rem", lg: "0.75rem", xl: "1rem" } as const;
