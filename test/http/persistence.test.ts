/** Connections that carry several requests: how long they live, the order of answers, requests in pieces. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startShared } from "../support/shared-server.ts";
import { until } from "../support/until.ts";
import {
  ask,
  codeIn,
  HOST,
  OTHER,
  post,
  refusal,
  request,
  startOnWire,
  TARGET,
  VISIT,
  VISIT_OTHER,
  type WireInstance,
  WRONG_LINK,
  WRONG_LINK_CODE,
} from "../support/wire-instance.ts";

let here: WireInstance;
beforeAll(async () => {
  here = await startOnWire(await startShared());
});
afterAll(() => here.installation.remove());

const EVERY_KIND = [
  ["/a/b", 307],
  ["/nothing", 404],
  ["/admin/v1/links", 401],
  ["/other?x=1", 307],
  ["/admin/v1/nothing", 404],
  ["/health", 401],
  ["/robots.txt", 200],
  ["/", 404],
] as const;

describe("a connection", () => {
  test("serves requests of all kinds one after the other", async () => {
    const wire = here.open();
    for (let round = 0; round < 3; round++) {
      for (const [target, status] of EVERY_KIND) {
        wire.send(request(target));
        expect([target, (await wire.answer()).status]).toEqual([target, status]);
      }
      for (const target of [
        "/admin/v1/links",
        "/admin/v1/config",
        "/admin/v1/openapi.json",
        "/files/0/download",
      ]) {
        wire.send(request(target, here.auth));
        expect((await wire.answer()).status).toBe(target.startsWith("/files") ? 404 : 200);
      }
      wire.send(post(here.auth, `Content-Length: ${WRONG_LINK.length}\r\n`, WRONG_LINK));
      expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
    }
    wire.hangUp();
  });

  test.each(["close", "Close", "keep-alive, close", "close, x", "x,close"])(
    "ends after the answer when the client says Connection: %s",
    async (value) => {
      for (const [target, status] of EVERY_KIND) {
        const wire = here.open();
        wire.send(request(target, `Connection: ${value}\r\n`), VISIT);
        expect((await wire.answer()).status).toBe(status);
        expect(await wire.closed()).toBe("");
        wire.hangUp();
      }
    },
  );

  test.each(["keep-alive", "Keep-Alive", "x", "", "TE"])("lives on with Connection: %s", async (value) => {
    const wire = here.open();
    for (let round = 0; round < 3; round++) {
      wire.send(request("/a/b", `Connection: ${value}\r\n`));
      expect((await wire.answer()).status).toBe(307);
    }
    wire.hangUp();
  });

  test("of HTTP/1.0 ends after the answer", async () => {
    for (const [target, status] of EVERY_KIND) {
      const wire = here.open();
      wire.send(`GET ${target} HTTP/1.0\r\n${HOST}\r\n`);
      expect((await wire.answer()).status).toBe(status);
      expect(await wire.closed()).toBe("");
      wire.hangUp();
    }
  });

  test("ends after bytes that are no request, and the requests before them are answered", async () => {
    expect(await refusal(here.open(), `${VISIT}BAD\r\n\r\n`)).toEqual([307, 400]);
    expect(await refusal(here.open(), `${VISIT}GET /a/b HTTP/1.1\r\n\r\n`)).toEqual([307, 400]);
  });

  test("may be opened without a request, and closed", async () => {
    const [silent, begun] = [0, 1].map(() => Array.from({ length: 10 }, () => here.open()));
    for (const wire of begun!) wire.send("GET /a");
    for (const wire of silent!) {
      wire.end();
      expect(await wire.closed()).toBe("");
      wire.hangUp();
    }
    for (const wire of begun!) {
      wire.send("/b HTTP/1.1\r\n", HOST, "\r\n");
      expect((await wire.answer()).headers.get("location")).toBe(TARGET);
      wire.hangUp();
    }
  });

  test("that waits does not hold up others", async () => {
    const idle = Array.from({ length: 200 }, () => here.open());
    for (const wire of idle) wire.send("GET /a/b HTTP/1.1\r\nHost:");
    for (let round = 0; round < 5; round++) expect((await ask(here.open(), VISIT)).status).toBe(307);
    for (const wire of idle) wire.send(" wire.example\r\n\r\n");
    for (const wire of idle) expect((await wire.answer()).status).toBe(307);
    for (const wire of idle) wire.hangUp();
  });
});

describe("requests in one write", () => {
  test("are answered in their order", async () => {
    const wire = here.open();
    wire.send(EVERY_KIND.map(([target]) => request(target)).join(""));
    for (const [target, status] of EVERY_KIND) {
      expect([target, (await wire.answer()).status]).toEqual([target, status]);
    }
    wire.hangUp();
  });

  test("a thousand are answered, each with its own link", async () => {
    const wire = here.open();
    wire.send((VISIT + VISIT_OTHER + request("/nothing")).repeat(334));
    for (let round = 0; round < 334; round++) {
      expect((await wire.answer()).headers.get("location")).toBe(TARGET);
      expect((await wire.answer()).headers.get("location")).toBe(OTHER);
      expect((await wire.answer()).status).toBe(404);
    }
    wire.send(VISIT);
    expect((await wire.answer()).status).toBe(307);
    wire.hangUp();
  });

  test("each visit counts once", async () => {
    await here.client.call("POST", "/links", { code: "counted", target: TARGET });
    const wire = here.open();
    wire.send(request("/counted").repeat(100));
    for (let round = 0; round < 100; round++) await wire.answer();
    wire.hangUp();
    const clicks = async () => (await here.client.call("GET", "/links/counted")).body.data.click_count;
    await until(async () => (await clicks()) >= 100);
    expect(await clicks()).toBe(100);
  });

  test("with HEAD among them have a length and no body", async () => {
    const wire = here.open();
    wire.send((request("/nothing", "", "HEAD") + VISIT + request("/robots.txt", "", "HEAD")).repeat(20));
    for (let round = 0; round < 20; round++) {
      expect((await wire.answer("HEAD")).headers.get("content-length")).toBe("9");
      expect((await wire.answer()).status).toBe(307);
      expect((await wire.answer("HEAD")).status).toBe(200);
    }
    wire.hangUp();
  });

  test("with bodies that are refused are told apart", async () => {
    const wire = here.open();
    const one = request("/a/b", `Content-Length: ${VISIT.length}\r\n`, "POST") + VISIT;
    const other = request("/a/b", "Transfer-Encoding: chunked\r\n", "PUT") + `3\r\nabc\r\n0\r\n\r\n`;
    wire.send((one + VISIT_OTHER + other).repeat(50));
    for (let round = 0; round < 50; round++) {
      expect((await wire.answer()).status).toBe(405);
      expect((await wire.answer()).headers.get("location")).toBe(OTHER);
      expect((await wire.answer()).status).toBe(405);
    }
    wire.hangUp();
  });

  test("after Connection: close are not answered", async () => {
    const wire = here.open();
    wire.send(VISIT + request("/other", "Connection: close\r\n") + VISIT.repeat(10));
    expect((await wire.answer()).headers.get("location")).toBe(TARGET);
    expect((await wire.answer()).headers.get("location")).toBe(OTHER);
    expect(await wire.closed()).toBe("");
    wire.hangUp();
  });

  test("after HTTP/1.0 are not answered", async () => {
    const wire = here.open();
    wire.send(`${VISIT}GET /other HTTP/1.0\r\n\r\n${VISIT}`);
    expect((await wire.answer()).headers.get("location")).toBe(TARGET);
    expect((await wire.answer()).headers.get("location")).toBe(OTHER);
    expect(await wire.closed()).toBe("");
    wire.hangUp();
  });
});

describe("a request in pieces", () => {
  const visit = request("/a/b", "User-Agent: x\r\nAccept: */*\r\n");

  test("is answered when it is cut at any byte", async () => {
    const wire = here.open();
    for (let at = 1; at < visit.length; at++) {
      await wire.dribble([visit.slice(0, at), visit.slice(at)]);
      expect([at, (await wire.answer()).status]).toEqual([at, 307]);
    }
    wire.hangUp();
  });

  test("is answered when it comes a byte at a time, by many clients at once", async () => {
    const wires = Array.from({ length: 20 }, () => here.open());
    await Promise.all(wires.map((wire) => wire.dribble(visit)));
    for (const wire of wires) {
      expect((await wire.answer()).headers.get("location")).toBe(TARGET);
      wire.hangUp();
    }
  });

  test("with a body is read when it is cut at any byte", async () => {
    const framing = `Content-Length: ${WRONG_LINK.length}\r\n`;
    const bytes = post(here.auth, framing, WRONG_LINK);
    const wire = here.open();
    for (let at = bytes.length - WRONG_LINK.length - 8; at < bytes.length; at++) {
      await wire.dribble([bytes.slice(0, at), bytes.slice(at)]);
      expect([at, codeIn(await wire.answer())]).toEqual([at, WRONG_LINK_CODE]);
    }
    await wire.dribble([bytes.slice(0, -WRONG_LINK.length), ...WRONG_LINK]);
    expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
    wire.hangUp();
  });

  test("and the beginning of the next one are told apart, wherever the next one is cut", async () => {
    const wire = here.open();
    wire.send(visit);
    for (let at = 1; at < visit.length; at++) {
      await wire.dribble([visit.slice(0, at)]);
      expect((await wire.answer()).status).toBe(307);
      await wire.dribble([visit.slice(at)]);
    }
    expect((await wire.answer()).status).toBe(307);
    wire.hangUp();
  });
});

describe("a client that ends its half after the request", () => {
  test("gets its answers, and then the end", async () => {
    for (const [target, status] of EVERY_KIND) {
      const wire = here.open();
      wire.send(VISIT, request(target));
      wire.end();
      expect((await wire.answer()).status).toBe(307);
      expect((await wire.answer()).status).toBe(status);
      expect(await wire.closed()).toBe("");
      wire.hangUp();
    }
  });

  test("gets none to half a request, and the end", async () => {
    for (let at = 1; at < VISIT.length; at += 3) {
      const wire = here.open();
      wire.send(VISIT.slice(0, at));
      wire.end();
      const text = await wire.closed();
      expect(text === "" || text.startsWith("HTTP/1.1 400 ")).toBe(true);
      wire.hangUp();
    }
  });
});
