/** The Host of a request. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startShared } from "../support/shared-server.ts";
import { ask, codeIn, startOnWire, TARGET, VISIT, type WireInstance } from "../support/wire-instance.ts";

let here: WireInstance;
beforeAll(async () => {
  here = await startOnWire(await startShared());
});
afterAll(() => here.installation.remove());

const PATHS = ["/a/b", "/admin/v1/links", "/health/live", "/nothing"];

/** What every path answers; 401 of the API and 404 count as heard. */
async function statuses(fields: string, version = "HTTP/1.1", origin = ""): Promise<number[]> {
  const found = [];
  for (const path of PATHS) {
    found.push((await ask(here.open(), `GET ${origin}${path} ${version}\r\n${fields}\r\n`)).status);
  }
  return found;
}

const HEARD = [307, 401, 401, 404];
const REFUSED = [400, 400, 400, 400];

test.each([
  "wire.example",
  "wire.example:80",
  "wire.example:8080",
  "WIRE.EXAMPLE",
  "wire.example.",
  "127.0.0.1",
  "127.0.0.1:7801",
  "[::1]",
  "[::1]:80",
  "xn--4ca.example",
  "a_b.example",
  "localhost",
])("%s is heard", async (host) => {
  expect(await statuses(`Host: ${host}\r\n`)).toEqual(HEARD);
  expect(await statuses(`Host: ${host}\r\n`, "HTTP/1.0")).toEqual(HEARD);
});

test.each([
  "Host:wire.example",
  "Host:   wire.example  ",
  "HOST:\twire.example\t",
  "X-A: b\r\nhost: wire.example",
])("%j is heard", async (line) => {
  expect(await statuses(`${line}\r\n`)).toEqual(HEARD);
});

/** 240 characters. An expression that backtracks would try their parts in more ways than it can ever end. */
const LABELS = ".aaaaaaaaaaa".repeat(20);

test("a long one is read at once", async () => {
  const longest = `${LABELS.slice(1)}.${"a".repeat(13)}.`;
  expect(await statuses(`Host: ${longest}:65535\r\n`)).toEqual(HEARD);
  expect(await statuses(`Host: a${LABELS}.1\r\n`)).toEqual(REFUSED);
  const wire = here.open();
  wire.send(VISIT.replace("wire.example", `a${LABELS}.`).repeat(200));
  for (let round = 0; round < 200; round++) expect((await wire.answer()).status).toBe(307);
  wire.hangUp();
});

test("one of more characters than a name of DNS with a port has is refused", async () => {
  const long = `a${".aaaaaaaaaaa".repeat(21)}.example`;
  expect(await statuses(`Host: ${long}\r\n`)).toEqual(REFUSED);
  expect(await statuses(`Host: a\r\n`, "HTTP/1.1", `http://${long}`)).toEqual(REFUSED);
});

test.each([
  "a b",
  "a\tb",
  "a/b",
  "a?b",
  "a#b",
  "a@b",
  "user:password@b",
  "a\\b",
  "a<b",
  'a"b',
  "a|b",
  "a^b",
  "a{b}",
])("%j is refused", async (host) => {
  expect(await statuses(`Host: ${host}\r\n`)).toEqual(REFUSED);
  expect(await statuses(`Host: ${host}\r\n`, "HTTP/1.0")).toEqual(REFUSED);
  expect(await statuses(`Host: ${host}\r\n`, "HTTP/1.1", "http://wire.example")).toEqual(REFUSED);
});

test.each(["a\u0001b", "a\0b", "a\rb", "a\nb"])("%j with a control character is refused", async (host) => {
  expect(await statuses(`Host: ${host}\r\n`)).toEqual(REFUSED);
});

describe("two of them", () => {
  test.each([
    "Host: a.example\r\nHost: b.example",
    "Host: a.example\r\nHost: a.example",
    "Host: a.example\r\nhost: a.example",
    "Host: a.example\r\nX-A: b\r\nHost: b.example",
    "Host:\r\nHost: a.example",
    "Host: a.example\r\nHost:",
    "Host: a.example, b.example",
  ])("%j are refused", async (lines) => {
    expect(await statuses(`${lines}\r\n`)).toEqual(REFUSED);
    expect(await statuses(`${lines}\r\n`, "HTTP/1.0")).toEqual(REFUSED);
    expect(await statuses(`${lines}\r\n`, "HTTP/1.1", "http://wire.example")).toEqual(REFUSED);
  });
});

test("without one, HTTP/1.1 is refused and HTTP/1.0 is answered", async () => {
  expect(await statuses("")).toEqual(REFUSED);
  expect(await statuses("X-A: b\r\n", "HTTP/1.1", "http://wire.example")).toEqual(REFUSED);
  expect(await statuses("", "HTTP/1.0")).toEqual(HEARD);
  expect(await statuses("", "HTTP/1.0", "http://wire.example")).toEqual(HEARD);
});

test("a malformed one is refused with an envelope, for requests with a body too", async () => {
  const body = '{"target":"https://example.com/"}';
  const bytes = `POST /admin/v1/links HTTP/1.1\r\nHost: a b\r\n${here.auth}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const before = await here.countLinks();
  const answer = await ask(here.open(), bytes);
  expect([answer.status, codeIn(answer)]).toEqual([400, 1000]);
  expect(await here.countLinks()).toBe(before);
});

test("of another domain leads to that domain's links, in every form", async () => {
  const made = await here.client.call("POST", "/domains", { host: "links.example" });
  expect(made.status).toBe(201);
  const elsewhere = "https://example.com/domain";
  const link = { code: "a/b", target: elsewhere, domain: "links.example" };
  expect((await here.client.call("POST", "/links", link)).status).toBe(201);
  const locationOf = async (bytes: string) => (await ask(here.open(), bytes)).headers.get("location");
  for (const host of ["links.example", "LINKS.example", "links.example:8080", "links.example."]) {
    expect(await locationOf(`GET /a/b HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe(elsewhere);
  }
  expect(await locationOf(VISIT)).toBe(TARGET);
  expect(await locationOf("GET /a/b HTTP/1.0\r\n\r\n")).toBe(TARGET);
});

test("is the origin of the answers' short URLs", async () => {
  for (const [host, origin] of [
    ["go.example", "http://go.example"],
    ["GO.example:8080", "http://go.example:8080"],
    ["[::1]:80", "http://[::1]"],
  ] as const) {
    const bytes = `GET /admin/v1/links/other HTTP/1.1\r\nHost: ${host}\r\n${here.auth}\r\n`;
    const { body } = await ask(here.open(), bytes);
    expect(JSON.parse(body.toString()).data.short_url).toBe(`${origin}/other`);
  }
});
