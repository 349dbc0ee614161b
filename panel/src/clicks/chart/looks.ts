/** Colours, dashes and widths of the lines in charts: contrast ≥ 3:1 on the page in both schemes, and told apart without colour. */
import { useComputedColorScheme } from "@mantine/core";

export type Look = "people" | "machines" | "earlier" | "first" | "second" | "third";
export type Scheme = "light" | "dark";

type Line = Record<Scheme, string> & { dash: readonly number[]; width?: number };

/** Of most lines, in CSS pixels. */
export const LINE_WIDTH = 2;
/** Of the way to a value that still grows. */
export const OPEN_DASH: readonly number[] = [4, 4];

export const LOOKS: Record<Look, Line> = {
  people: { light: "#1f57c4", dark: "#658fe6", dash: [] },
  machines: { light: "#b35900", dark: "#f59f4c", dash: [], width: 1.25 },
  earlier: { light: "#6b7280", dark: "#9aa0a6", dash: [2, 4] },
  first: { light: "#0f766e", dark: "#2dd4bf", dash: [10, 4] },
  second: { light: "#a21caf", dark: "#e879f9", dash: [10, 3, 2, 3] },
  third: { light: "#4d7c0f", dark: "#a3e635", dash: [4, 3] },
};

export const INK: Record<Scheme, { text: string; grid: string }> = {
  light: { text: "#5c636a", grid: "#e6e8eb" },
  dark: { text: "#a3a7ad", grid: "#3a3f45" },
};

export const useScheme = (): Scheme => useComputedColorScheme("light");
