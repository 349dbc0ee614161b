/** Clients that wait for 100 Continue before they send a body. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FORM_TYPE, fileHead, formOf } from "../support/drive.ts";
import { startShared } from "../support/shared-server.ts";
import {
  ask,
  codeIn,
  HOST,
  post,
  request,
  startOnWire,
  VISIT,
  type WireInstance,
  WRONG_LINK,
  WRONG_LINK_CODE,
} from "../support/wire-instance.ts";

let here: WireInstance;
beforeAll(async () => {
  here = await startOnWire(await startShared());
});
afterAll(() => here.installation.remove());

const EXPECT = "Expect: 100-continue\r\n";
const FRAMING = `${EXPECT}Content-Length: ${WRONG_LINK.length}\r\n`;

test("a JSON body is asked for, once, and read", async () => {
  for (let round = 0; round < 3; round++) {
    const wire = here.open();
    wire.send(post(here.auth, FRAMING, ""));
    expect((await wire.answer()).head).toBe("HTTP/1.1 100 Continue");
    wire.send(WRONG_LINK);
    expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
    wire.send(VISIT);
    expect((await wire.answer()).status).toBe(307);
    wire.hangUp();
  }
});

test("a body in chunks is asked for and read", async () => {
  const wire = here.open();
  wire.send(post(here.auth, `${EXPECT}Transfer-Encoding: chunked\r\n`, ""));
  expect((await wire.answer()).status).toBe(100);
  wire.send(`${WRONG_LINK.length.toString(16)}\r\n${WRONG_LINK}\r\n0\r\n\r\n`);
  expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
  wire.hangUp();
});

test("an upload is asked for and stored", async () => {
  const content = "x".repeat(300_000);
  const form = formOf([fileHead("asked.txt"), content]);
  const wire = here.open();
  wire.send(
    request(
      "/files/upload",
      `${here.auth}Content-Type: ${FORM_TYPE}\r\nContent-Length: ${form.length}\r\n${EXPECT}`,
      "POST",
    ),
  );
  expect((await wire.answer()).status).toBe(100);
  wire.send(form);
  const answer = await wire.answer();
  expect(answer.status).toBe(201);
  const { id } = JSON.parse(answer.body.toString()).data;
  expect(await (await here.me.send(`/files/${id}/download`)).text()).toBe(content);
  wire.hangUp();
});

test("a body that comes at once is read", async () => {
  const wire = here.open();
  wire.send(post(here.auth, FRAMING, WRONG_LINK));
  let answer = await wire.answer();
  if (answer.status === 100) answer = await wire.answer();
  expect(codeIn(answer)).toBe(WRONG_LINK_CODE);
  wire.send(VISIT);
  expect((await wire.answer()).status).toBe(307);
  wire.hangUp();
});

/** The last answer, after 100 or without it. */
async function finalResponse(bytes: string) {
  const wire = here.open();
  wire.send(bytes);
  let answer = await wire.answer();
  if (answer.status === 100) answer = await wire.answer();
  wire.hangUp();
  return answer;
}

describe("a refusal comes without the body", () => {
  const huge = `${EXPECT}Content-Length: 30000000\r\n`;

  test("of a stranger", async () => {
    expect((await finalResponse(post("", huge, ""))).status).toBe(401);
    expect((await finalResponse(post("", FRAMING, ""))).status).toBe(401);
    const upload = request("/files/upload", `Content-Type: ${FORM_TYPE}\r\n${huge}`, "POST");
    expect((await finalResponse(upload)).status).toBe(401);
  });

  test("of a body that is too large", async () => {
    const answer = await finalResponse(post(here.auth, huge, ""));
    expect([answer.status, codeIn(answer)]).toEqual([413, 1013]);
  });

  test("of a method and of an unknown address", async () => {
    expect((await finalResponse(request("/a/b", huge, "POST"))).status).toBe(405);
    expect((await finalResponse(request("/admin/v1/nothing", here.auth + huge, "POST"))).status).toBe(404);
  });
});

test("a request without a body is answered", async () => {
  const wire = here.open();
  for (let round = 0; round < 3; round++) {
    wire.send(request("/a/b", EXPECT));
    let answer = await wire.answer();
    if (answer.status === 100) answer = await wire.answer();
    expect(answer.status).toBe(307);
  }
  wire.hangUp();
});

test.each(["x", "200-ok", "", "100-continue-x"])(
  "another expectation, %j, is ignored or refused with 417",
  async (value) => {
    const framing = `Expect: ${value}\r\nContent-Length: ${WRONG_LINK.length}\r\n`;
    const answer = await ask(here.open(), post(here.auth, framing, WRONG_LINK));
    expect([400, 417]).toContain(answer.status);
    if (answer.status === 400) expect(codeIn(answer)).toBe(WRONG_LINK_CODE);
    const visit = await ask(here.open(), `GET /a/b HTTP/1.1\r\n${HOST}Expect: ${value}\r\n\r\n`);
    expect([307, 417]).toContain(visit.status);
  },
);
