import { expect, test } from "bun:test";
import { contentDisposition } from "./content-disposition.ts";

test.each([
  ["a.txt", `attachment; filename="a.txt"; filename*=UTF-8''a.txt`],
  ["two words.txt", `attachment; filename="two words.txt"; filename*=UTF-8''two%20words.txt`],
  ['a"; x="b', `attachment; filename="a_; x=_b"; filename*=UTF-8''a%22%3B%20x%3D%22b`],
  ["50%41.txt", `attachment; filename="50_41.txt"; filename*=UTF-8''50%2541.txt`],
  ["it's (1)*.txt", `attachment; filename="it's (1)*.txt"; filename*=UTF-8''it%27s%20%281%29%2A.txt`],
  ["naïve.txt", `attachment; filename="na_ve.txt"; filename*=UTF-8''na%C3%AFve.txt`],
  ["👍.png", `attachment; filename="_.png"; filename*=UTF-8''%F0%9F%91%8D.png`],
  [
    "=?utf-8?q?a.exe?=",
    `attachment; filename="__utf-8?q?a.exe?="; filename*=UTF-8''%3D%3Futf-8%3Fq%3Fa.exe%3F%3D`,
  ],
  ["\u202egpj.exe", `attachment; filename="_gpj.exe"; filename*=UTF-8''%E2%80%AEgpj.exe`],
])("%j", (name, header) => {
  expect(contentDisposition("attachment", name)).toBe(header);
  expect(new Headers({ "Content-Disposition": header }).get("Content-Disposition")).toBe(header);
});

test("inline", () => {
  expect(contentDisposition("inline", "a.png")).toStartWith("inline; ");
});
