/** The endpoint over HTTP, and the command. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { COMMAND } from "../../lib/actor.ts";
import { type ApiResponse, failure, type LinksApi, openLinksApi } from "../links-api.test-support.ts";
import { TARGET } from "../links.test-support.ts";
import { type Pixels, pixelsOfPng, pixelsOfSvg, scan } from "./reading.test-support.ts";

let api: LinksApi;
beforeAll(async () => void (api = await openLinksApi()));
afterAll(() => api.close());
beforeEach(async () => {
  await api.room.clear();
  await api.create({ code: "spring" });
});

const ask = async (path: string, headers: Record<string, string> = {}, method = "GET") =>
  api.ask(`/links/${path}`, { method, headers });

async function pixelsOf(response: Response): Promise<Pixels> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return response.headers.get("Content-Type") === "image/png" ? pixelsOfPng(bytes) : pixelsOfSvg(bytes);
}
const read = async (path: string): Promise<string | null> => scan(await pixelsOf(await ask(path)));
const shortUrl = async (path: string): Promise<string> =>
  (await api.call("GET", `/links/${path}`)).body.data.short_url;

test.each([
  ["spring/qr", "image/svg+xml", "spring.svg"],
  ["spring/qr?format=", "image/svg+xml", "spring.svg"],
  ["spring/qr?format=png&size=300&margin=2&dark=036&light=%23ffffff&ecc=H", "image/png", "spring.png"],
])("%s is %s and holds the short URL", async (path, type, name) => {
  const response = await ask(path);
  expect([response.status, response.headers.get("Content-Type")]).toEqual([200, type]);
  expect(response.headers.get("Content-Security-Policy")).toBe("default-src 'none'; sandbox");
  expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
  expect(response.headers.get("Content-Disposition")).toContain(`inline; filename="${name}"`);
  expect(scan(await pixelsOf(response))).toBe(await shortUrl("spring"));
});

test("an unchanged picture is 304, another look or address is another picture", async () => {
  const first = await ask("spring/qr");
  const etag = first.headers.get("ETag")!;
  expect(etag).toMatch(/^"[\w-]{27}"$/);
  const again = await ask("spring/qr", { "If-None-Match": `"other", W/${etag}` });
  expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, etag, ""]);
  await api.create({ code: "autumn" });
  for (const path of ["spring/qr?ecc=H", "spring/qr?format=png", "spring/qr?dark=123", "autumn/qr"]) {
    const other = await ask(path, { "If-None-Match": etag, "If-Modified-Since": new Date().toUTCString() });
    expect([path, other.status, other.headers.get("ETag") === etag]).toEqual([path, 200, false]);
  }
});

test("a link on another domain has its host, in Punycode", async () => {
  await api.room.links.domainService.create({ host: "münchen.example" }, COMMAND);
  await api.create({ code: "spring", domain: "münchen.example" });
  const path = "spring/qr?domain=m%C3%BCnchen.example";
  expect(await read(path)).toMatch(/^\w+:\/\/xn--mnchen-3ya\.example\/spring$/);
  expect(await read(path)).toBe(await shortUrl("spring?domain=xn--mnchen-3ya.example"));
  expect(failure(await api.call("GET", "/links/spring/qr?domain=nobody.example"))).toEqual([
    400,
    1000,
    "BadRequest",
  ]);
});

test("codes with slashes work, and one that ends in /qr reaches its link", async () => {
  for (const code of ["a/b", "qr", "a/qr/b"]) await api.create({ code });
  expect(await read("a/b/qr")).toBe(await shortUrl("a%2Fb"));
  expect(await read("qr/qr")).toBe(await shortUrl("qr"));
  expect(await read("spring/qr")).toBe(await shortUrl("spring"));
  await api.create({ code: "spring/qr" });
  expect((await api.call("GET", "/links/spring/qr")).body.data.code).toBe("spring/qr");
  expect((await api.call("GET", "/links/spring%2Fqr")).body.data.code).toBe("spring/qr");
  expect(await read("spring%2Fqr/qr")).toBe(await shortUrl("spring%2Fqr"));
  expect((await api.call("GET", "/links/a/qr/b")).body.data.code).toBe("a/qr/b");
  expect((await api.call("PUT", "/links/spring%2Fqr", { target: TARGET })).status).toBe(200);
  expect((await api.call("PATCH", "/links/spring/qr", { title: "Spring" })).body.data.title).toBe("Spring");
  expect((await api.call("DELETE", "/links/spring/qr")).status).toBe(200);
  expect(await read("spring/qr")).toBe(await shortUrl("spring"));
});

test.each([
  ["format=gif", "format must be one of svg, png, pdf."],
  ["size=63", "size must be a whole number from 64 to 2048."],
  ["size=2049", "size must be a whole number from 64 to 2048."],
  ["size=1e3", "size must be a whole number from 64 to 2048."],
  ["margin=-1", "margin must be a whole number from 0 to 32."],
  ["margin=33", "margin must be a whole number from 0 to 32."],
  ["dark=red", "dark must be a colour of 3 or 6 hex digits, such as 1a2b3c."],
  ["light=ffff", "light must be a colour of 3 or 6 hex digits, such as 1a2b3c."],
  ["dark=%22%2F%3E%3Cscript%3E", "dark must be a colour of 3 or 6 hex digits, such as 1a2b3c."],
  ["ecc=h", "ecc must be one of L, M, Q, H."],
])("%s is refused", async (query, message) => {
  const response: ApiResponse = await api.call("GET", `/links/spring/qr?${query}`);
  expect([...failure(response), response.body.message]).toEqual([400, 1000, "BadRequest", message]);
});

test("colours that are too much alike, and a PNG that is too small, name the field", async () => {
  for (const [query, field] of [
    ["dark=999", "dark"],
    ["dark=000&light=222", "light"],
    ["format=png&size=64&margin=32", "size"],
    ["caps=true", "caps"],
  ]) {
    const { status, body } = await api.call("GET", `/links/spring/qr?${query}`);
    expect([query, status, body.details[0].field]).toEqual([query, 400, field]);
  }
});

test("a code that no link has is 404 / 3000", async () => {
  expect(failure(await api.call("GET", "/links/nobody/qr"))).toEqual([404, 3000, "LinkNotFound"]);
});
