/** Shared folders whose visitors add files, over HTTP. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { type Client } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import { HTML, stranger } from "./support/stranger.ts";
import type { Installation } from "./support/waymark.ts";

let installation: Installation;
let client: Client;
let me: DriveClient;
let base: string;
let names = 0;
beforeAll(async () => {
  const started = await startShared();
  ({ installation, client } = started);
  base = started.server.url;
  me = driveClient(base, client.token);
});
afterAll(() => installation?.remove());

async function shared(input: object = {}) {
  const folder = await me.folder(`folder ${++names}`);
  await me.upload("plan.txt", "the owner's", { folder: String(folder) });
  const { status, body } = await me.call("POST", `/folders/${folder}/share`, { add: true, ...input });
  expect([status, body]).toEqual([201, expect.anything()]);
  return { folder, ...body.data } as { folder: number; code: string; url: string };
}
const contents = async (folder: number): Promise<string[]> =>
  (await me.call("GET", `/folders/${folder}`)).body.data.files.map(({ name }: { name: string }) => name);

test("visitors see what is in the folder and add to it; nothing is replaced, and the owner sees who sent what", async () => {
  const share = await shared({ max_files: 2 });
  expect(share).toMatchObject({
    kind: "folder",
    add: true,
    drop: { max_bytes: 1_000_000_000, max_files: 2, max_file_size: null, files: 0, bytes: 0 },
  });
  const anna = stranger();
  const page = await anna.page(share.url);
  expect(page).toContain("<bdi>plan.txt</bdi>");
  expect(page).toContain('enctype="multipart/form-data"');
  const sent = await anna.put(share.url, { "plan.txt": "anna's" }, "Anna", HTML);
  expect([sent.status, sent.headers.get("location")]).toEqual([303, `/${share.code}?sent=1`]);
  expect(await anna.page(`${share.url}?sent=1`)).toContain("<bdi>plan (2).txt</bdi>");

  const begun = await anna.begin(share.url, "../../notes\u0000.txt", 4, "Anna");
  expect(begun.status).toBe(201);
  const upload = new URL(begun.headers.get("location")!, base).href;
  expect((await anna.append(upload, 0, "no")).status).toBe(204);
  expect(
    (await anna.send(upload, { method: "HEAD", headers: { "Tus-Resumable": "1.0.0" } })).headers.get(
      "upload-offset",
    ),
  ).toBe("2");
  expect((await anna.append(upload, 2, "te")).status).toBe(204);
  expect(await contents(share.folder)).toEqual(["notes.txt", "plan (2).txt", "plan.txt"]);

  const received = (await me.call("GET", `/folders/${share.folder}/drop/${share.code}/files`)).body.data;
  expect(received).toMatchObject([
    { name: "notes.txt", sender_name: "Anna" },
    { name: "plan (2).txt", original_name: "plan.txt" },
  ]);
  const { data: events } = (await client.call("GET", "/events?action=drop.received")).body;
  expect(events.filter(({ subject }: { subject: string }) => subject === share.code)).toHaveLength(2);

  const full = await anna.put(share.url, { "third.txt": "3" });
  expect([full.status, (await full.json()).message]).toEqual([409, expect.stringContaining("No more files")]);
  expect(await anna.page(share.url)).not.toContain("<form");
  // What is there is still shared.
  expect(
    (await me.call("GET", "/shares?state=active")).body.data.map(({ code }: { code: string }) => code),
  ).toContain(share.code);
  for (const method of ["DELETE", "PUT"]) {
    const answer = await anna.send(`${share.url}?file=1`, { method });
    expect([method, answer.status >= 400]).toEqual([method, true]);
  }
  expect(await contents(share.folder)).toHaveLength(3);
});

test("a password guards both ways, and used up downloads leave one", async () => {
  const share = await shared({ password: "open sesame", max_downloads: 1 });
  const anna = stranger();
  expect((await anna.put(share.url, { "a.txt": "a" })).status).toBe(401);
  expect((await anna.begin(share.url, "a.txt", 1)).status).toBe(401);
  const opened = await anna.unlock(share.url, "open sesame");
  expect(opened.status).toBe(303);
  await (await anna.send(`${share.url}?archive=1`)).arrayBuffer();
  expect((await anna.send(`${share.url}?archive=1`)).status).toBe(410);
  expect((await anna.put(share.url, { "a.txt": "a" })).status).toBe(201);
});

test("PATCH opens a shared folder and closes it, with undo; only folders take files", async () => {
  const { folder, code, url } = await shared({ add: false });
  const patch = (body: object) => me.call("PATCH", `/shares/${code}`, body);
  const put = async () => (await stranger().put(url, { "a.txt": "a" })).status;
  expect(await put()).toBe(405);
  expect((await patch({ max_files: 3 })).body.message).toContain("give add: true");
  expect((await patch({ add: true, max_files: 3 })).body.data).toMatchObject({
    add: true,
    drop: { max_files: 3 },
  });
  expect(await put()).toBe(201);
  expect((await patch({ max_bytes: 5 })).body.data).toMatchObject({
    drop: { max_files: 3, max_bytes: 5, files: 1 },
  });
  expect((await patch({ add: false })).body.data).toMatchObject({ add: false, drop: null, kind: "folder" });
  expect(await put()).toBe(405);
  const { data: events } = (await client.call("GET", `/events?subject=${code}`)).body;
  const closed = events.find(({ action }: { action: string }) => action === "share.update");
  const back = await client.call("POST", `/links/${code}/history/${closed.id}/restore`, { state: "before" });
  expect([back.status, (await me.call("GET", `/shares/${code}`)).body.data.drop]).toEqual([
    200,
    expect.objectContaining({ max_files: 3, max_bytes: 5 }),
  ]);

  const file = (await me.upload("one.txt", "1")).body.data.id;
  const single = (await me.call("POST", `/files/${file}/share`, {})).body.data.code;
  expect((await me.call("PATCH", `/shares/${single}`, { add: true })).status).toBe(400);
  const box = (await me.call("POST", `/folders/${folder}/drop`, { max_bytes: 9, max_files: 1 })).body.data
    .code;
  expect((await me.call("PATCH", `/shares/${box}`, { add: true })).status).toBe(400);
  expect((await me.call("PATCH", `/shares/${box}`, { add: false })).status).toBe(400);
  const both = { drop: { folder_id: folder, max_bytes: 9, max_files: 1 }, add: true };
  expect((await me.call("PATCH", `/shares/${box}`, both)).status).toBe(400);
  const opened = await me.call("PATCH", `/shares/${box}`, { folder_id: folder, add: true });
  expect(opened.body.data).toMatchObject({ kind: "folder", add: true });
});
