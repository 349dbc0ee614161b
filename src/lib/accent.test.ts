import { expect, test } from "bun:test";
import { accentOf, contrast } from "./accent.ts";
import { COLOURS, GREYS } from "./tokens.ts";

const SCHEMES = ["light", "dark"] as const;
const groundsOf = (scheme: (typeof SCHEMES)[number]) => [COLOURS[scheme].ground, COLOURS[scheme].card];

test("contrast is that of WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#ffffff", "#767676")).toBeCloseTo(4.54, 2);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});

test("text in and on the accent colour is readable in light and dark, whatever the colour", () => {
  const steps = ["00", "33", "66", "77", "99", "cc", "ff"];
  const colors = steps.flatMap((r) => steps.flatMap((g) => steps.map((b) => `#${r}${g}${b}`)));
  for (const color of [...colors, "#1757c2", "#010101", "#fefefe", "#757575", "#767676"]) {
    const { fill, onFill, shades, tints, ...inks } = accentOf(color);
    expect(fill).toBe(color);
    expect(contrast(onFill, fill)).toBeGreaterThanOrEqual(4.5);
    for (const scheme of SCHEMES)
      for (const ground of [...groundsOf(scheme), tints[scheme]])
        expect(contrast(inks[scheme], ground)).toBeGreaterThanOrEqual(4.5);
    expect([shades.length, shades[7]]).toEqual([10, fill]);
    expect(contrast(onFill, shades[6]!)).toBeGreaterThanOrEqual(4.5);
    for (const ground of groundsOf("dark")) expect(contrast(shades[6]!, ground)).toBeGreaterThanOrEqual(3);
  }
});

test("every text of the tokens is readable on both grounds, and what is empty has an edge", () => {
  for (const scheme of SCHEMES)
    for (const ground of groundsOf(scheme)) {
      for (const name of ["ink", "soft", "hint", "warn", "right"] as const)
        expect([scheme, name, contrast(COLOURS[scheme][name], ground) >= 4.5]).toEqual([scheme, name, true]);
      const edge = scheme === "light" ? GREYS.light[6] : GREYS.dark[2];
      expect(contrast(edge, ground)).toBeGreaterThanOrEqual(3);
    }
});

test("a colour that is readable already stays", () => {
  expect(accentOf("#1757c2").light).toBe("#1757c2");
  expect(accentOf("#ffd400").dark).toBe("#ffd400");
});
