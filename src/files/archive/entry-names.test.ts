import { describe, expect, test } from "bun:test";
import { createFolderNames, safeEntryName } from "./entry-names.ts";

describe("a name that every system takes", () => {
  test.each([
    ["report.pdf", "report.pdf"],
    ["Größe (1).txt", "Größe (1).txt"],
    ["e\u0301te\u0301", "\u00e9t\u00e9"],
    ["..", "_"],
    [".", "_"],
    ["...", "_"],
    [".hidden", ".hidden"],
    ["/etc/passwd", "_etc_passwd"],
    ["..\\..\\up", ".._.._up"],
    ["C:\\file", "C__file"],
    [`a<b>c:d"e|f?g*h`, "a_b_c_d_e_f_g_h"],
    ["nul\u0000 cr\r lf\n esc\u001b del\u007f c1\u0085", "nul_ cr_ lf_ esc_ del_ c1_"],
    ["exe\u202egpj.scr", "exe_gpj.scr"],
    ["\u200f\u05d3\u05d5\u05d7\u061c\u200e.pdf", "\u200f\u05d3\u05d5\u05d7\u061c\u200e.pdf"],
    ["line\u2028end", "line_end"],
    ["half \ud800 pair", "half \ufffd pair"],
    ["end. . .", "end"],
    ["  blanks  ", "blanks"],
    ["", "_"],
    ["CON", "_CON"],
    ["con.txt", "_con.txt"],
    ["NUL.tar.gz", "_NUL.tar.gz"],
    ["Com1 .log", "_Com1 .log"],
    ["lpt².x", "_lpt².x"],
    ["CONIN$", "_CONIN$"],
    ["aux:", "aux_"],
    ["CON ", "_CON"],
    ["console", "console"],
    ["COM10", "COM10"],
    ["👩‍👩‍👧.png", "👩‍👩‍👧.png"],
  ])("%j is %j", (given, expected) => {
    expect(safeEntryName(given)).toBe(expected);
  });

  test("has at most 255 bytes, its extension and whole characters", () => {
    for (const name of [
      "x".repeat(300) + ".jpeg",
      "é".repeat(200) + ".txt",
      "文".repeat(99),
      "👩‍👩‍👧".repeat(30),
    ]) {
      const safe = safeEntryName(name);
      expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(255);
      expect(Buffer.byteLength(safe)).toBeGreaterThan(220);
      expect(name.startsWith(safe.replace(/\.\w+$/, ""))).toBe(true);
      expect(/\.\w+$/.exec(safe)?.[0] ?? "").toBe(/\.\w+$/.exec(name)?.[0] ?? "");
    }
    expect(safeEntryName("👩‍👩‍👧".repeat(30)).length % "👩‍👩‍👧".length).toBe(0);
    expect(safeEntryName(`CON.${"x".repeat(251)}`).length).toBe(255);
  });
});

describe("names of one folder", () => {
  const taken = (...names: string[]): string[] => {
    const folder = createFolderNames();
    return names.map((name) => folder.take(name));
  };

  test("differ where case, normalisation and replaced characters do not count", () => {
    expect(taken("a.txt", "A.TXT", "b", "a.Txt", "B")).toEqual([
      "a.txt",
      "A (2).TXT",
      "b",
      "a (3).Txt",
      "B (2)",
    ]);
    expect(taken("straße", "STRASSE", "a?b", "a*b", "a_b")).toEqual([
      "straße",
      "STRASSE (2)",
      "a_b",
      "a_b (2)",
      "a_b (3)",
    ]);
    expect(taken("é", "e\u0301", "ﬁ", "fi", "a\u200bb", "ab")).toEqual([
      "é",
      "é (2)",
      "ﬁ",
      "fi (2)",
      "a\u200bb",
      "ab (2)",
    ]);
  });

  test("take no number that another name has", () => {
    expect(taken("a (2).txt", "a.txt", "A.txt", "A (2).txt")).toEqual([
      "a (2).txt",
      "a.txt",
      "A (3).txt",
      "A (2) (2).txt",
    ]);
  });

  test("of 255 bytes have room for a number", () => {
    const long = `${"x".repeat(250)}.jpeg`;
    const [first, second] = taken(long, long.toUpperCase());
    expect(first).toBe(long);
    expect(second).toBe(`${"X".repeat(246)} (2).JPEG`);
  });

  test("cost little however many collide", () => {
    const names = Array.from({ length: 40_000 }, (_, n) => `${"x".repeat(247)}${n % 10}${n % 7}.jpeg`);
    const folder = createFolderNames();
    const all = new Set(names.map((name) => folder.take(name)));
    expect(all.size).toBe(names.length);
  });
});
