import { describe, expect, spyOn, test } from "bun:test";
import { AppError } from "../../lib/errors.ts";
import { createBodyMemory } from "./body-memory.ts";
import { readJsonList } from "./json-list.ts";

const MOST = 50;
const ITEM_REFUSAL = "An item can have at most 64 KiB and 4000 values.";

/** Reads the bytes in pieces of `step`. With `stays` the request never ends. */
function read(body: string | Uint8Array, { step = 1 << 20, stays = false, most = MOST } = {}) {
  const bytes = Buffer.from(body as string);
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(new Uint8Array(bytes.subarray(at, (at += step))));
      else if (!stays) controller.close();
    },
  });
  const request = new Request("http://localhost/", { method: "POST", body: stream });
  const cuts = { count: 0 };
  const source = { request, reservation: createBodyMemory().enter(), cut: () => void cuts.count++ };
  return { cuts, value: readJsonList(source, { field: "links", most }) };
}

const refusal = (reading: Promise<unknown>): Promise<[string, string]> =>
  reading.then(
    (value) => ["no error", JSON.stringify(value)],
    (error: AppError) => [error.name, error.message],
  );

describe("the same result as JSON.parse", () => {
  const bodies = [
    '{"links":[]}',
    ' { "links" : [ ] } ',
    '{"links":[{"code":"a","target":"b"},{"code":"c"}],"more":[1,{"links":[2]}]}',
    '{"a":"links","b":["links",[1]],"links":["[",",","\\"]",null,true,-1.5e3,[[]],{}]}',
    String.raw`{"l\u0069nks":[1,2]}`,
    '{"links":[1],"links":[2,3]}',
    '{"links":[1],"links":5}',
    '{"links":5,"links":[1]}',
    '{"links":{"links":[1]}}',
    '{"other":[1,2,3]}',
    '{"links":["ä€😀"]}',
    '\uFEFF{"links":[1]}',
    '{"__proto__":{"x":1},"links":[{"__proto__":2}]}',
    "[[1,2],[3]]",
    '["links",[1,2]]',
    "[]",
    "5",
    '"links"',
    "null",
  ];

  test.each(bodies)("%s", async (body) => {
    const expected = JSON.parse(body.replace("\uFEFF", ""));
    for (const step of [1, 2, 3, 7, 1000]) expect(await read(body, { step }).value).toEqual(expected);
  });

  test.each([
    "",
    "{",
    '{"links":',
    '{"links":[',
    '{"links":[1',
    '{"links":[1,',
    '{"links":[1,]}',
    '{"links":[,1]}',
    '{"links":[1,,2]}',
    '{"links":[1 2]}',
    '{"links":[{"a":1]}',
    '{"links":[1}',
    '{"links":[1]',
    '{"links":[1]}}',
    '{"links":[1]}x',
    '{"links":["a]}',
    '{"links" [1]}',
    '{"links":[}]}',
    "{links:[1]}",
  ])("%p is refused, as JSON.parse does", async (body) => {
    expect(() => JSON.parse(body)).toThrow();
    for (const step of [1, 5, 1000])
      expect((await refusal(read(body, { step }).value))[0]).toBe("BadRequest");
  });
});

