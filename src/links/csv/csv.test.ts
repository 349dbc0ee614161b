import { describe, expect, test } from "bun:test";
import { AppError } from "../../lib/errors.ts";
import { createCodeRule } from "../link/code.ts";
import { type Link, PLAIN, UNOWNED } from "../link/link.ts";
import { type CsvChunk, csvLinkOf, isFailed, openCsvFile } from "./csv-file.ts";
import { CSV_HEADER, csvLineOf, layoutOf } from "./columns.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");
const rule = createCodeRule(() => ["/admin"]);
const same = (code: string) => code;
const RULES = { rule, now: NOW, keyOf: same, isDomain: () => false };

function errorOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof AppError ? error.name : String(error);
  }
  return "nothing thrown";
}

const chunksOf = async (text: string | Buffer): Promise<CsvChunk[]> =>
  Array.fromAsync(openCsvFile(Buffer.from(text as string), RULES).chunks());

describe("the header", () => {
  test("may have its columns in any order and case, beside others", () => {
    expect(layoutOf([" Target", "memo", "CODE ", "Click_Count"])).toEqual({
      width: 4,
      at: { code: 2, target: 0, click_count: 3 },
      ignored: ["memo"],
    });
  });

  test.each([[["code"]], [["target"]], [["code;target"]], [[""]], [["code", "target", "code"]]])(
    "%j is refused",
    (header) => {
      expect(errorOf(() => layoutOf(header))).toBe("CsvParseError");
    },
  );
});

test("the header stands whole within the first 128 KiB", () => {
  const open = (text: string) => () => openCsvFile(Buffer.from(text), RULES);
  const file = (blanks: number, header = "code,target") =>
    open(`${",".repeat(blanks)}\n${header}\na,https://x.y\n`);
  expect(errorOf(file(60_000))).toBe("nothing thrown");
  expect(open(`${",\n".repeat(900)}code,target\n`)).not.toThrow();
  expect(open(`${`${",".repeat(60_000)}\n`.repeat(3)}code,target\n`)).toThrow("blank lines");
  const cut = `code,target,${"x".repeat(30_000)}`;
  expect(open(`${`${",".repeat(60_000)}\n`.repeat(2)}${cut}\n`)).toThrow("blank lines");
  expect(open(`code,target,${"x".repeat(200_000)}`)).toThrow("longer than 65,536 bytes");
});

