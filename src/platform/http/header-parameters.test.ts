import { expect, test } from "bun:test";
import { parseHeaderParameters } from "./multipart.ts";

test.each([
  ["form-data", "form-data", {}],
  ['Form-Data; name="a"', "form-data", { name: "a" }],
  [
    "multipart/form-data; boundary=----x; charset=utf-8",
    "multipart/form-data",
    { boundary: "----x", charset: "utf-8" },
  ],
  ['a;NAME = "b" ;c=d', "a", { name: "b", c: "d" }],
  ['a; n="x; m=y"; m=z', "a", { n: "x; m=y", m: "z" }],
  ['a; n="\\"q\\" C:\\dir\\x"', "a", { n: '"q" C:\\dir\\x' }],
  ['a; n="1"; n="2"', "a", { n: "1" }],
  ['a; n=""', "a", { n: "" }],
  ["a; n*=UTF-8''na%C3%AFve%20x", "a", { n: "naïve x" }],
  [`a; n*=iso-8859-1'de'na%EFve; n="plain"`, "a", { n: "naïve" }],
  [`a; n="plain"; n*=klingon''x`, "a", { n: "plain" }],
  ['a; n="open', "a", {}],
  ["a; n=", "a", {}],
  [`a; n="${"\\".repeat(15_000)}`, "a", {}],
  ["", "", {}],
  [";;=;", "", {}],
] as const)("%j", (text, value, parameters) => {
  const parsed = parseHeaderParameters(text);
  expect(parsed.value).toBe(value);
  expect(Object.fromEntries(parsed.parameters)).toEqual(parameters);
});
