import { describe, expect, test } from "bun:test";
import { dispose } from "../../lib/disposable-bytes.ts";
import { BrokenMultipart, createMultipartReader } from "./multipart.ts";

const LIMITS = { headerBytes: 1_000, headers: 5 };

/** The parts of a body that arrives in pieces of `step` bytes, with their buffers disposed of. */
async function partsOf(body: string | Buffer, step: number, boundary = "B") {
  const bytes = Buffer.from(body as string);
  let at = 0;
  const reader = createMultipartReader(
    boundary,
    async () => (at < bytes.length ? new Uint8Array(bytes.subarray(at, (at += step))) : null),
    LIMITS,
  );
  const parts: { headers: Record<string, string>; text: string }[] = [];
  for (let part = await reader.next(); part !== null; part = await reader.next()) {
    let text = "";
    for await (const piece of part.body) {
      text += piece.toString("latin1");
      dispose(piece);
    }
    parts.push({ headers: Object.fromEntries(part.headers), text });
  }
  expect(await reader.next()).toBeNull();
  return parts;
}

const STEPS = [1, 2, 3, 5, 7, 11, 64, 10_000];

describe.each(STEPS)("in pieces of %d bytes", (step) => {
  test.each<[string, string, string[]]>([
    ["one part", "--B\r\n\r\nhello\r\n--B--\r\n", ["hello"]],
    ["two parts", "--B\r\n\r\none\r\n--B\r\n\r\ntwo\r\n--B--", ["one", "two"]],
    ["an empty part", "--B\r\n\r\n\r\n--B--", [""]],
    ["no part", "--B--\r\n", []],
    ["preamble and epilogue", "pre\r\namble\r\n--B\r\n\r\nx\r\n--B--\r\nepilogue --B", ["x"]],
    ["blanks behind the boundary", "--B  \t\r\n\r\nx\r\n--B--", ["x"]],
    ["line breaks in a part", "--B\r\n\r\n\r\n\r\n\r\n--B--", ["\r\n\r\n"]],
    [
      "what looks like a boundary",
      "--B\r\n\r\n\r\n--\r\n-B\n--B\r\r\n--A\r\n--B--",
      ["\r\n--\r\n-B\n--B\r\r\n--A"],
    ],
    ["carriage returns before a boundary", `--B\r\n\r\n${"\r".repeat(50)}\r\n--B--`, ["\r".repeat(50)]],
  ])("%s", async (_what, body, texts) => {
    expect((await partsOf(body, step)).map(({ text }) => text)).toEqual(texts);
  });

  test("heads may have folded lines and any case, and the first of a name counts", async () => {
    const head = "X-One: 1\r\nContent-TYPE:text/plain;\r\n\t charset=x\r\nx-one: 2\r\nbroken";
    const [part] = await partsOf(`--B\r\n${head}\r\n\r\nx\r\n--B--`, step);
    expect(part!.headers).toEqual({ "x-one": "1", "content-type": "text/plain; charset=x" });
  });

  test("a malformed body is refused with its problem", async () => {
    for (const body of [
      "",
      "--B",
      "--B\r\nX: y\r\n",
      "--B\r\n\r\nx",
      "--B\r\n\r\nx\r\n--B",
      "--B\r\n\r\nx\r\n--B-",
      `--B\r\nX: ${"y".repeat(1_000)}\r\n\r\nx\r\n--B--`,
      `--B\r\nX: y${"\r\nX: y".repeat(5)}\r\n\r\nx\r\n--B--`,
    ])
      await expect(partsOf(body, step)).rejects.toBeInstanceOf(BrokenMultipart);
  });
});

test("any bytes read back unchanged, for any split into pieces", async () => {
  // Pieces of boundaries, so that halves of them occur everywhere.
  const alphabet = ["\r", "\n", "\r\n", "-", "--", "B", "\r\n--", "\r\n--C", "x".repeat(100)];
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 500; round++) {
    const texts = Array.from({ length: 1 + random(3) }, () =>
      Array.from({ length: random(12) }, () => alphabet[random(alphabet.length)]).join(""),
    ).filter((text) => !`\r\n${text}\r\n`.includes("\r\n--BB"));
    const body = texts.map((text) => `--BB\r\n\r\n${text}\r\n`).join("");
    const parts = await partsOf(`${body}--BB--`, 1 + random(40), "BB");
    expect(parts.map(({ text }) => text)).toEqual(texts);
  }
});

test("asking for the next part before the end of one is an error", async () => {
  const body = Buffer.from("--B\r\n\r\nx\r\n--B--");
  let isRead = false;
  const reader = createMultipartReader("B", async () => (isRead ? null : ((isRead = true), body)), LIMITS);
  await reader.next();
  await expect(reader.next()).rejects.toThrow("previous part to its end");
});
