/** Colours, dashes and widths of the lines in charts: contrast ≥ 3:1 on the page in both schemes, and told apart without colour. */
import { useComputedColorScheme } from "@mantine/core";
import { accentOf } from "../../../../src/lib/accent.ts";
import { COLOURS, SERIES } from "../../../../src/lib/tokens.ts";
import { ACCENT_COLOUR } from "../../base/place.ts";

const accent = accentOf(ACCENT_COLOUR);
const { light, dark } = COLOURS;

export type Look = "people" | "machines" | "earlier" | "first" | "second" | "third";
export type Scheme = "light" | "dark";

type Line = Record<Scheme, string> & { dash: readonly number[]; width?: number };

/** Of most lines, in CSS pixels. */
export const LINE_WIDTH = 2;
/** Of the way to a value that still grows. */
export const OPEN_DASH: readonly number[] = [4, 4];

export const LOOKS: Record<Look, Line> = {
  people: { light: accent.light, dark: accent.dark, dash: [] },
  machines: { light: light.amber, dark: dark.amber, dash: [], width: 1.25 },
  earlier: { light: light.soft, dark: dark.soft, dash: [2, 4] },
  first: { light: SERIES.light.first, dark: SERIES.dark.first, dash: [10, 4] },
  second: { light: SERIES.light.second, dark: SERIES.dark.second, dash: [10, 3, 2, 3] },
  third: { light: SERIES.light.third, dark: SERIES.dark.third, dash: [4, 3] },
};

export const INK: Record<Scheme, { text: string; grid: string }> = {
  light: { text: light.soft, grid: light.line },
  dark: { text: dark.soft, grid: dark.line },
};

export const useScheme = (): Scheme => useComputedColorScheme("light");
