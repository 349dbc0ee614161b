import { expect, test } from "bun:test";
import { accentOf, contrast, GROUNDS } from "./accent.ts";

test("contrast is that of WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#ffffff", "#767676")).toBeCloseTo(4.54, 2);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});

test("text in and on the accent colour is readable in light and dark, whatever the colour", () => {
  const steps = ["00", "33", "66", "77", "99", "cc", "ff"];
  const colors = steps.flatMap((r) => steps.flatMap((g) => steps.map((b) => `#${r}${g}${b}`)));
  for (const color of [...colors, "#1757c2", "#010101", "#fefefe", "#757575", "#767676"]) {
    const { fill, onFill, light, dark } = accentOf(color);
    expect(fill).toBe(color);
    expect(contrast(onFill, fill)).toBeGreaterThanOrEqual(4.5);
    for (const ground of Object.values(GROUNDS.light))
      expect(contrast(light, ground)).toBeGreaterThanOrEqual(4.5);
    for (const ground of Object.values(GROUNDS.dark))
      expect(contrast(dark, ground)).toBeGreaterThanOrEqual(4.5);
  }
});

test("a colour that is readable already stays", () => {
  expect(accentOf("#1757c2").light).toBe("#1757c2");
  expect(accentOf("#ffd400").dark).toBe("#ffd400");
});
