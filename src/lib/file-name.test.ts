import { describe, expect, test } from "bun:test";
import { AppError } from "./errors.ts";
import { checkFileName } from "./file-name.ts";

function refusalOf(name: string): AppError {
  try {
    checkFileName(name);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("accepted");
}

describe("a name", () => {
  test.each([
    "a",
    ".hidden",
    "...",
    "%2e%2e",
    "C:",
    'quo"te',
    "it's",
    "\u0645\u0631\u062d\u0628\u0627.txt",
    "zero\u200bwidth",
    "\u200d.x",
    "\u200f\u05d3\u05d5\u05d7 (1)\u200f.pdf",
    "\u061c\u062a\u0642\u0631\u064a\u0631\u200e.docx",
    "a\u200c\u200db",
    "\u0301",
    "häuser und straßen.txt",
    "日本語.txt",
    "a".repeat(255),
    "é".repeat(127),
    "👩‍👩‍👧‍👦",
    "no\u00a0break",
    "con",
  ])("may be %j", (name) => {
    expect(checkFileName(name)).toBe(name);
  });

  test("is stored in NFC", () => {
    expect(checkFileName("Ame\u0301lie")).toBe("Am\u00e9lie");
    // 255 bytes when composed, 381 as given.
    expect(checkFileName(`${"e\u0301".repeat(127)}a`)).toBe(`${"\u00e9".repeat(127)}a`);
    expect(checkFileName("\u1112\u1161\u11ab".repeat(85))).toBe("한".repeat(85));
  });

  test.each([
    ["", "empty"],
    [".", "."],
    ["..", ".."],
    ["a/b", "/"],
    ["/", "/"],
    ["..\\x", "\\"],
    ["a\0b", "control"],
    ["a\r\nX-Evil: 1", "control"],
    ["tab\there", "control"],
    ["\u007f", "control"],
    ["\u0085x", "control"],
    ["a\u202egpj.exe", "direction"],
    ["\u2066a\u2069", "direction"],
    ...[..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"].map(
      (one) => [`a${one}b`, "direction"] as const,
    ),
    ["\u200e", "nothing"],
    ["\u200f\u061c \u200e", "nothing"],
    ["\u200f.\u061c", "'.'"],
    ["\u200f..", "'..'"],
    [" \u200fa", "blank"],
    ["\u200b", "nothing"],
    ["\u2060\u00ad", "nothing"],
    ["\u3164\ufe0f", "nothing"],
    ["\u2800", "nothing"],
    ["\u{e0041}", "nothing"],
    ["\u200b.\u200b", "'.'"],
    [".\u2060.", "'..'"],
    [" a", "blank"],
    ["a ", "blank"],
    ["a\u3000", "blank"],
    ["\ufeffa", "blank"],
    ["   ", "blank"],
    ["\ud800", "Unicode"],
    ["a".repeat(256), "longer"],
    ["é".repeat(128), "longer"],
  ])("can't be %j", (name, reason) => {
    const error = refusalOf(name);
    expect(error).toMatchObject({ name: "InvalidName", code: 7020, kind: "invalid" });
    expect(error.message).toContain(reason);
  });

  test("of megabytes is refused before normalisation", () => {
    expect(refusalOf("e\u0301".repeat(1_000_000)).message).toContain("longer");
  });
});