describe("a row", () => {
  const columns = ["code", "target", "created_at", "expires_at", "password", "click_count"];
  const rules = { layout: layoutOf(columns), ...RULES };
  const read = (...fields: string[]) => csvLinkOf(7, fields, rules);

  test("becomes a link", () => {
    expect(
      read(
        " a/b ",
        " https://x.y/ ",
        "2020-01-02T03:04:05.678Z ",
        "2030-01-01T00:00:00+01:00",
        " pass ",
        " 42 ",
      ),
    ).toEqual({
      more: expect.anything(),
      row: 7,
      code: "a/b",
      target: "https://x.y/",
      createdAt: Date.parse("2020-01-02T03:04:05.678Z"),
      expiresAt: Date.parse("2029-12-31T23:00:00Z"),
      password: { plain: " pass " },
      clickCount: 42,
      automatedClicks: undefined,
      owner: undefined,
      unread: [],
    });
  });

  test("names the cells that count as empty because they can't be read", () => {
    const unreadOf = (...fields: string[]) => read("a", "https://x.y", ...fields).unread;
    expect(unreadOf("", " ", "", "")).toEqual([]);
    expect(unreadOf("yesterday", " 31.12.2026 ", "", "1,000")).toEqual([
      { column: "created_at", value: "yesterday" },
      { column: "expires_at", value: "31.12.2026" },
      { column: "click_count", value: "1,000" },
    ]);
    expect(unreadOf("", "x".repeat(1_000), "", "")).toEqual([
      { column: "expires_at", value: "x".repeat(100) },
    ]);
  });

  test("with unusable values gets the defaults", () => {
    const nothing = { createdAt: NOW, expiresAt: null, password: null, clickCount: 0 };
    expect(read("a", "https://x.y", "", "", "", "")).toMatchObject(nothing);
    expect(read("a", "https://x.y", "yesterday", "7d", "", "-1")).toMatchObject(nothing);
    expect(read("a", "https://x.y", "2026-02-30T00:00:00Z", "never", "", "1e3")).toMatchObject(nothing);
    // A thousand such counts would overflow the sum of all links.
    expect(read("a", "https://x.y", "", "", "", "9007199254740991")).toMatchObject(nothing);
    expect(read("a", "https://x.y", "", "", "", "10000000000001")).toMatchObject(nothing);
    expect(read("a", "https://x.y", "", "", "", "10000000000000")).toMatchObject({ clickCount: 1e13 });
  });

  test("distinguishes a missing column from an empty cell", () => {
    const layout = layoutOf(["target", "code"]);
    expect(csvLinkOf(2, ["https://x.y", "a"], { ...rules, layout })).toMatchObject({
      createdAt: undefined,
      expiresAt: null,
      password: null,
      clickCount: undefined,
    });
  });

  test("may have a password hash, which is kept", () => {
    const hash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA";
    expect(read("a", "https://x.y", "", "", hash, "").password).toEqual({ hash });
    expect(read("a", "https://x.y", "", "", "$argon2", "").password).toEqual({ hash: "$argon2" });
    for (const foreign of [
      "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
      "$pbkdf2-sha256$i=1000$YSBzYWx0$c2FsdHNhbHRzYWx0c2FsdA==",
    ]) {
      expect(read("a", "https://x.y", "", "", foreign, "").password).toEqual({ hash: foreign });
      const plain = `${foreign.slice(0, -1)}!`;
      expect(read("a", "https://x.y", "", "", plain, "").password).toEqual({ plain });
    }
    expect(read("a", "https://x.y", "", "", "argon2", "").password).toEqual({ plain: "argon2" });
  });

  test.each<[string, string[]]>([
    ["CsvParseError", ["a", "https://x.y/?a=1", "b", "", "", "", "7"]],
    ["CsvParseError", ["a"]],
    ["LinkInvalidCode", ["", "https://x.y", "", "", "", ""]],
    ["LinkInvalidCode", ["a b", "https://x.y", "", "", "", ""]],
    ["LinkInvalidCode", ["a\0", "https://x.y", "", "", "", ""]],
    ["LinkReservedCode", ["admin/x", "https://x.y", "", "", "", ""]],
    ["LinkInvalidUrl", ["a", "", "", "", "", ""]],
    ["LinkInvalidUrl", ["a", "javascript:alert(1)", "", "", "", ""]],
    ["LinkInvalidUrl", ["a", "https://x.y/\r\nSet-Cookie: a", "", "", "", ""]],
    ["BadRequest", ["a", "https://x.y", "", "", "[REDACTED]", ""]],
    ["BadRequest", ["a", "https://x.y", "", "", "x".repeat(1025), ""]],
    ["BadRequest", ["a", "https://x.y", "", "", `$argon2${"x".repeat(249)}`, ""]],
    ["BadRequest", ["a", "https://x.y", "", "", "$argon2id$\0", ""]],
  ])("%s for %j", (name, fields) => {
    expect(errorOf(() => read(...fields))).toBe(name);
  });

  test("of the export becomes the same link", () => {
    const link: Link = {
      id: 1,
      code: "a",
      target: 'https://x.y/?q="a,b"',
      createdAt: NOW + 1,
      updatedAt: NOW,
      ...UNOWNED,
      ownerName: null,
      ...PLAIN,
      passwordHash: "$argon2id$x,y",
      expiresAt: NOW + 2,
      clickCount: 12,
      automatedClicks: 0,
    };
    expect(CSV_HEADER).toBe("code,target,created_at,expires_at,password,click_count\n");
    expect(csvLineOf(link)).toBe(
      'a,"https://x.y/?q=""a,b""",2026-11-20T13:00:00.001Z,2026-11-20T13:00:00.002Z,"$argon2id$x,y",12\n',
    );
    expect(csvLineOf({ ...link, target: "https://x.y", expiresAt: null, passwordHash: null })).toBe(
      "a,https://x.y,2026-11-20T13:00:00.001Z,,,12\n",
    );
  });
});

