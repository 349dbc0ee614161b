import { expect, test } from "bun:test";
import { hashOfToken, isTokenText, newTokenText } from "./api-token.ts";

test("a new token has the prefix, 40 characters and a valid checksum", () => {
  const texts = Array.from({ length: 1000 }, newTokenText);
  for (const text of texts) {
    expect(text).toMatch(/^wmk_[A-Za-z0-9]{40}$/);
    expect([text, isTokenText(text)]).toEqual([text, true]);
  }
  expect(new Set(texts).size).toBe(1000);
});

test("the form stays: a token of this version goes on working", () => {
  const known = "wmk_00000000000000000000000000000000003DMZjH";
  expect(isTokenText(known)).toBe(true);
  expect(hashOfToken(known)).toBe("bc92b0728e1be575b9cbdd54c153aa796b0dc86f988e78ff8f95aa18698d1634");
});

test("one wrong character, a swap, another length or prefix is detected by the checksum", () => {
  const text = newTokenText();
  for (let at = 4; at < text.length; at++) {
    const other = text[at] === "x" ? "y" : "x";
    expect(isTokenText(text.slice(0, at) + other + text.slice(at + 1))).toBe(false);
  }
  const [first, second] = [text[10]!, text[11]!];
  const swapped = text.slice(0, 10) + second + first + text.slice(12);
  expect(isTokenText(swapped)).toBe(first === second);
  for (const wrong of ["", "wmk_", text.slice(0, -1), `${text}0`, text.replace("wmk_", "WMK_"), ` ${text}`]) {
    expect([wrong, isTokenText(wrong)]).toEqual([wrong, false]);
  }
});
