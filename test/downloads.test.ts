/** Downloads with the real program: bytes, ranges, conditions, and headers that keep content from running. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let me: DriveClient;
let file: { id: number; sha256: string };
const text = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join("");

const tagOf = ({ sha256 }: { sha256: string }): string =>
  `"${Buffer.from(sha256, "hex").toString("base64url")}"`;

beforeAll(async () => {
  const started = await startShared();
  ({ installation, server } = started);
  me = driveClient(server.url, started.client.token);
  file = (await me.upload("text.txt", text, { type: "text/plain" })).body.data;
});
afterAll(() => installation.remove());

const get = (headers: Record<string, string> = {}, method = "GET", id = file.id) =>
  me.send(`/files/${id}/download`, { method, headers });

describe("the whole file", () => {
  test("has its length, its name and headers that prevent it from running", async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(text);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-length": String(text.length),
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": `attachment; filename="text.txt"; filename*=UTF-8''text.txt`,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
      "cache-control": "private, no-cache",
      etag: tagOf(file),
      "last-modified": expect.stringMatching(/GMT$/),
      "x-request-id": expect.any(String),
    });
  });

  test("by HEAD has the same headers and no body", async () => {
    const [whole, head] = [await get(), await get({}, "HEAD")];
    expect([head.status, await head.text()]).toEqual([200, ""]);
    for (const name of [
      "content-length",
      "content-type",
      "content-disposition",
      "etag",
      "last-modified",
      "accept-ranges",
    ])
      expect(head.headers.get(name)).toBe(whole.headers.get(name));
    for (const range of ["bytes=5-9", `bytes=${text.length}-`]) {
      const ranged = await get({ Range: range }, "HEAD");
      const { headers } = ranged;
      expect([ranged.status, headers.get("content-length"), headers.get("content-range")]).toEqual([
        200,
        String(text.length),
        null,
      ]);
    }
  });

  test("may be empty", async () => {
    const { id } = (await me.upload("empty", "")).body.data;
    for (const range of [undefined, "bytes=0-", "bytes=-5"]) {
      const answer = await get(range === undefined ? {} : { Range: range }, "GET", id);
      expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([
        200,
        "0",
        "",
      ]);
    }
    expect((await get({}, "HEAD", id)).headers.get("content-length")).toBe("0");
  });
});

describe("a range", () => {
  const last = () => text.length - 1;
  test.each([
    ["bytes=0-0", () => [0, 0]],
    ["bytes=100-199", () => [100, 199]],
    ["bytes=100-", () => [100, last()]],
    ["bytes=-100", () => [last() - 99, last()]],
    ["bytes=0-99999999999999999999", () => [0, last()]],
    ["bytes=-99999999999", () => [0, last()]],
  ] as const)("%s", async (range, bounds) => {
    const [start, end] = bounds() as [number, number];
    const answer = await get({ Range: range });
    expect([
      answer.status,
      answer.headers.get("content-range"),
      answer.headers.get("content-length"),
    ]).toEqual([206, `bytes ${start}-${end}/${text.length}`, String(end - start + 1)]);
    expect(await answer.text()).toBe(text.slice(start, end + 1));
  });

  test.each(["bytes=0-1,5-6", "bytes=5-2", "lines=1-2", "bytes", "bytes=a-b"])(
    "%s returns the whole file",
    async (range) => {
      const answer = await get({ Range: range });
      expect([answer.status, answer.headers.get("content-range")]).toEqual([200, null]);
      expect(await answer.text()).toBe(text);
    },
  );

  test.each(["bytes=99999999-", "bytes=-0", "bytes=9999999999999999999-"])("%s is refused", async (range) => {
    const answer = await get({ Range: range });
    expect([answer.status, answer.headers.get("content-range")]).toEqual([416, `bytes */${text.length}`]);
    expect(await answer.json()).toMatchObject({ code: 1000, error: "BadRequest" });
  });

  test("is used only when If-Range names this content", async () => {
    const when = (await get({}, "HEAD")).headers.get("last-modified")!;
    for (const condition of [tagOf(file), when]) {
      expect((await get({ Range: "bytes=1-2", "If-Range": condition })).status).toBe(206);
    }
    for (const condition of ['"other"', `W/${tagOf(file)}`, "Fri, 20 Nov 2020 13:00:00 GMT"]) {
      const answer = await get({ Range: "bytes=1-2", "If-Range": condition });
      expect([answer.status, await answer.text()]).toEqual([200, text]);
    }
  });
});

test("content that the client already has is not sent again", async () => {
  const etag = tagOf(file);
  const when = (await get({}, "HEAD")).headers.get("last-modified")!;
  for (const condition of [
    { "If-None-Match": etag },
    { "If-None-Match": `"x", W/${etag}` },
    { "If-None-Match": "*" },
    { "If-Modified-Since": when },
    { "If-None-Match": etag, Range: "bytes=0-1" },
  ]) {
    const answer = await get(condition);
    expect([answer.status, answer.headers.get("etag"), await answer.text()]).toEqual([304, etag, ""]);
  }
  for (const condition of [
    { "If-None-Match": '"x"' },
    { "If-None-Match": '"x"', "If-Modified-Since": when },
    { "If-Modified-Since": "Fri, 20 Nov 2020 13:00:00 GMT" },
  ])
    expect((await get(condition)).status).toBe(200);
});

test("a precondition on other content fails", async () => {
  const old = "Fri, 20 Nov 2020 13:00:00 GMT";
  for (const condition of [
    { "If-Match": '"other"', Range: "bytes=5-" },
    { "If-Match": `W/${tagOf(file)}` },
    { "If-Unmodified-Since": old },
  ]) {
    const answer = await get(condition);
    expect([answer.status, await answer.json()]).toEqual([
      412,
      { code: 1014, error: "PreconditionFailed", message: expect.stringContaining("If-Match") },
    ]);
  }
  const same = { "If-Match": tagOf(file), "If-Unmodified-Since": old, Range: "bytes=1-2" };
  expect((await get(same)).status).toBe(206);
});

describe("in place", () => {
  test.each([
    ["image/png", "inline"],
    ["image/jpeg", "inline"],
    ["image/webp", "inline"],
    ["audio/mpeg", "inline"],
    ["video/mp4", "inline"],
    ["text/plain", "inline"],
    ["application/pdf", "inline"],
    ["text/html", "attachment"],
    ["application/xhtml+xml", "attachment"],
    ["image/svg+xml", "attachment"],
    ["text/xml", "attachment"],
    ["application/javascript", "attachment"],
    ["text/css", "attachment"],
    ["video/x+xml", "attachment"],
    ["multipart/x-mixed-replace", "attachment"],
    ["application/octet-stream", "attachment"],
  ])("%s is shown as %s", async (type, expected) => {
    const made = (await me.upload(`${type.replace("/", "-")}`, "<script>alert(1)</script>", { type })).body
      .data;
    const answer = await me.send(`/files/${made.id}/download?disposition=inline`);
    expect(answer.headers.get("content-disposition")).toStartWith(`${expected}; `);
    expect(answer.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const plain = await me.send(`/files/${made.id}/download`);
    expect(plain.headers.get("content-disposition")).toStartWith("attachment; ");
  });

  test("other values are refused", async () => {
    expect((await me.send(`/files/${file.id}/download?disposition=run`)).status).toBe(400);
  });
});

test.each([
  ["missing", (path: string) => rmSync(path)],
  ["cut off", (path: string) => truncateSync(path, 3)],
])("content that is %s is not served", async (name, damage) => {
  const made = (await me.upload(name, `content that is ${name}`)).body.data;
  const folder = join(installation.dataDir, "files");
  const path = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((one) =>
    one.includes(made.sha256),
  )!;
  damage(join(folder, path));
  for (const headers of [{}, { Range: "bytes=0-1" }] as Record<string, string>[]) {
    const answer = await get(headers, "GET", made.id);
    expect([answer.status, await answer.json()]).toEqual([
      502,
      { code: 7030, error: "StorageUnavailable", message: expect.not.stringContaining("/") },
    ]);
  }
  expect((await get({}, "HEAD", made.id)).status).toBe(502);
  expect((await me.call("GET", `/files/${made.id}`)).status).toBe(200);
});
