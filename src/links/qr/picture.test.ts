import { expect, test } from "bun:test";
import { AppError } from "../../lib/errors.ts";
import { inCapitals, qrForTerminal, type QrInput, qrLookOf, qrPicture } from "./picture.ts";
import { type Pixels, pixelsOfPng, pixelsOfSvg, scan } from "./reading.test-support.ts";

const URL = "https://go.example/spring";
/** A host and a code of the greatest length. */
const LONGEST = `https://${"a".repeat(61)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}/${"x".repeat(128)}`;

function drawn(text: string, input: QrInput): Pixels {
  const look = qrLookOf(input);
  const bytes = qrPicture(text, look);
  return look.format === "png" ? pixelsOfPng(bytes) : pixelsOfSvg(bytes);
}

function refusal(input: QrInput, text = URL): string {
  try {
    qrPicture(text, qrLookOf(input));
  } catch (error) {
    if (error instanceof AppError) return `${error.name}: ${error.message}`;
    throw error;
  }
  return "no error";
}

const FORMATS = ["svg", "png"] as const;
const LEVELS = ["L", "M", "Q", "H"] as const;
const TEXTS = [URL, "http://xn--mnchen-3ya.example:8443/a%2F%2Fb", LONGEST];
const cases = FORMATS.flatMap((format) =>
  LEVELS.flatMap((ecc) => TEXTS.map((text) => [format, ecc, text.length, text] as const)),
);

test.each(cases)("a scanner reads %s at level %s with %d characters", (format, ecc, _length, text) => {
  const pixels = drawn(text, { format, ecc, size: "600" });
  expect([pixels.width, pixels.height]).toEqual([600, 600]);
  expect(scan(pixels)).toBe(text);
});

test.each(["64", "97", "2048"])("both pictures are %s pixels wide, as requested", (size) => {
  for (const format of FORMATS) {
    const pixels = drawn("http://a.example/b", { format, size, ecc: "L", margin: "2" });
    expect([format, pixels.width, pixels.height]).toEqual([format, Number(size), Number(size)]);
    expect([format, scan(pixels)]).toEqual([format, "http://a.example/b"]);
  }
});

