import { expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { CONNECTION, CORS_OFF } from "./app.test-support.ts";
import { createHttpApp } from "./app.ts";
import type { CorsSettings } from "./cors.ts";
import { endpoint } from "./endpoint.ts";
import type { Guard } from "./mount.ts";

const pass: ReturnType<Guard> = () => {};
const A = "https://a.example";

/** Headers on origin and credentials, for a plain request and a preflight. */
async function allowed(origin: string, settings: Partial<CorsSettings>) {
  const get = endpoint("GET /n", {
    access: "public",
    scope: null,
    tag: "t",
    summary: "s",
    handle: () => 1,
  });
  const app = createHttpApp({
    tables: [{ prefix: "/x", endpoints: [get], guard: () => pass }],
    gates: [],
    cors: () => ({ ...CORS_OFF, enabled: true, allowedMethods: ["GET"], ...settings }),
    newRequestId: () => "1",
    logger: silentLogger,
  });
  const headers = { Origin: origin };
  const preflight = { ...headers, "Access-Control-Request-Method": "GET" };
  const responses = [
    await app.fetch(new Request("http://localhost/x/n", { headers }), CONNECTION),
    await app.fetch(
      new Request("http://localhost/x/n", { method: "OPTIONS", headers: preflight }),
      CONNECTION,
    ),
  ];
  expect(responses.map((response) => response.status)).toEqual([200, 204]);
  const said = responses.map((response) => [
    response.headers.get("Access-Control-Allow-Origin"),
    response.headers.get("Access-Control-Allow-Credentials"),
  ]);
  expect(said[1]).toEqual(said[0]!);
  return said[0];
}

test("an origin is allowed only when CORS is on and lists it", async () => {
  expect(await allowed(A, { enabled: false, allowedOrigins: [A] })).toEqual([null, null]);
  expect(await allowed(A, {})).toEqual([null, null]);
  expect(await allowed(A, { allowedOrigins: ["https://b.example"] })).toEqual([null, null]);
  expect(await allowed(A, { allowedOrigins: ["https://b.example", A] })).toEqual([A, null]);
});

test("cookies are allowed for listed origins only, never by a star, alone or beside other origins", async () => {
  expect(await allowed(A, { allowedOrigins: [A], allowCredentials: true })).toEqual([A, "true"]);
  for (const allowedOrigins of [["*"], ["https://b.example", "*"], [A, "*"]])
    expect(await allowed(A, { allowedOrigins, allowCredentials: true })).toEqual(["*", null]);
});

test("failures have the fields of CORS too, and vary by origin", async () => {
  const app = createHttpApp({
    tables: [],
    gates: [],
    cors: () => ({ ...CORS_OFF, enabled: true, allowedOrigins: [A] }),
    newRequestId: () => "1",
    logger: silentLogger,
  });
  const headers = { Origin: A };
  const response = await app.fetch(new Request("http://localhost/nothing", { headers }), CONNECTION);
  expect([response.status, response.headers.get("Access-Control-Allow-Origin")]).toEqual([404, A]);
  expect(response.headers.get("Vary")).toBe("Origin");
});
