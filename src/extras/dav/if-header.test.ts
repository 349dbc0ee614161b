import { expect, test } from "bun:test";
import { holds, readIf, tokensOf } from "./checks.ts";

const state = new Set(["urn:a", '"x"']);
const isMet = (header: string | undefined, of: Parameters<typeof holds>[1] = async () => state) =>
  holds(readIf(header), of);

test.each([
  [undefined, true],
  ["(<urn:a>)", true],
  ["(<urn:b>)", false],
  ['(<urn:a> ["x"])', true],
  ['(<urn:a> ["y"])', false],
  ['(<urn:b>) (["x"])', true],
  ["(Not <DAV:no-lock>)", true],
  ["(Not <urn:a>) (<urn:b>)", false],
  ["</r> (<urn:a>) (<urn:b>)", true],
])("%p holds: %p", async (header, expected) => {
  expect(await isMet(header)).toBe(expected);
});

test("lists after an address are about it", async () => {
  const requested: (string | null)[] = [];
  const none = new Set<string>();
  await isMet("</one> (<urn:b>) (<urn:c>) </two> (<urn:a>)", async (resource) => {
    requested.push(resource);
    return none;
  });
  expect(requested).toEqual(["/one", "/one", "/two"]);
  expect([...tokensOf(readIf("</one> (Not <urn:b>) (<urn:c>)"))]).toEqual(["urn:b", "urn:c"]);
});

test.each([
  "(",
  "()",
  "<r>",
  "(<a>",
  "(<a>))",
  "((<a>))",
  "(Not)",
  "(Not Not <a>)",
  "x",
  '("x")',
  "(<a> </r> (<b>)",
  "(N<a>)",
  "(<a>[)",
  `(${"<a>".repeat(201)})`,
])("%p is malformed", (header) => {
  expect(() => readIf(header)).toThrow("malformed");
});
