/** The methods of every address: what is refused, what `Allow` lists and what is documented must agree. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Client, PASSWORD, signIn } from "./support/session.ts";
import { resetSettings, startShared } from "./support/shared-server.ts";
import type { RunningWaymark } from "./support/waymark.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
/** Values for path parameters; requests without credentials change nothing. */
const SAMPLES: Record<string, readonly string[]> = {
  code: ["zz", "zz/yy/xx", "zz%2Fyy", "analytics", "import", "%61"],
  id: ["1", "6f1c1a52-3f67-4a0e-9c39-0d9b7f2b0f55", "x"],
  key: ["api.jwt_secret"],
  tag: ["sale"],
  file: ["a/docs.css"],
};

let server: RunningWaymark;
let client: Client;
let documented: Record<string, Record<string, unknown>>;

beforeAll(async () => {
  ({ server, client } = await startShared());
  documented = ((await (await client.fetch("/openapi.json")).json()) as { paths: typeof documented }).paths;
});
afterAll(() => resetSettings(client, ["cors.enabled"]));

const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { method, headers, redirect: "manual" });
const allowOf = (answer: Response): string[] => answer.headers.get("Allow")?.split(", ") ?? [];

/** The accepted methods, after a check that every refusal lists exactly these. */
async function taken(path: string): Promise<string[]> {
  const answers = await Promise.all(METHODS.map((method) => ask(method, path)));
  const refused = METHODS.filter((_, index) => answers[index]!.status === 405);
  const methods = METHODS.filter((method) => !refused.includes(method));
  expect(refused).toContain("PROPFIND");
  for (const answer of answers.filter(({ status }) => status === 405)) {
    expect([path, ...allowOf(answer)]).toEqual([path, ...methods]);
  }
  const options = answers[METHODS.indexOf("OPTIONS")]!;
  expect([path, options.status]).toEqual([path, 204]);
  if (options.headers.has("Allow")) expect(allowOf(options)).toEqual(methods);
  return methods;
}

const addressesOf = (pattern: string): string[] => {
  const name = /\{(\w+)\}/.exec(pattern)?.[1];
  return name === undefined
    ? [pattern]
    : (SAMPLES[name] ?? ["x"]).map((sample) => pattern.replace(/\{\w+\}/, sample));
};

