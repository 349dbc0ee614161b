/** Bodies in chunks. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startShared } from "../support/shared-server.ts";
import {
  ask,
  codeIn,
  OTHER,
  post,
  refusal,
  request,
  startOnWire,
  VISIT_OTHER,
  type WireInstance,
  WRONG_LINK,
  WRONG_LINK_CODE,
} from "../support/wire-instance.ts";

let here: WireInstance;
let links: number;
beforeAll(async () => {
  here = await startOnWire(await startShared());
  links = await here.countLinks();
});
afterAll(() => here.installation.remove());

const CHUNKED = "Transfer-Encoding: chunked\r\n";
const SIZE = WRONG_LINK.length.toString(16);
const whole = (first = SIZE, last = "0\r\n\r\n") => `${first}\r\n${WRONG_LINK}\r\n${last}`;
const oneByOne = `${[...WRONG_LINK].map((byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`;
const inTwo = (small = "a", large = "f") =>
  `${small}\r\n${WRONG_LINK.slice(0, 10)}\r\n${large}\r\n${WRONG_LINK.slice(10)}\r\n0\r\n\r\n`;

const VALID: [what: string, body: string][] = [
  ["one chunk", whole()],
  ["two chunks", inTwo()],
  ["sizes in capitals", inTwo("A", "F")],
  ["a chunk for each byte", oneByOne],
  ["zeros before a size", whole(`000${SIZE}`)],
  ["many zeros before a size", whole(`${"0".repeat(30)}${SIZE}`)],
  ["zeros at the end", whole(SIZE, "000\r\n\r\n")],
  ["an extension", whole(`${SIZE};x=y`, "0;z\r\n\r\n")],
  ["an empty extension", whole(`${SIZE};`)],
  ["an extension in quotes", whole(`${SIZE};x="y"`)],
  ["a long extension", whole(`${SIZE};${"x".repeat(2_000)}`)],
];

test.each(VALID)("%s is read", async (_what, body) => {
  const answer = await ask(here.open(), post(here.auth, CHUNKED, body));
  expect([answer.status, codeIn(answer)]).toEqual([400, WRONG_LINK_CODE]);
});

test.each(VALID)("%s is skipped on the way to the next request", async (_what, body) => {
  for (const [method, target, status] of [
    ["POST", "/a/b", 405],
    ["GET", "/a/b", 307],
    ["POST", "/admin/v1/links", 401],
  ] as const) {
    const wire = here.open();
    wire.send(request(target, CHUNKED, method) + body + VISIT_OTHER);
    expect((await wire.answer()).status).toBe(status);
    expect((await wire.answer()).headers.get("location")).toBe(OTHER);
    wire.hangUp();
  }
});

test.each(VALID)("%s is read from pieces of any size", async (_what, body) => {
  const bytes = post(here.auth, CHUNKED, body);
  const bodyAt = bytes.length - body.length;
  for (const step of [1, 2, 7]) {
    const wire = here.open();
    const pieces = [bytes.slice(0, bodyAt)];
    const most = Math.min(body.length, 300);
    for (let at = 0; at < most; at += step) pieces.push(body.slice(at, Math.min(at + step, most)));
    await wire.dribble([...pieces, body.slice(most)]);
    expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
    wire.hangUp();
  }
});

test("two chunks are read when they are cut at any byte", async () => {
  const bytes = post(here.auth, CHUNKED, inTwo());
  const wire = here.open();
  for (let at = bytes.length - inTwo().length - 6; at < bytes.length; at++) {
    await wire.dribble([bytes.slice(0, at), bytes.slice(at)]);
    expect([at, codeIn(await wire.answer())]).toEqual([at, WRONG_LINK_CODE]);
  }
  wire.hangUp();
});

test("an empty body is no JSON", async () => {
  for (const body of ["0\r\n\r\n", "00\r\n\r\n", "0;x\r\n\r\n"]) {
    const answer = await ask(here.open(), post(here.auth, CHUNKED, body));
    expect([answer.status, codeIn(answer)]).toEqual([400, 1000]);
  }
});

describe("broken chunks are refused", () => {
  const BROKEN: [what: string, body: string][] = [
    ["a size with 0x", whole(`0x${SIZE}`)],
    ["a size with a plus", whole(`+${SIZE}`)],
    ["a negative size", whole(`-${SIZE}`)],
    ["a negative zero", whole(SIZE, "-0\r\n\r\n")],
    ["a blank before a size", whole(` ${SIZE}`)],
    ["a blank after a size", whole(`${SIZE} `)],
    ["a tab after a size", whole(`${SIZE}\t`)],
    ["a blank in a size", whole("1 9")],
    ["an underscore in a size", whole("1_9")],
    ["a size with a unit", whole(`${SIZE}h`)],
    ["two sizes", whole(`${SIZE},${SIZE}`)],
    ["a size that is no number", whole("g")],
    ["NUL in a size", whole(`${SIZE}\0`)],
    ["no size", whole("")],
    ["an empty line before a size", `\r\n${whole()}`],
    ["a size that overflows 64 bits", whole(`1${"0".repeat(15)}${SIZE}`)],
    ["a size of 68 bits", whole("f".repeat(17))],
    ["a size of 64 bits", whole("f".repeat(16))],
    ["LF in an extension", whole(`${SIZE};x="a\nb"`)],
    ["CR in an extension", whole(`${SIZE};x=a\rb`)],
    ["LF after an extension", `${SIZE};\n${WRONG_LINK}\r\n0\r\n\r\n`],
    ["LF after a size", `${SIZE}\n${WRONG_LINK}\r\n0\r\n\r\n`],
    ["CR CR LF after a size", `${SIZE}\r\r\n${WRONG_LINK}\r\n0\r\n\r\n`],
    ["LF after the data", `${SIZE}\r\n${WRONG_LINK}\n0\r\n\r\n`],
    ["CR after the data", `${SIZE}\r\n${WRONG_LINK}\r0\r\n\r\n`],
    ["nothing after the data", `${SIZE}\r\n${WRONG_LINK}0\r\n\r\n`],
    ["other bytes after the data", `${SIZE}\r\n${WRONG_LINK}xx0\r\n\r\n`],
    ["LF everywhere", whole().replaceAll("\r\n", "\n")],
    ["CR everywhere", whole().replaceAll("\r\n", "\r")],
    ["LF after the last size", whole(SIZE, "0\n\n")],
    ["LF at the end", whole(SIZE, "0\r\n\n")],
    ["data that is longer", whole((WRONG_LINK.length - 1).toString(16))],
    ["data that is shorter", whole((WRONG_LINK.length + 1).toString(16))],
    ["a trailer without a colon", whole(SIZE, "0\r\nbad\r\n\r\n")],
    ["a trailer without a name", whole(SIZE, "0\r\n: x\r\n\r\n")],
    ["a folded trailer", whole(SIZE, "0\r\nX: y\r\n z\r\n\r\n")],
    ["a blank for a trailer", whole(SIZE, "0\r\n \r\n\r\n")],
    ["no chunks", WRONG_LINK],
  ];

  test.each(BROKEN)("%s", async (_what, body) => {
    const [first, ...others] = await refusal(here.open(), post(here.auth, CHUNKED, body));
    expect([400, others]).toEqual([first!, []]);
    // A request that was answered without its body may get a second answer, or only the end of its connection.
    for (const bytes of [post("", CHUNKED, body), request("/a/b", CHUNKED) + body]) {
      const statuses = await refusal(here.open(), bytes);
      expect(statuses.filter((status) => ![400, 401, 307].includes(status))).toEqual([]);
      expect(statuses.filter((status) => status === 307).length).toBeLessThanOrEqual(1);
    }
  });

  test.each([
    ["an extension of 20 KB", whole(`${SIZE};${"x".repeat(20_000)}`)],
    ["an extension of 200 KB", whole(`${SIZE};${"x".repeat(200_000)}`)],
    ["trailers of 200 KB", whole(SIZE, `0\r\n${`X: ${"y".repeat(1_000)}\r\n`.repeat(200)}\r\n`)],
  ])("%s, where the answer may be lost", async (_what, body) => {
    const statuses = await refusal(here.open(), post(here.auth, CHUNKED, body));
    expect(statuses.filter((status) => ![400, 413, 431].includes(status))).toEqual([]);
    expect(statuses.length).toBeLessThanOrEqual(1);
  });
});

describe("a body that stops", () => {
  const body = inTwo();
  const stops = Array.from({ length: body.length - 2 }, (_, at) => body.slice(0, at));

  test("before its end changes nothing, wherever it stops", async () => {
    const good = '{"target":"https://example.com/","code":"half"}';
    const chunks = `${good.length.toString(16)}\r\n${good}\r\n0\r\n\r\n`;
    const wires = Array.from({ length: chunks.length - 4 }, (_, at) => {
      const wire = here.open();
      wire.send(post(here.auth, CHUNKED, chunks.slice(0, at)));
      wire.end();
      return wire;
    });
    await Promise.all(wires.map((wire) => wire.closed()));
    for (const wire of wires) wire.hangUp();
    expect(await here.countLinks()).toBe(links);
  });

  test("waits for the rest, wherever it stops", async () => {
    const wires = stops.map((part) => {
      const wire = here.open();
      wire.send(post(here.auth, CHUNKED, part));
      return wire;
    });
    // The server has read what came before on other connections.
    await here.client.call("GET", "/stats");
    for (const [at, wire] of wires.entries()) {
      wire.send(body.slice(at));
      expect([at, codeIn(await wire.answer())]).toEqual([at, WRONG_LINK_CODE]);
      wire.hangUp();
    }
  });
});

test("no broken request has changed anything", async () => {
  expect(await here.countLinks()).toBe(links);
  expect(here.server.log()).not.toContain('"level":"error"');
});
