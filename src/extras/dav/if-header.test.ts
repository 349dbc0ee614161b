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
  expect(requested).toEqual(["/one", "/two"]);
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

test("resources are few, and not all of them deep", () => {
  const naming = (...resources: string[]) => resources.map((one) => `<${one}> (<urn:a>) (<urn:b>)`).join(" ");
  const deep = (name: string) => `https://h/dav/files/${name}${"/a".repeat(499)}`;
  expect(readIf(naming("/a", "/b", "/c", "/d", "/a"))).toHaveLength(10);
  expect(readIf(naming(deep("x"), deep("y")))).toHaveLength(4);
  for (const header of [naming("/a", "/b", "/c", "/d", "/e"), naming(deep("x"), deep("y"), deep("z"))])
    expect(() => readIf(header)).toThrow("more than 4 resources");
});