test("every address accepts the documented methods, and Allow is exact", async () => {
  const patterns = Object.keys(documented);
  expect(patterns.length).toBeGreaterThan(40);
  for (const pattern of patterns) {
    const methods = Object.keys(documented[pattern]!).map((method) => method.toUpperCase());
    for (const address of addressesOf(pattern)) {
      expect([address, ...(await taken(address))]).toEqual(
        expect.arrayContaining([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"]),
      );
    }
  }
});

test.each([
  ["/admin/v1/links", "GET, HEAD, POST, OPTIONS"],
  ["/admin/v1/links/a", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
  ["/admin/v1/links/a/b/c", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
  ["/admin/v1/links/a/analytics", "GET, HEAD, OPTIONS"],
  ["/admin/v1/links/a/b/analytics", "GET, HEAD, OPTIONS"],
  ["/admin/v1/links/a%2Fb/analytics", "GET, HEAD, OPTIONS"],
  ["/admin/v1/links/a/analytics/devices", "GET, HEAD, OPTIONS"],
  ["/admin/v1/links/a/b/analytics/devices", "GET, HEAD, OPTIONS"],
  ["/admin/v1/links/a%2Fanalytics", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
  ["/admin/v1/links/batch", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
  ["/admin/v1/links/import", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
  ["/admin/v1/config/schema", "GET, HEAD, OPTIONS"],
  ["/admin/v1/config/reload", "POST, OPTIONS"],
  ["/admin/v1/config/api.jwt_secret", "GET, HEAD, PUT, DELETE, OPTIONS"],
  ["/admin/v1/auth/login", "POST, OPTIONS"],
  ["/health", "GET, HEAD, OPTIONS"],
  ["/files/upload", "POST, OPTIONS"],
  ["/files/7", "GET, HEAD, PATCH, DELETE, OPTIONS"],
  ["/files/tus", "POST, OPTIONS"],
  ["/files/tus/7", "GET, HEAD, POST, PATCH, DELETE, OPTIONS"],
])("%s allows %s", async (path, allow) => {
  expect((await taken(path)).join(", ")).toBe(allow);
});

test("Allow of a code is exact; a share accepts its password", async () => {
  const authorization = { Authorization: `Bearer ${client.token}` };
  const form = new FormData();
  form.append("file", new File(["x"], "x.txt"));
  const file = await fetch(`${server.url}/files/upload`, {
    method: "POST",
    headers: authorization,
    body: form,
  });
  const { id } = ((await file.json()) as { data: { id: number } }).data;
  const shared = await fetch(`${server.url}/files/${id}/share`, {
    method: "POST",
    headers: authorization,
    body: JSON.stringify({ code: "methods-shared" }),
  });
  expect(shared.status).toBe(201);
  await client.call("POST", "/links", { code: "methods-plain", target: "https://example.com/" });
  for (const [path, allow] of [
    ["/methods-shared", "GET, HEAD, POST"],
    ["/methods-plain", "GET, HEAD"],
    ["/unknown", "GET, HEAD"],
  ] as const) {
    const methods = ["PUT", "PATCH", "DELETE", "OPTIONS"];
    const answers = await Promise.all(methods.map((method) => ask(method, path)));
    expect(answers.map((answer) => [answer.status, answer.headers.get("Allow")])).toEqual(
      methods.map(() => [405, allow]),
    );
  }
});

test("the root names what WebDAV clients ask there", async () => {
  const refused = await ask("PUT", "/");
  expect([refused.status, refused.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS, PROPFIND"]);
});

/** Addresses that the document does not name. */
const OTHERS = [
  ["/admin/v1", "/admin/v1/nothing", "/admin/x", "/admin/v1/links/", "/admin/v1/links/a/"],
  ["/health/", "/health/x", "/health/live", "/health/ready", "/health/metrics", "/panel", "/panel/"],
  [
    "/panel/v1",
    "/panel/v1/x",
    "/panel/links",
    "/panel/assets/x.js",
    "/files",
    "/files/",
    "/files/x/y",
    "/files/tus/",
  ],
  [
    "/folders",
    "/folders/",
    "/folders/1/x",
    "/favicon.ico",
    "/robots.txt",
    "/.well-known/security.txt",
    "/x/",
    "/a//b",
  ],
].flat();

/** Each method is refused with an Allow that lists the others, or nothing is there for any of them. */
async function isExact(path: string, headers: Record<string, string>): Promise<boolean> {
  const answers = await Promise.all(METHODS.map((method) => ask(method, path, headers)));
  await Promise.all(answers.map((answer) => answer.body?.cancel()));
  if (answers.every(({ status }) => status === 404))
    return answers.every((answer) => !answer.headers.has("Allow"));
  const allow = METHODS.filter((_, index) => answers[index]!.status !== 405).join(", ");
  const said = answers.filter(({ status, headers: fields }) => status === 405 || fields.has("Allow"));
  return said.length > 0 && said.every(({ headers: fields }) => fields.get("Allow") === allow);
}

test("Allow is exact for other origins and roles, and at other addresses", async () => {
  await client.call("POST", "/users", { username: "methods.ann", password: PASSWORD, role: "user" });
  const { token } = await signIn(server.url, PASSWORD, "methods.ann");
  const enabled = await client.call("PUT", "/config/cors.enabled", { value: "true" });
  expect(enabled.status).toBe(200);
  const documentedToo = Object.keys(documented).map((pattern) => pattern.replaceAll(/\{\w+\}/g, "1"));
  for (const headers of [{}, { Origin: "https://a.example" }, { Authorization: `Bearer ${token}` }]) {
    // A call of the user's may end the session.
    const paths = "Authorization" in headers ? OTHERS : [...documentedToo, ...OTHERS];
    for (const path of paths) expect([path, await isExact(path, headers)]).toEqual([path, true]);
  }
});
