/** Where a request's body ends: lengths, codings, and both. A wrong guess would let a body be read as a request. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startShared } from "../support/shared-server.ts";
import {
  ask,
  codeIn,
  HOST,
  OTHER,
  post,
  refusal,
  request,
  startOnWire,
  VISIT,
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

const LENGTH = WRONG_LINK.length;
const CHUNKED = `${LENGTH.toString(16)}\r\n${WRONG_LINK}\r\n0\r\n\r\n`;

/** Refused as an API call, as a stranger's, as a visit with a body, and in HTTP/1.0. */
async function isRefused(framing: string, body: string): Promise<void> {
  for (const bytes of [
    post(here.auth, framing, body),
    post("", framing, body),
    request("/a/b", framing) + body,
    request("/a/b", framing, "POST") + body,
    `POST /a/b HTTP/1.0\r\n${framing}\r\n${body}`,
  ]) {
    expect([framing, await refusal(here.open(), bytes)]).toEqual([framing, [400]]);
  }
}

describe("a length", () => {
  test.each(["25", "025", "00025", " 25", "25 ", "\t25\t"])("of %j is 25 bytes", async (length) => {
    const answer = await ask(here.open(), post(here.auth, `Content-Length: ${length}\r\n`, WRONG_LINK));
    expect([answer.status, codeIn(answer)]).toEqual([400, WRONG_LINK_CODE]);
  });

  test.each([
    "+25",
    "-1",
    "-0",
    "+0",
    "0x19",
    "25.0",
    "25,25",
    "25, 25",
    "25,26",
    "25;x",
    "25x",
    "2 5",
    "x",
    "1e1",
    "1_0",
    "٢٥",
    "99999999999999999999999999",
    "18446744073709551616",
    "18446744073709551641",
  ])("of %j is refused", (length) => isRefused(`Content-Length: ${length}\r\n`, WRONG_LINK));

  test.each([
    ["25", "26"],
    ["26", "25"],
    ["0", "25"],
    ["25", "0"],
  ])("of %s and one of %s are refused", async (one, other) => {
    await isRefused(`Content-Length: ${one}\r\nContent-Length: ${other}\r\n`, WRONG_LINK);
    await isRefused(`Content-Length: ${one}\r\nX-A: b\r\ncontent-length: ${other}\r\n`, WRONG_LINK);
  });

  test("left out means no body", async () => {
    const answer = await ask(here.open(), post(here.auth, "", ""));
    expect([answer.status, codeIn(answer)]).toEqual([400, 1000]);
    expect(await refusal(here.open(), request("/a/b", "", "POST") + WRONG_LINK)).toEqual([405, 400]);
  });

  test("that is too short leaves the rest for the next request, which it breaks", async () => {
    for (const length of [0, 1, 24]) {
      const bytes = request("/a/b", `Content-Length: ${length}\r\n`, "POST") + WRONG_LINK;
      expect(await refusal(here.open(), bytes)).toEqual([405, 400]);
    }
  });

  test("of a refused body is skipped, whatever it looks like", async () => {
    const hidden = request("/a/b").repeat(3);
    for (const [method, target, status] of [
      ["POST", "/a/b", 405],
      ["GET", "/a/b", 307],
      ["HEAD", "/a/b", 307],
      ["POST", "/admin/v1/links", 401],
      ["PUT", "/nothing", 405],
      ["DELETE", "/admin/v1/links/a/b", 401],
    ] as const) {
      const wire = here.open();
      wire.send(request(target, `Content-Length: ${hidden.length}\r\n`, method) + hidden + VISIT_OTHER);
      expect((await wire.answer(method)).status).toBe(status);
      expect((await wire.answer()).headers.get("location")).toBe(OTHER);
      wire.hangUp();
    }
  });
});

describe("a coding", () => {
  test.each(["chunked", "Chunked", "CHUNKED", " chunked", "chunked ", "\tchunked\t"])(
    "%j is chunked",
    async (coding) => {
      const answer = await ask(here.open(), post(here.auth, `Transfer-Encoding: ${coding}\r\n`, CHUNKED));
      expect([answer.status, codeIn(answer)]).toEqual([400, WRONG_LINK_CODE]);
    },
  );

  test.each([
    "chunked, identity",
    "chunked;q=1",
    "chunked; x",
    '"chunked"',
    "'chunked'",
    "xchunked",
    "chunkedx",
    "chunke",
    "chunked\u000b",
    "\u000bchunked",
    "chunked\0",
    "chunked, gzip",
    "chunked, chunked",
    "chunked,chunked",
    "identity, chunked",
    "trailers, chunked",
    "cow",
    "null",
    "",
    " ",
    "chunked\r\n ",
    "\r\n chunked",
    "chunked\r\nTransfer-Encoding: chunked",
    "chunked\r\nTransfer-Encoding: identity",
    "identity\r\nTransfer-Encoding: chunked",
  ])("%j is refused", (coding) => isRefused(`Transfer-Encoding: ${coding}\r\n`, CHUNKED));

  test.each(["gzip", "deflate", "identity", "gzip, chunked", "gzip,chunked"])(
    "%j is refused",
    async (coding) => {
      for (const bytes of [
        post(here.auth, `Transfer-Encoding: ${coding}\r\n`, CHUNKED),
        request("/a/b", `Transfer-Encoding: ${coding}\r\n`) + CHUNKED,
      ]) {
        const [first, ...others] = await refusal(here.open(), bytes);
        expect([400, 501]).toContain(first!);
        expect(others).toEqual([]);
      }
    },
  );

  test("with a length is refused, in either order and with any length", async () => {
    for (const length of ["0", String(CHUNKED.length), String(LENGTH), "x"]) {
      await isRefused(`Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n`, CHUNKED);
      await isRefused(`Transfer-Encoding: chunked\r\nContent-Length: ${length}\r\n`, CHUNKED);
    }
    await isRefused(`Content-Length: ${LENGTH}\r\nTransfer-Encoding: identity\r\n`, WRONG_LINK);
    await isRefused(`Transfer-Encoding: xchunked\r\nContent-Length: ${LENGTH}\r\n`, WRONG_LINK);
  });

  test("is refused in HTTP/1.0", async () => {
    const bytes = `POST /admin/v1/links HTTP/1.0\r\n${HOST}${here.auth}Transfer-Encoding: chunked\r\n\r\n${CHUNKED}`;
    expect(await refusal(here.open(), bytes)).toEqual([400]);
  });

  test("under a name that only looks alike is none", async () => {
    for (const name of ["Transfer_Encoding", "X-Transfer-Encoding", "TransferEncoding"]) {
      const wire = here.open();
      wire.send(
        request("/a/b", `${name}: chunked\r\nContent-Length: ${CHUNKED.length}\r\n`, "POST") +
          CHUNKED +
          VISIT,
      );
      expect((await wire.answer()).status).toBe(405);
      expect((await wire.answer()).status).toBe(307);
      wire.hangUp();
    }
  });
});

test("no refused request has changed anything", async () => {
  expect(await here.countLinks()).toBe(links);
  expect(here.server.log()).not.toContain('"level":"error"');
});
