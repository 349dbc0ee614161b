/** Bytes for the preview in the owner's page: only what can run nothing, and only for the owner. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DriveClient, driveClient } from "./support/drive.ts";
import { signIn } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation } from "./support/waymark.ts";

let installation: Installation;
let me: DriveClient;
let another: DriveClient;
beforeAll(async () => {
  const { server, client, installation: made } = await startShared();
  installation = made;
  me = driveClient(server.url, client.token);
  await client.call("POST", "/users", { username: "anna", password: "a long password", role: "user" });
  another = driveClient(server.url, (await signIn(server.url, "a long password", "anna")).token);
});
afterAll(() => installation.remove());

const stored = async (name: string, content: string | Uint8Array<ArrayBuffer>, type: string) =>
  (await me.upload(name, content, { type })).body.data.id as number;
const preview = (id: number, headers: Record<string, string> = {}, client = me) =>
  client.send(`/files/${id}/preview`, { headers });

test("previews are sandboxed, never sniffed, of the type that the bytes have", async () => {
  const id = await stored("a.png", "GIF89a and more", "image/png");
  const answer = await preview(id);
  expect([answer.status, await answer.text()]).toEqual([200, "GIF89a and more"]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "image/gif",
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'self'",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  });
  const part = await preview(await stored("a.mp4", "0123456789", "video/mp4"), { Range: "bytes=2-4" });
  expect([part.status, await part.text()]).toEqual([206, "234"]);
});

test("a text is plain text and cut", async () => {
  const id = await stored("a.json", "<b>".repeat(100_000), "application/json");
  const answer = await preview(id);
  expect(answer.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  expect((await answer.text()).length).toBe(128_000);
});

test("types that could run have no preview, nor have files that are not the pictures they claim to be", async () => {
  for (const [content, type] of [
    ["<script>1</script>", "text/html"],
    ["<svg/>", "image/svg+xml"],
    ["<?xml version='1.0'?><a/>", "text/xml"],
    ["<script>1</script>", "image/png"],
    ["", "text/plain"],
    ["\0", "text/plain"],
  ] as const) {
    const answer = await preview(await stored(`${crypto.randomUUID()}.bin`, content, type));
    expect([type, answer.status, await answer.text()]).toEqual([type, 204, ""]);
  }
});

test("the viewer of PDF is for who is signed in; a browser keeps it and asks whether it is current", async () => {
  const path = "/files/preview/pdf-viewer";
  const answer = await me.send(path);
  expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([200, "private, no-cache"]);
  expect(answer.headers.get("Content-Security-Policy")).toStartWith(
    "sandbox allow-scripts; default-src 'none';",
  );
  const headers = { "If-None-Match": answer.headers.get("ETag")! };
  expect((await me.send(path, { headers })).status).toBe(304);
  expect((await fetch(answer.url)).status).toBe(401);
});

test("previews work in the page only, a PDF in a frame only, and files of others not at all", async () => {
  const text = await stored("a.txt", "text", "text/plain");
  expect((await preview(text, { "Sec-Fetch-Dest": "document" })).status).toBe(404);
  expect((await preview(text, {}, another)).status).toBe(404);
  const pdf = await stored("a.pdf", "%PDF-1.4", "application/pdf");
  expect((await preview(pdf)).status).toBe(404);
  expect((await preview(pdf, { "Sec-Fetch-Dest": "iframe" })).status).toBe(200);
});
