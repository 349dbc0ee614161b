import { describe, expect, test } from "bun:test";
import { checkDocuments, checkDocumentsText, MOST_DOCUMENTS } from "./well-known.ts";

const AASA = "apple-app-site-association";
const checked = (document: object) => checkDocuments([{ name: "a", text: "", ...document }]);

describe("a document", () => {
  test.each([
    [{ name: AASA, text: "{}" }, "application/json"],
    [{ name: "assetlinks.json", text: "[]" }, "application/json"],
    [{ name: "matrix/client", text: "x" }, "text/plain; charset=utf-8"],
    [{ type: " Application/JRD+JSON ", text: "{}" }, "application/jrd+json"],
    [{ type: "text/xml; charset=utf-8" }, "text/xml; charset=utf-8"],
    [{ text: "ü".repeat(32 * 1024) }, "text/plain; charset=utf-8"],
  ])("%# is accepted", (document, type) => {
    expect(checked(document)).toEqual([expect.objectContaining({ type })]);
  });

  test.each([
    ["name", { name: "" }],
    ["name", { name: "/a" }],
    ["name", { name: "a//b" }],
    ["name", { name: "a/../b" }],
    ["name", { name: "a b" }],
    ["name", { name: "a".repeat(101) }],
    ["name", { name: "acme-challenge" }],
    ["name", { name: "acme-challenge/token" }],
    ["type", { type: "text/html" }],
    ["type", { type: "image/svg+xml" }],
    ["type", { type: "application/json\r\nX: y", text: "{}" }],
    ["text", { text: "ü".repeat(32 * 1024) + "a" }],
    ["text", { text: "\ud800" }],
    ["text", { name: AASA, text: "{" }],
    ["text", { name: "assetlinks.json", type: "text/plain", text: "x" }],
    ["text", { type: "application/json", text: "" }],
    ["text", { type: "application/json", text: "[".repeat(60_000) }],
  ])("%s is refused: %#", (field, document) => {
    expect(checked(document)).toMatchObject({ field, at: 0, error: expect.any(String) });
  });
});

test("names differ, and the order is that of the names", () => {
  const of = (...names: string[]) => checkDocuments(names.map((name) => ({ name, text: "" })));
  expect(of("b", "a")).toMatchObject([{ name: "a" }, { name: "b" }]);
  expect(of("a", "b", "a")).toMatchObject({ at: 2, field: "name" });
});

test("a setting has at most 16, and names what is wrong", () => {
  const many = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, at) => ({ name: `a${at}`, text: "" })));
  expect(checkDocumentsText(many(MOST_DOCUMENTS))).toBeString();
  expect(checkDocumentsText(many(MOST_DOCUMENTS + 1))).toEqual({ error: expect.any(String) });
  expect(checkDocumentsText('[{"name":"assetlinks.json","text":"{"}]')).toEqual({
    error: expect.stringContaining("the text of document 1 must be JSON"),
  });
});
