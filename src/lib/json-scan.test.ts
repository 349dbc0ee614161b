import { describe, expect, test } from "bun:test";
import type { AppError } from "./errors.ts";
import { createJsonScan, MOST_JSON_LEVELS } from "./json-scan.ts";

type Mark = [byte: string, at: number, level: number];

/** The marks and parts of a text in pieces of `step` bytes, with indexes in the whole text. */
function scanned(text: string, step: number): { marks: Mark[]; parts: number } {
  const bytes = Buffer.from(text);
  const marks: Mark[] = [];
  let start = 0;
  const scan = createJsonScan({
    onMark: (byte, at, level) => marks.push([String.fromCharCode(byte), start + at, level]),
  });
  for (; start < bytes.length; start += step) scan.push(bytes.subarray(start, start + step));
  return { marks, parts: scan.takeParts() };
}

function refusal(text: string, bounds: Parameters<typeof createJsonScan>[0] = {}): string {
  try {
    createJsonScan(bounds).push(Buffer.from(text));
  } catch (error) {
    return (error as AppError).message;
  }
  return "";
}

describe("levels and parts", () => {
  test("are counted only outside strings", () => {
    const text = String.raw`{"[[,{\"]":["\\",",","\\\"[",{"a":[1,[2]]}]}`;
    for (const step of [1, 2, 3, text.length]) expect(scanned(text, step).parts).toBe(5 + 4);
  });

  test("at most the allowed levels", () => {
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(refusal(deep(MOST_JSON_LEVELS))).toBe("");
    expect(refusal(deep(MOST_JSON_LEVELS + 1))).toContain("levels");
    expect(refusal(`{"a":`.repeat(MOST_JSON_LEVELS + 1))).toContain("levels");
    expect(refusal(`"${"[".repeat(1000)}"`)).toBe("");
    expect(refusal(`[${"[],".repeat(1000)}]`)).toBe("");
  });

  test("at most the allowed parts", () => {
    expect(refusal("[1,2,3]", { mostParts: 3 })).toBe("");
    expect(refusal("[1,2,3,4]", { mostParts: 3 })).toContain("values");
    expect(refusal("[[],[]]", { mostParts: 3 })).toContain("values");
  });

  test("at most the allowed escapes", () => {
    const text = String.raw`["\\\"a","\u0041"]`;
    expect(refusal(text, { mostEscapes: 3 })).toBe("");
    expect(refusal(text, { mostEscapes: 2 })).toContain("escapes");
  });

  test("a text is refused before its end", () => {
    const scan = createJsonScan();
    expect(() => scan.push(Buffer.from("[".repeat(100)))).toThrow("levels");
  });
});

test("marks cover the first two levels, for any split of the bytes", () => {
  const text = String.raw`{"a\"b":["c",[",",[]],{"d":1}],"e":2}`;
  const whole = scanned(text, text.length).marks;
  expect(whole.map(([byte, , level]) => `${byte}${level}`).join(" ")).toBe(
    '{1 "1 "1 [2 "2 "2 ,2 ]2 ,2 }2 ]1 ,1 "1 "1 }0',
  );
  for (const [byte, at] of whole) expect(text[at]).toBe(byte);
  for (let step = 1; step < text.length; step++) expect(scanned(text, step).marks).toEqual(whole);
});