describe("bounds", () => {
  const list = (items: readonly unknown[]) => JSON.stringify({ links: items });

  test("one item too many ends the read before the body is complete", async () => {
    const links = Array.from({ length: MOST }, () => ({}));
    expect(await read(list(links)).value).toEqual({ links });
    const { value, cuts } = read(`{"links":[${"{},".repeat(MOST + 1)}`, { stays: true });
    expect((await refusal(value))[0]).toBe("BatchSizeTooLarge");
    expect(cuts.count).toBe(1);
  });

  test("too many levels end the read before the body is complete", async () => {
    for (const start of ["[", '{"links":[']) {
      const { value, cuts } = read(start + "[".repeat(100), { stays: true });
      expect((await refusal(value))[1]).toContain("levels");
      expect(cuts.count).toBe(1);
    }
  });

  test("an item that is too large has its own error", async () => {
    const long = "x".repeat(64 * 1024);
    const wide = Array(4_001).fill(0);
    const { links } = (await read(list(["a", long, wide, "b"]), { step: 999 }).value) as {
      links: unknown[];
    };
    expect(links.map((item) => (item instanceof AppError ? item.message : item))).toEqual([
      "a",
      ITEM_REFUSAL,
      ITEM_REFUSAL,
      "b",
    ]);
    const fitting = [long.slice(2), wide.slice(2)];
    expect(await read(list(fitting)).value).toEqual({ links: fitting });
  });

  test("an item that is too large keeps the fields before the bound, for its code", async () => {
    const long = '€\\"'.repeat(30_000);
    const items = [
      { code: "first", title: "}{,", target: long },
      { payload: { code: "inner" }, code: "second", target: long },
      { target: long, code: "late" },
      { rules: Array(4_001).fill(0), code: "wide" },
      long,
    ];
    for (const step of [999, 1 << 20]) {
      const { links } = (await read(list(items), { step }).value) as { links: AppError[] };
      expect(links.map(({ message }) => message)).toEqual(items.map(() => ITEM_REFUSAL));
      const kept = links.map(({ details }) => details?.["item"] as { code?: string } | undefined);
      expect(kept.map((item) => item?.code)).toEqual(["first", "second", undefined, "wide", undefined]);
      expect(kept[0]).toEqual({ code: "first", title: "}{,", target: undefined } as never);
    }
  });

  test("a value beside the list that is too large is skipped, wherever it is", async () => {
    const long = 'x,"]}'.repeat(20_000);
    const links = [{ code: "a" }];
    for (const more of [long, [long], { links: [long] }, Array(40_000).fill(1)])
      for (const body of [
        { more, links },
        { links, more },
        { a: 1, more, links, other: more, z: [2] },
      ])
        for (const step of [999, 1 << 20]) {
          const expected = { ...body, more: null, ...("other" in body && { other: null }) };
          expect(await read(JSON.stringify(body), { step }).value).toEqual(expected);
        }
    const [cut] = await refusal(read(`{"links":[1],"more":"${long}`).value);
    expect(cut).toBe("BadRequest");
  });

  test("the text beside the list is bounded", async () => {
    const names = `{${Array.from({ length: 5_000 }, (_, n) => `"name ${n}":${n},`).join("")}"links":[]}`;
    expect((await refusal(read(names).value))[1]).toContain("besides its list");
    expect((await refusal(read("[[1],".repeat(30) + "1,".repeat(64 * 1024)).value))[1]).toContain("beside");
  });

  test("more than 16 MiB and invalid UTF-8 are refused", async () => {
    const spaces = " ".repeat(16 * 1024 * 1024);
    expect((await refusal(read(`{"links":[1${spaces}]}`).value))[0]).toBe("PayloadTooLarge");
    const bad = Buffer.from('{"links":["\xff"]}', "latin1");
    expect(await refusal(read(bad).value)).toEqual(["BadRequest", "The body is not valid UTF-8."]);
  });

  test.each([
    ["lists in a list", `[${"[],".repeat(21_000)}1]`],
    ["lists with names", `{${'"":[],'.repeat(10_000)}"a":1}`],
    ["lists with escaped names", `{${'"\\u0061":[],'.repeat(5_000)}"a":1}`],
  ])("%s are decoded once", async (_, body) => {
    const decode = spyOn(TextDecoder.prototype, "decode");
    try {
      expect(await read(body).value).toEqual(JSON.parse(body));
      const decoded = decode.mock.calls.reduce((sum, [bytes]) => sum + (bytes?.byteLength ?? 0), 0);
      expect(decoded).toBeLessThan(2 * body.length);
    } finally {
      decode.mockRestore();
    }
  });

  test("16 MiB at once do not block the event loop", async () => {
    const item = JSON.stringify({ code: "x", target: `https://example.com/${"y".repeat(3_000)}` });
    const most = 5_000;
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const { value } = read(`{"links":[${Array(most).fill(item).join(",")}]}`, { step: 1 << 24, most });
    const { links } = (await value) as { links: unknown[] };
    clearInterval(timer);
    expect(links).toHaveLength(most);
    expect(turns).toBeGreaterThan(1);
  });
});
