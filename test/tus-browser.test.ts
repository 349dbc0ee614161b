/** Resumable uploads from a browser page: with the session's cookies and the CSRF token. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Upload } from "tus-js-client";
import { PASSWORD, whenAllowed } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const BYTES = Buffer.alloc(3 * 1024 * 1024, "What a page sends. ");
const METADATA = `filename ${Buffer.from("by cookie.txt").toString("base64")}`;

let installation: Installation;
let server: RunningWaymark;
let cookies: Record<string, string>;

beforeAll(async () => {
  ({ installation, server } = await startShared());
  cookies = await signInByCookies();
});
afterAll(() => installation?.remove());

async function signInByCookies(): Promise<Record<string, string>> {
  const login = await whenAllowed(() =>
    fetch(`${server.url}/admin/v1/auth/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ password: PASSWORD }),
    }),
  );
  expect(login.status).toBe(200);
  return Object.fromEntries(
    login.headers
      .getSetCookie()
      .map((line) => /^([^=]+)=([^;]*)/.exec(line)!.slice(1, 3) as [string, string]),
  );
}

const headerOf = (jar: Record<string, string>): string =>
  Object.entries(jar)
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");

const send = (path: string, method: string, headers: Record<string, string>, body?: string) =>
  fetch(server.url + path, {
    method,
    headers: { Cookie: headerOf(cookies), "Tus-Resumable": "1.0.0", ...headers },
    ...(body !== undefined && { body }),
  });

const proof = () => ({ "X-CSRF-Token": cookies["csrf_token"]! });
const creation = { "Upload-Length": "10", "Upload-Metadata": METADATA };
const portion = (offset: number) => ({
  "Content-Type": "application/offset+octet-stream",
  "Upload-Offset": String(offset),
});
const offsetOf = async (path: string) => {
  const answer = await send(path, "HEAD", {});
  return [answer.status, answer.headers.get("Upload-Offset")];
};

test("cookies alone cannot begin, change or end an upload", async () => {
  const others = await signInByCookies();
  const made = await send("/files/tus", "POST", { ...creation, ...proof() });
  expect(made.status).toBe(201);
  const path = made.headers.get("Location")!;
  const attempts: Record<string, string>[] = [
    {},
    { "X-CSRF-Token": "" },
    { "X-CSRF-Token": "x".repeat(cookies["csrf_token"]!.length) },
    // Valid for another session, even when its cookie was planted.
    { "X-CSRF-Token": others["csrf_token"]! },
    {
      Cookie: headerOf({ ...cookies, csrf_token: others["csrf_token"]! }),
      "X-CSRF-Token": others["csrf_token"]!,
    },
    { Cookie: headerOf({ ...cookies, csrf_token: "planted" }), "X-CSRF-Token": "planted" },
  ];
  for (const attempt of attempts) {
    for (const [at, method, headers, body] of [
      ["/files/tus", "POST", creation],
      [path, "PATCH", portion(0), "hello"],
      [path, "POST", { ...portion(0), "X-HTTP-Method-Override": "PATCH" }, "hello"],
      [path, "POST", { "X-HTTP-Method-Override": "DELETE" }],
      [path, "DELETE", {}],
    ] as const) {
      const refused = await send(at, method, { ...headers, ...attempt }, body);
      expect([method, refused.status, ((await refused.json()) as { code: number }).code]).toEqual([
        method,
        403,
        2003,
      ]);
    }
  }
  expect(await offsetOf(path)).toEqual([200, "0"]);
  expect((await send(path, "DELETE", proof())).status).toBe(204);
  expect((await send(path, "HEAD", {})).status).toBe(404);
});

test("cookies with the CSRF token can", async () => {
  const made = await send("/files/tus", "POST", { ...creation, ...proof() });
  const path = made.headers.get("Location")!;
  expect((await send(path, "PATCH", { ...portion(0), ...proof() }, "hello")).status).toBe(204);
  expect(await offsetOf(path)).toEqual([200, "5"]);
  const last = await send(path, "PATCH", { ...portion(5), ...proof() }, "world");
  const download = await send(`/files/${last.headers.get("X-File-Id")}/download`, "GET", {});
  expect([download.status, await download.text()]).toEqual([200, "helloworld"]);
});

function upload(name: string, headers: Record<string, string>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  new Upload(BYTES, {
    endpoint: `${server.url}/files/tus`,
    headers: { Cookie: headerOf(cookies), ...headers },
    chunkSize: 1024 * 1024,
    retryDelays: [],
    metadata: { filename: name },
    onError: reject,
    onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader("X-File-Id") ?? ""),
  }).start();
  return promise;
}

test("tus-js-client is refused without the CSRF token and uploads with it", async () => {
  await expect(upload("refused.txt", {})).rejects.toThrow(/response code: 403/);
  const id = await upload("page.txt", proof());
  const file = (await (await send(`/files/${id}`, "GET", {})).json()) as { data: unknown };
  expect(file.data).toMatchObject({
    name: "page.txt",
    size: BYTES.length,
    sha256: new Bun.CryptoHasher("sha256").update(BYTES).digest("hex"),
  });
});

test("an upload stops with its session, and a new session continues it", async () => {
  const made = await send("/files/tus", "POST", {
    "Upload-Length": "10",
    "Upload-Metadata": `filename ${Buffer.from("outlives").toString("base64")}`,
    ...proof(),
  });
  const path = made.headers.get("Location")!;
  expect((await send(path, "PATCH", { ...portion(0), ...proof() }, "hello")).status).toBe(204);
  expect((await send("/admin/v1/auth/logout", "POST", proof())).status).toBe(200);
  expect((await send(path, "PATCH", { ...portion(5), ...proof() }, "world")).status).toBe(401);
  cookies = await signInByCookies();
  expect(await offsetOf(path)).toEqual([200, "5"]);
  expect((await send(path, "PATCH", { ...portion(5), ...proof() }, "world")).status).toBe(204);
});

test("the first bytes come with the creation, and the size later", async () => {
  const typed = { "Content-Type": "application/offset+octet-stream" };
  const create = (name: string, headers: Record<string, string>, body?: string) =>
    send(
      "/files/tus",
      "POST",
      {
        "Upload-Metadata": `filename ${Buffer.from(`page ${name}`).toString("base64")}`,
        ...headers,
        ...proof(),
      },
      body,
    );
  const made = await create("deferred", { "Upload-Defer-Length": "1", ...typed }, "hello");
  expect([made.status, made.headers.get("Upload-Offset")]).toEqual([201, "5"]);
  const path = made.headers.get("Location")!;
  const head = async () => {
    const { headers } = await send(path, "HEAD", {});
    return ["Upload-Offset", "Upload-Defer-Length", "Upload-Length"].map((name) => headers.get(name));
  };
  const next = (offset: number, body: string, size: number) =>
    send(path, "PATCH", { ...portion(offset), ...proof(), "Upload-Length": String(size) }, body);
  expect(await head()).toEqual(["5", "1", null]);
  expect((await next(5, "w", 10)).status).toBe(204);
  expect(await head()).toEqual(["6", null, "10"]);
  expect((await next(6, "orld", 11)).status).toBe(400);
  expect((await next(6, "orld", 10)).headers.get("X-File-Id")).toBeString();
  const whole = await create("whole", { "Upload-Length": "5", ...typed }, "hello");
  const download = await send(`/files/${whole.headers.get("X-File-Id")}/download`, "GET", {});
  expect(await download.text()).toBe("hello");
  const unclear: Record<string, string>[] = [
    {},
    { "Upload-Defer-Length": "1", "Upload-Length": "5" },
    { "Upload-Defer-Length": "2" },
    { "Upload-Length": "5", "Upload-Concat": "partial" },
  ];
  for (const headers of unclear) expect((await create("unclear", headers)).status).toBe(400);
  // Refused bytes leave no upload, because nobody knows its address.
  const five = { "Upload-Length": "5", ...typed };
  expect((await create("long", { ...five, "Upload-Length": "4" }, "hello")).status).toBe(413);
  expect((await create("damaged", { ...five, "Upload-Checksum": "md5 AAAA" }, "hello")).status).toBe(460);
  const database = new Database(join(installation.dataDir, "waymark.db"), { readonly: true });
  const left = database
    .query("select name from uploads where name in ('page long', 'page damaged', 'page unclear')")
    .all();
  database.close();
  expect(left).toEqual([]);
});
