import { expect, test } from "bun:test";
import { asciiLower } from "./ascii-lower.ts";

test("A to Z become lower case, and nothing else changes", () => {
  expect(asciiLower("")).toBe("");
  expect(asciiLower("Anna.B@Example.COM")).toBe("anna.b@example.com");
  for (let code = 0; code <= 0xffff; code++) {
    const letter = String.fromCharCode(code);
    const isCapital = letter >= "A" && letter <= "Z";
    expect(asciiLower(letter)).toBe(isCapital ? String.fromCharCode(code + 32) : letter);
  }
});
