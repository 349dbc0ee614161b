import { describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { csvLine, readCsv } from "./csv.ts";

const LIMIT = 1000;
/** The row and its fields, or the first word of its problem. */
type Read = [number, readonly string[] | string];
const read = (text: string | Uint8Array): Read[] =>
  [...readCsv(Buffer.from(text as string), LIMIT)]
    .filter((record) => record !== null)
    .map((record) => [
      record.row,
      record.problem === null ? record.fields : record.problem.split(" ", 1)[0]!,
    ]);

describe("reads", () => {
  test.each<[string, string, Read[]]>([
    ["nothing", "", []],
    [
      "plain rows",
      "a,b\nc,d\n",
      [
        [1, ["a", "b"]],
        [2, ["c", "d"]],
      ],
    ],
    [
      "a last row without its line break",
      "a,b\nc,d",
      [
        [1, ["a", "b"]],
        [2, ["c", "d"]],
      ],
    ],
    [
      "CRLF",
      'a,b\r\nc,"d"\r\n',
      [
        [1, ["a", "b"]],
        [2, ["c", "d"]],
      ],
    ],
    ["CRLF with its LF missing at the end", 'a,"b"\r', [[1, ["a", "b"]]]],
    [
      "CR alone",
      'a,b\r\r"c",d\re,f',
      [
        [1, ["a", "b"]],
        [3, ["c", "d"]],
        [4, ["e", "f"]],
      ],
    ],
    [
      "line breaks of every kind in one file",
      'a,b\rc,"d\re\r\n"\r\ng,h\n\ri,j',
      [
        [1, ["a", "b"]],
        [2, ["c", "d\re\r\n"]],
        [5, ["g", "h"]],
        [7, ["i", "j"]],
      ],
    ],
    ["a byte order mark", "\uFEFFa,b\n", [[1, ["a", "b"]]]],
    ["a byte order mark before a quote", '\uFEFF"a",b\n', [[1, ["a", "b"]]]],
    [
      "empty fields",
      ',,\n"",x\n',
      [
        [1, ["", "", ""]],
        [2, ["", "x"]],
      ],
    ],
    ["an empty last field at the end of the file", '"a",', [[1, ["a", ""]]]],
    ["commas and doubled quotes", '"a,""b""",c\n', [[1, ['a,"b"', "c"]]]],
    ["a field of one quote", '""""\n', [[1, ['"']]]],
    [
      "line breaks in quotes, and counts them",
      'a,"x\r\ny\n"\nb,c\n',
      [
        [1, ["a", "x\r\ny\n"]],
        [4, ["b", "c"]],
      ],
    ],
    ["quotes inside plain fields as they are", 'a"b,c" \n', [[1, ['a"b', 'c" ']]]],
    [
      "blank lines as nothing",
      "a\n\n  \t\r\n\nb\n",
      [
        [1, ["a"]],
        [5, ["b"]],
      ],
    ],
    ["a quoted empty field as a row", '""\n', [[1, [""]]]],
    ["blanks around fields as they are", " a , b \n", [[1, [" a ", " b "]]]],
    ["Unicode", 'é,日本,"😀"\n', [[1, ["é", "日本", "😀"]]]],
  ])("%s", (_name, text, records) => {
    expect(read(text)).toEqual(records);
  });

  test.each([";", "\t"] as const)("fields separated by %j", (separator) => {
    const text = 'a,b|"c|d"\r\n|1,5\n'.replaceAll("|", separator);
    const records = [...readCsv(Buffer.from(text), LIMIT, separator)].map((record) => record?.fields);
    expect(records).toEqual([
      ["a,b", `c${separator}d`],
      ["", "1,5"],
    ]);
  });

  test("the end of each record", () => {
    const ends = [...readCsv(Buffer.from('a,b\n\n"c\nd"\ne'), LIMIT)].map((record) => record?.end);
    expect(ends).toEqual([4, undefined, 11, 13]);
  });
});

describe("continues after", () => {
  test.each<[string, string, Read[]]>([
    [
      "text behind a closing quote",
      'a,"b"c\nd,e\n',
      [
        [1, "There"],
        [2, ["d", "e"]],
      ],
    ],
    [
      "a blank behind a closing quote",
      'a,"b" \nd,e\n',
      [
        [1, "There"],
        [2, ["d", "e"]],
      ],
    ],
    [
      "a quote never closed",
      'a,"b\nc,d\ne,f\n',
      [
        [1, "A"],
        [2, ["c", "d"]],
        [3, ["e", "f"]],
      ],
    ],
    [
      "a quote closed by the next row's",
      'a,"b\nc,"d"\ne,f\n',
      [
        [1, "There"],
        [2, ["c", "d"]],
        [3, ["e", "f"]],
      ],
    ],
    [
      "a lone quote at the end",
      'a,b\n"',
      [
        [1, ["a", "b"]],
        [2, "A"],
      ],
    ],
    [
      "a quote not closed within the limit",
      `a,"${"b\n".repeat(600)}c"\n`,
      [[1, "A"], ...Array.from({ length: 599 }, (_, at): Read => [at + 2, ["b"]]), [601, ['c"']]],
    ],
    [
      "a row over the limit",
      `a,${"b".repeat(1000)}\nc,d\n`,
      [
        [1, "The"],
        [2, ["c", "d"]],
      ],
    ],
    [
      "a quote never closed, in lines that end with CR",
      'a,"b\rc,d\re,f\r',
      [
        [1, "A"],
        [2, ["c", "d"]],
        [3, ["e", "f"]],
      ],
    ],
    [
      "a row over the limit behind a quote",
      `"a",${"b".repeat(1000)}\nc,d\n`,
      [
        [1, "The"],
        [2, ["c", "d"]],
      ],
    ],
  ])("%s", (_name, text, records) => {
    expect(read(text)).toEqual(records);
  });

  test("bytes that are not UTF-8, and keeps the other rows", () => {
    const bytes = Buffer.concat([
      Buffer.from("a,é\n"),
      Buffer.from([0x61, 0x2c, 0xe9, 0x0a]),
      Buffer.from("c,\uFFFD\n"),
    ]);
    expect(read(bytes)).toEqual([
      [1, ["a", "é"]],
      [2, "The"],
      [3, ["c", "\uFFFD"]],
    ]);
  });
});

test("a row of exactly the limit is read", () => {
  expect(read(`${"a".repeat(LIMIT)}\n`)).toEqual([[1, ["a".repeat(LIMIT)]]]);
  expect(read(`"${"a".repeat(LIMIT - 2)}"\n`)).toEqual([[1, ["a".repeat(LIMIT - 2)]]]);
});

/** Small random texts over the characters that matter, the same at each run. */
function* randomFields(count: number): Generator<string[]> {
  let state = 12345;
  const next = (below: number) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
  const alphabet = ["a", "b", ",", '"', "\n", "\r\n", "é", " ", "\r"];
  for (let at = 0; at < count; at++) {
    yield Array.from({ length: 3 }, () => Array.from({ length: next(6) }, () => alphabet[next(9)]).join(""));
  }
}

test("written records read back, in this reader and in another", () => {
  const rows = [...randomFields(3000)].map((fields) => fields.concat("end"));
  const text = rows.map(csvLine).join("");
  const ours = [...readCsv(Buffer.from(text), LIMIT)].map((record) => record?.fields as string[]);
  expect(ours).toEqual(rows);
  expect(parse(text, { record_delimiter: "\n" }) as string[][]).toEqual(rows);
});

test("many misplaced quotes take linear time", () => {
  const patterns = [
    '"',
    '"\n',
    '""\n',
    '"""\n',
    '"a\n',
    'a,"\n',
    '"""a\n',
    '""a"\n',
    '"\r',
    'a,"\r',
    '""a"\r\n',
    "\r",
  ];
  for (const pattern of patterns) {
    const bytes = Buffer.from(pattern.repeat(100_000));
    let records = 0;
    for (const record of readCsv(bytes, 64 * 1024)) if (record === null || record.row > 0) records++;
    expect(records).toBeGreaterThan(0);
  }
});
