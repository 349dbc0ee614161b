import { describe, expect, test } from "bun:test";
import { parseByteRange } from "./byte-range.ts";

describe("of 10 bytes", () => {
  test.each([
    ["bytes=0-0", { start: 0, end: 0 }],
    ["bytes=2-5", { start: 2, end: 5 }],
    ["bytes=2-", { start: 2, end: 9 }],
    ["bytes=9-9", { start: 9, end: 9 }],
    ["bytes=0-99999999999999999999999", { start: 0, end: 9 }],
    ["bytes=-3", { start: 7, end: 9 }],
    ["bytes=-99999999999999999999999", { start: 0, end: 9 }],
    ["Bytes= 1-2 ", { start: 1, end: 2 }],
    ["bytes=10-", "unsatisfiable"],
    ["bytes=10-20", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=99999999999999999999999-", "unsatisfiable"],
    ["bytes=5-2", "whole"],
    ["bytes=0-1,3-4", "whole"],
    ["bytes=0-1,", "whole"],
    ["bytes=-", "whole"],
    ["bytes=--1", "whole"],
    ["bytes=1.5-2", "whole"],
    ["bytes=0x1-2", "whole"],
    ["items=0-1", "whole"],
    ["", "whole"],
    [undefined, "whole"],
  ] as const)("%p", (header, range) => {
    expect(parseByteRange(header, 10)).toEqual(range);
  });
});

test("an empty body has no ranges", () => {
  expect(parseByteRange("bytes=0-", 0)).toBe("whole");
  expect(parseByteRange("bytes=-1", 0)).toBe("whole");
});
