/** Paths that both the API and links have: `/shares` and `/trash`, alone and with more. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Client, type Envelope } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const TARGET = "https://example.com/";
const NAVIGATION = { "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate" };

let installation: Installation;
let server: RunningWaymark;
let client: Client;
beforeAll(async () => {
  ({ installation, server, client } = await startShared());
});
afterAll(() => installation.remove());

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(server.url + path, { method, headers, redirect: "manual" });
const isEnvelope = async (answer: Response): Promise<boolean> =>
  answer.headers.has("x-request-id") && typeof ((await answer.json()) as Envelope).code === "number";
const bearer = () => ({ Authorization: `Bearer ${client.token}` });
const cookie = () => ({ Cookie: `other=1; svc_access=${client.token}` });

describe.each(["shares", "trash", "shares/of/may", "trash/2"])("the path /%s", (code) => {
  const path = `/${code}`;

  test("is the API's while no link has the code", async () => {
    for (const headers of [{}, NAVIGATION, bearer(), cookie()]) {
      const answer = await ask(path, headers);
      if (path.startsWith("/shares") && !("Authorization" in headers || "Cookie" in headers)) {
        expect(answer.status).toBe(401);
      }
      expect(await isEnvelope(answer)).toBe(true);
    }
    expect((await ask(path, {}, "HEAD")).headers.has("x-request-id")).toBe(true);
  });

  test("is the link's once it has the code, but not for credentials of the API and other methods", async () => {
    expect((await client.call("POST", "/links", { code, target: TARGET })).status).toBe(201);
    for (const [headers, method] of [
      [{}, "GET"],
      [{}, "HEAD"],
      [{ Cookie: "other=1" }, "GET"],
      [NAVIGATION, "GET"],
      [{ ...cookie(), ...NAVIGATION }, "GET"],
    ] as const) {
      for (const query of ["", "?utm_source=x"]) {
        const answer = await ask(path + query, headers, method);
        expect([answer.status, answer.headers.get("location")]).toEqual([307, TARGET]);
      }
    }
    for (const headers of [bearer(), cookie(), { Authorization: "Bearer wrong" }]) {
      expect(await isEnvelope(await ask(path, headers))).toBe(true);
    }
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      expect(await isEnvelope(await ask(path, {}, method))).toBe(true);
    }
    expect((await ask(path, NAVIGATION, "POST")).status).toBe(405);
    expect(
      (await ask(path, { Origin: "https://other.example" }, "OPTIONS")).headers.has("x-request-id"),
    ).toBe(true);
  });

  test("follows the link of any spelling, and none of its neighbours", async () => {
    const first = code.charCodeAt(0).toString(16);
    expect((await ask(`/%${first}${code.slice(1)}`, bearer())).status).toBe(307);
    const neighbour = await ask(`${path}x`);
    if (code.includes("/")) expect(await isEnvelope(neighbour)).toBe(true);
    else expect(neighbour.status).toBe(404);
  });

  test("stays the redirect's when the link has expired", async () => {
    await client.call("PATCH", `/links/${code}`, { expires_at: "2020-01-01T00:00:00Z" });
    const answer = await ask(path);
    expect([answer.status, await answer.text()]).toEqual([404, "Not Found"]);
    await client.call("DELETE", `/links/${code}`);
    expect(await isEnvelope(await ask(path))).toBe(true);
  });
});
