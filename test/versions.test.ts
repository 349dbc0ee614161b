/** Former contents of files, with the real program: by the API, tus, forms and the command line. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let me: DriveClient;

beforeAll(async () => {
  const started = await startShared("versions");
  ({ installation, server } = started);
  me = driveClient(server.url, started.client.token);
});
afterAll(() => installation?.remove());

const put = (id: number, body: string, headers: Record<string, string> = {}) =>
  me.send(`/files/${id}/content`, { method: "PUT", body, headers });
const versionsOf = async (id: number) => (await me.call("GET", `/files/${id}/versions`)).body.data;
const textOf = async (path: string) => (await me.send(`/files/${path}/download`)).text();

test("a content is replaced under its conditions, downloaded, restored and deleted", async () => {
  const { id } = (await me.upload("a.txt", "one")).body.data;
  const tag = (await me.send(`/files/${id}`)).headers.get("ETag")!;
  const replaced = await put(id, "three", {
    "If-Match": tag,
    "Content-Type": "text/markdown; charset=utf-8",
    "X-OC-Mtime": "1700000000",
  });
  expect([replaced.status, (await replaced.json()).data]).toMatchObject([
    200,
    { id, name: "a.txt", size: 5, mime_type: "text/markdown", modified_at: "2023-11-14T22:13:20.000Z" },
  ]);
  expect(replaced.headers.get("X-OC-Mtime")).toBe("accepted");
  expect((await put(id, "2", { "If-Match": tag })).status).toBe(412);
  const again = await put(id, "2", { "If-Match": replaced.headers.get("ETag")! });
  expect([again.status, again.headers.get("X-OC-Mtime")]).toEqual([200, null]);
  const versions = await versionsOf(id);
  expect(versions).toMatchObject([
    { size: 5, mime_type: "text/markdown", modified_at: "2023-11-14T22:13:20.000Z", created_by: "versions" },
    { size: 3, mime_type: "text/plain", created_by: "versions" },
  ]);
  const [newest, oldest] = versions.map((version: { id: number }) => `${id}/versions/${version.id}`);
  const ranged = await me.send(`/files/${newest}/download`, { headers: { Range: "bytes=1-2" } });
  expect([ranged.status, await ranged.text()]).toEqual([206, "hr"]);
  const restored = await me.call("POST", `/files/${oldest}/restore`);
  expect([restored.status, restored.body.data.size, await textOf(`${id}`)]).toEqual([200, 3, "one"]);
  expect((await me.call("DELETE", `/files/${newest}`)).status).toBe(200);
  expect((await versionsOf(id)).map(({ size }: { size: number }) => size)).toEqual([1, 3]);
  for (const version of ["0", "x", "99999999999999999999", newest!.split("/").at(-1)]) {
    expect((await me.send(`/files/${id}/versions/${version}/download`)).status).toBe(404);
  }
});

test("a piece of a content replaces nothing", async () => {
  const { id } = (await me.upload("piece.txt", "whole")).body.data;
  expect((await put(id, "x", { "Content-Range": "bytes 0-0/5" })).status).toBe(400);
  expect([await textOf(`${id}`), await versionsOf(id)]).toEqual(["whole", []]);
});

test("the type that curl sends with any body is no type", async () => {
  const { id } = (await me.upload("curl.txt", "one")).body.data;
  const replaced = await put(id, "two", { "Content-Type": "application/x-www-form-urlencoded" });
  expect((await replaced.json()).data.mime_type).toBe("text/plain");
});

test("uploads by form and tus replace a file only when they say so", async () => {
  const { id } = (await me.upload("b.txt", "one")).body.data;
  expect((await me.upload("b.txt", "two")).status).toBe(409);
  const form = new FormData();
  form.append("file", new File(["two"], "b.txt"));
  const sent = await me.send("/files/upload?replace=true", { method: "POST", body: form });
  expect([sent.status, (await sent.json()).data.id]).toEqual([201, id]);
  const tus = (metadata: string) =>
    me.send("/files/tus", {
      method: "POST",
      headers: {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": "5",
        "Upload-Metadata": `filename ${btoa("b.txt")}${metadata}`,
        "Content-Type": "application/offset+octet-stream",
      },
      body: "three",
    });
  expect((await tus("")).status).toBe(409);
  const done = await tus(`,replace ${btoa("true")}`);
  expect([done.status, done.headers.get("X-File-Id")]).toEqual([201, String(id)]);
  expect(await textOf(`${id}`)).toBe("three");
  expect((await versionsOf(id)).length).toBe(2);
});

test("the command line lists, gets, restores and deletes them", async () => {
  const folder = installation.dataDir;
  const source = join(folder, "c.txt");
  for (const text of ["one", "two"]) {
    writeFileSync(source, text);
    const { exitCode } = await installation.cli(["files", "put", source, "/versions.txt", "--replace"]);
    expect(exitCode).toBe(0);
  }
  const cli = (...words: string[]) => installation.cli(["files", "versions", ...words]);
  const listed = JSON.parse((await cli("list", "/versions.txt", "--json")).stdout);
  expect(listed).toMatchObject([{ size: 3, created_by: "cli" }]);
  const version = String(listed[0].id);
  const target = join(folder, "former.txt");
  expect((await cli("get", "/versions.txt", version, target)).exitCode).toBe(0);
  expect(readFileSync(target, "utf8")).toBe("one");
  expect((await cli("restore", "/versions.txt", version)).stdout).toContain(`Restored version ${version}`);
  expect((await cli("get", "/versions.txt", "x", "-")).exitCode).not.toBe(0);
  expect((await cli("delete", "/versions.txt", version, "--yes")).exitCode).toBe(0);
  const left = JSON.parse((await cli("list", "/versions.txt", "--json")).stdout);
  expect(left.map(({ size }: { size: number }) => size)).toEqual([3]);
  const { exitCode } = await installation.cli(["doctor", "--storage"]);
  expect(exitCode).toBe(0);
});