test("a higher level of error correction needs more modules", () => {
  const sides = LEVELS.map((ecc) =>
    Number(/viewBox="0 0 (\d+)/.exec(Buffer.from(qrPicture(LONGEST, qrLookOf({ ecc }))).toString())![1]),
  );
  expect(sides).toEqual(sides.toSorted((a, b) => a - b));
  expect(new Set(sides).size).toBe(4);
});

test("the margin is light and as wide as requested", () => {
  for (const margin of [0, 4, 32]) {
    const { width, data } = drawn(URL, { format: "png", margin: String(margin), size: "2048" });
    const first = data.findIndex((value, at) => at % 4 === 0 && value === 0) / 4;
    // A first row of pixels with the finder's edge. What is left of the size is halved.
    const modules = 25 + 2 * margin;
    const scale = Math.floor(2048 / modules);
    const edge = Math.floor((2048 - modules * scale) / 2) + margin * scale;
    expect([margin, first % width, Math.floor(first / width)]).toEqual([margin, edge, edge]);
  }
});

test("colours are those requested, in both pictures", () => {
  for (const format of FORMATS) {
    const pixels = drawn(URL, { format, dark: "#036", light: "FFE9D6" });
    const found = new Set<string>();
    for (let at = 0; at < pixels.data.length; at += 4) {
      found.add(Buffer.from(pixels.data.subarray(at, at + 3)).toString("hex"));
    }
    expect([format, [...found].toSorted()]).toEqual([format, ["003366", "ffe9d6"]]);
    expect([format, scan(pixels)]).toEqual([format, URL]);
  }
});

test("colours with the least contrast are scanned, and fainter ones are refused with a sentence", () => {
  const least = [
    { dark: "7f7f7f", light: "fff" },
    { dark: "333", light: "666" },
    { dark: "e06000", light: "ffffff" },
  ];
  for (const colours of least) expect(scan(drawn(URL, { format: "png", ...colours }))).toBe(URL);
  for (const colours of [
    { dark: "818181", light: "fff" },
    { dark: "343434", light: "666" },
    { dark: "ffff00", light: "ffffff" },
    { dark: "777", light: "777" },
  ]) {
    expect(refusal(colours)).toMatch(/^BadRequest: dark and light are too similar for scanners: .*\.$/);
  }
  expect(refusal({ dark: "fff", light: "000" })).toStartWith(
    "BadRequest: dark must be darker than light: many scanners can't read inverted codes.",
  );
  expect(refusal({ dark: "000", light: "656565" })).toStartWith(
    "BadRequest: light is too dark for scanners: ",
  );
});

/** Draws the rectangles of a PDF of ours. */
function pixelsOfPdf(bytes: Uint8Array, pixels: number): Pixels {
  const file = new TextDecoder().decode(bytes);
  const place = Number(/startxref\n(\d+)/.exec(file)![1]);
  expect(file.slice(place)).toStartWith("xref\n0 5\n0000000000 65535 f \n");
  for (const [at, [, offset]] of [...file.matchAll(/^(\d{10}) 00000 n $/gm)].entries())
    expect(file.slice(Number(offset))).toStartWith(`${at + 1} 0 obj\n`);
  const [, length, drawing] = /<<\/Length (\d+)>>\nstream\n([\s\S]*)\nendstream/.exec(file)!;
  expect(drawing).toHaveLength(Number(length));
  const squares = [...drawing!.matchAll(/^(\d+) (\d+) (\d+) 1 re$/gm)].map(([, x, y, many]) =>
    [x, y, many].map(Number),
  );
  const side = 1 + 4 + Math.max(...squares.map(([, y]) => y!));
  const data = new Uint8Array(pixels * pixels * 4).fill(255);
  const scale = pixels / side;
  for (const [x, y, many] of squares)
    for (let row = Math.round(y! * scale); row < Math.round((y! + 1) * scale); row++)
      for (let at = Math.round(x! * scale); at < Math.round((x! + many!) * scale); at++)
        data.set([0, 0, 0], (row * pixels + at) * 4);
  return { width: pixels, height: pixels, data };
}

test("a PDF is one page of as many millimetres as requested, with shapes that a scanner reads", () => {
  const bytes = qrPicture(URL, qrLookOf({ format: "pdf", mm: "25", dark: "#036" }));
  const file = new TextDecoder().decode(bytes);
  // 25 mm are 70.866 points.
  expect(file).toContain("/MediaBox[0 0 70.866 70.866]");
  expect(file).toContain("\n0.0000 0.2000 0.4000 rg\n");
  expect(scan(pixelsOfPdf(bytes, 600))).toBe(URL);
});

test("a PNG that has too few pixels for its modules is refused, an SVG never is", () => {
  const input = { size: "64", margin: "4", ecc: "H" } as const;
  expect(refusal({ ...input, format: "png" }, LONGEST)).toMatch(
    /^BadRequest: size must be at least \d+ for a PNG of this address: it has \d+ modules/,
  );
  expect(refusal({ ...input, format: "svg" }, LONGEST)).toBe("no error");
});

test("the text for a terminal sets its colours, and a scanner reads what it draws", () => {
  const lines = qrForTerminal(URL, { ecc: "M", margin: 4 }).split("\n");
  const rows = lines.flatMap((line) => {
    const cells = Bun.stripANSI(line);
    expect(line).toBe(`\u001b[38;5;231;48;5;16m${cells}\u001b[0m`);
    return [[...cells].map((cell) => "█▀".includes(cell)), [...cells].map((cell) => "█▄".includes(cell))];
  });
  const scale = 4;
  const [width, height] = [rows[0]!.length * scale, rows.length * scale];
  const data = new Uint8Array(width * height * 4).map((_, at) => {
    const [x, y] = [(at >> 2) % width, Math.floor((at >> 2) / width)];
    return at % 4 === 3 || rows[Math.floor(y / scale)]![Math.floor(x / scale)] ? 255 : 0;
  });
  expect(scan({ width, height, data })).toBe(URL);
});

test("an address in capitals is read as it is, from a coarser picture", () => {
  const long = `${URL}/${"a1-".repeat(14)}`;
  const capitals = inCapitals(long, true);
  expect(capitals).toBe(long.toUpperCase());
  expect(scan(drawn(capitals, { format: "svg" }))).toBe(capitals);
  const modules = (text: string) =>
    Number(
      /viewBox="0 0 (\d+)/.exec(new TextDecoder().decode(qrPicture(text, qrLookOf({ format: "svg" }))))![1],
    );
  expect(modules(capitals)).toBeLessThan(modules(long));
  expect(() => inCapitals(long, false)).toThrow("ignores case");
});