describe("a file", () => {
  test("is read in portions of 1,000 rows, repeatedly", async () => {
    const text = `code,target\n${Array.from({ length: 2200 }, (_, at) => `c${at},https://x.y/${at}\n`).join("")}`;
    const file = openCsvFile(Buffer.from(text), RULES);
    for (let reading = 0; reading < 2; reading++) {
      const chunks = await Array.fromAsync(file.chunks());
      expect(chunks.map((chunk) => chunk.rows.length)).toEqual([1000, 1000, 200]);
      expect(chunks.at(-1)).toMatchObject({ done: text.length });
      expect(chunks[2]?.rows.at(-1)).toMatchObject({ row: 2201, code: "c2199" });
    }
  });

  test("with long rows is read in smaller chunks", async () => {
    const text = `code,target\n${Array.from({ length: 100 }, (_, at) => `c${at},https://x.y/${"x".repeat(8000)}\n`).join("")}`;
    const chunks = await chunksOf(text);
    expect(Math.max(...chunks.map((chunk) => chunk.rows.length))).toBeLessThan(80);
    expect(chunks.flatMap((chunk) => chunk.rows)).toHaveLength(100);
  });

  const linksIn = async (text: string) =>
    (await chunksOf(text)).flatMap(({ rows }) =>
      rows.map((row) => (isFailed(row) ? [row.row, row.error_code] : [row.row, row.code, row.target])),
    );
  const TWO = [
    [2, "a", "https://x.y/?q=1,2;3"],
    [3, "b", "https://x.y"],
  ];

  test.each([
    ["commas", 'code,target\na,"https://x.y/?q=1,2;3"\nb,https://x.y\n'],
    ["semicolons", 'code;target\na;"https://x.y/?q=1,2;3"\nb;https://x.y\n'],
    ["semicolons, all in quotes", '"code";"target"\r\n"a";"https://x.y/?q=1,2;3"\r\n"b";"https://x.y"\r\n'],
    ["tabs", "\uFEFFcode\ttarget\na\thttps://x.y/?q=1,2;3\nb\thttps://x.y"],
    ["line ends of CR alone", 'code,target\ra,"https://x.y/?q=1,2;3"\rb,https://x.y\r'],
  ])("is taken with %s", async (_name, text) => {
    expect(await linksIn(text)).toEqual(TWO);
  });

  test("is separated by commas if those make a usable header", async () => {
    expect(await linksIn('code,target,"a;b;c;d"\na,https://x.y/;z,\n')).toEqual([[2, "a", "https://x.y/;z"]]);
  });

  test("may have rows of separators alone, which are ignored", async () => {
    const text =
      ',,\n\ncode,target,password\n,,\na,https://x.y,\n , ,\n,,,,,,\n"","",""\n;;\nb,https://x.y,\n,,';
    expect(await linksIn(text)).toEqual([
      [5, "a", "https://x.y"],
      [9, 4005],
      [10, "b", "https://x.y"],
    ]);
    expect(await linksIn("code;target\n;\na;https://x.y\n;;;\n")).toEqual([[3, "a", "https://x.y"]]);
  });

  test.each([
    ["", "blank"],
    [",,,\n\n", "blank"],
    ["\n".repeat(1000), "blank"],
    ["code;link\na;https://x.y", "'target'"],
    ["codes\ttarget\na\thttps://x.y", "'code'"],
    ['"code";"link"\na;https://x.y', "'target'"],
    ["code;target;Code\na;https://x.y;b", "twice"],
  ])("is refused as %j, and explains why", (text, reason) => {
    const open = () => openCsvFile(Buffer.from(text), RULES);
    expect(errorOf(open)).toBe("CsvParseError");
    expect(open).toThrow(reason);
  });

  test("reports failed rows with line and reason", async () => {
    const long = "x".repeat(500);
    const rows = [
      "a,https://x.y",
      '"b,https://x.y',
      'c,"x"y',
      "d",
      '"e\nf",https://x.y',
      `${long},https://x.y`,
    ];
    const text = `\uFEFFcode,target\n\n${rows.join("\n")}`;
    const [chunk] = await chunksOf(text);
    const failed = chunk!.rows.filter(isFailed).map(({ row, code, error_code }) => [row, code, error_code]);
    expect(chunk!.rows).toHaveLength(6);
    expect(failed).toEqual([
      [4, "", 4005],
      [5, "", 4005],
      [6, "d", 4005],
      [7, "e\nf", 3007],
      [9, "x".repeat(200), 3007],
    ]);
  });
});
