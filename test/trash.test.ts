/** The trash with the real program: answers and refusals, shares of what lies in it, the doctor. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { startSignedIn } from "./support/session.ts";
import { soon } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let me: DriveClient;

beforeAll(async () => {
  const started = await startSignedIn();
  ({ installation, server } = started);
  me = driveClient(server.url, started.client.token);
});
afterAll(() => installation.remove());

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const upload = async (name: string, content: string, folder: number): Promise<number> =>
  (await me.upload(name, content, { folder: String(folder) })).body.data.id;

test("a file and a folder go to the trash, are listed, put back and deleted", async () => {
  const folder = await me.folder("a");
  const file = await upload("f.txt", "hello", folder);
  const place = { folder_id: folder, path: [{ id: folder, name: "a" }] };
  const times = { trashed_at: TIME, expires_at: TIME };
  const trashedFile = { id: file, kind: "file", name: "f.txt", size: 5, ...place, ...times };
  expect(await me.call("POST", `/files/${file}/trash`)).toEqual({
    status: 200,
    body: { code: 0, message: "OK", data: trashedFile } as never,
  });
  const trashedFolder = {
    id: folder,
    kind: "folder",
    name: "a",
    size: null,
    folder_id: null,
    path: [],
    ...times,
  };
  expect((await me.call("POST", `/folders/${folder}/trash`)).body.data).toEqual(trashedFolder);

  const gone = { ...trashedFile, path: null };
  expect((await me.call("GET", "/trash")).body).toMatchObject({
    data: [trashedFolder, gone],
    pagination: { page: 1, page_size: 20, total: 2, total_pages: 1 },
  });
  const first = (await me.call("GET", "/trash?cursor=&limit=1")).body as { next_cursor?: string };
  const { next_cursor: next = "" } = first;
  expect(first).toMatchObject({ data: [trashedFolder], next_cursor: expect.any(String) });
  expect((await me.call("GET", `/trash?limit=1&cursor=${next}`)).body).toMatchObject({
    data: [gone],
    next_cursor: null,
  });
  expect(await me.refusal("GET", "/trash?cursor=!")).toEqual([400, 1000]);
  expect(await me.refusal("GET", "/trash?cursor=&page=1")).toEqual([400, 1000]);

  expect(await me.refusal("POST", `/trash/${file}/restore`)).toEqual([404, 7001]);
  expect(await me.refusal("POST", `/trash/${file}/restore`, { folder_id: null, parent_id: 5 })).toEqual([
    400, 1000,
  ]);
  expect((await me.call("POST", `/trash/${folder}/restore`)).body.data).toEqual({
    id: folder,
    kind: "folder",
    name: "a",
    folder_id: null,
    path: [],
    size: null,
    mime_type: null,
    modified_at: null,
    created_at: TIME,
    updated_at: TIME,
    is_linked: false,
    policy_id: null,
  });
  await upload("f.txt", "other", folder);
  const taken = await me.call("POST", `/trash/${file}/restore`);
  expect([taken.status, taken.body.code]).toEqual([409, 7010]);
  expect(taken.body.message).toContain("Give it another name");
  expect(
    (await me.call("POST", `/trash/${file}/restore`, { name: "g.txt", parent_id: null })).body.data,
  ).toMatchObject({ id: file, name: "g.txt", folder_id: null, path: [], size: 5, mime_type: "text/plain" });
  expect(await (await me.send(`/files/${file}/download`)).text()).toBe("hello");

  await me.call("POST", `/files/${file}/trash`);
  expect(await me.refusal("DELETE", `/files/${file}`)).toEqual([404, 7000]);
  expect((await me.call("DELETE", `/trash/${file}`)).status).toBe(200);
  expect(await me.refusal("DELETE", `/trash/${file}`)).toEqual([404, 1004]);
  expect(await me.refusal("POST", "/trash/0/restore")).toEqual([404, 1004]);
  await me.call("POST", `/folders/${folder}/trash`);
  expect((await me.call("DELETE", "/trash")).body.data).toEqual({ message: "Trash emptied", deleted: 1 });
  expect((await me.call("GET", "/files/usage")).body.data.used_bytes).toBe(0);
});

test("shares of what lies in the trash answer not found, and work again after a restore", async () => {
  const folder = await me.folder("shared");
  const file = await upload("f.txt", "hello", folder);
  const codes = [
    (await me.call("POST", `/files/${file}/share`, {})).body.data.code,
    (await me.call("POST", `/folders/${folder}/share`, {})).body.data.code,
  ];
  const statuses = () =>
    Promise.all(codes.map(async (code) => (await fetch(`${server.url}/${code}`)).status));
  expect(await statuses()).toEqual([200, 200]);
  await me.call("POST", `/folders/${folder}/trash`);
  expect(await statuses()).toEqual([404, 404]);
  expect(await me.refusal("GET", `/files/${file}/share`)).toEqual([404, 7000]);
  await me.call("POST", `/trash/${folder}/restore`, { name: "again" });
  expect(await statuses()).toEqual([200, 200]);
  await me.call("POST", `/folders/${folder}/trash`);
  await me.call("DELETE", "/trash");
  expect(await statuses()).toEqual([404, 404]);
});

test("the doctor finds nothing wrong with a full trash", async () => {
  const folder = await me.folder("kept");
  await upload("f.txt", "hello", folder);
  await me.call("POST", `/folders/${folder}/trash`);
  expect(await installation.run(["doctor", "--storage"])).not.toContain("not one of the account's folders");
});

test("the doctor moves a file without content to the trash once, and the running server takes it anew", async () => {
  const folder = await me.folder("lossy");
  for (const name of ["one", "two", "three"]) await upload(name, `content of ${name}`, folder);
  const lost = await upload("lost.txt", "lost content", folder);
  const others = Array.from({ length: 204 }, (_, n) => `lost ${n}`);
  await Promise.all(others.map((name) => upload(name, "lost content", folder)));
  const files = join(installation.dataDir, "files");
  const holders = (): string[] =>
    readdirSync(files, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path, "utf8") === "lost content");
  // The uploads' other copies go in the background.
  await soon(() => expect(holders().length).toBe(1));
  rmSync(holders()[0]!);
  expect((await installation.cli(["doctor", "--storage"])).exitCode).toBe(1);
  expect(await installation.cli(["doctor", "--storage", "--fix=some"])).toMatchObject({ exitCode: 2 });
  const mended = await installation.cli(["doctor", "--storage", "--fix"]);
  expect(mended.exitCode).toBe(0);
  expect(mended.stdout).toContain(`'/lossy/lost.txt' (file ${lost} of account 0, 12 bytes) is lost.`);
  expect(mended.stdout.split("It was moved to the trash.").length - 1).toBe(200);
  expect(mended.stdout).toEndWith("and 5 more such warnings; --json prints all\n");
  expect((await installation.cli(["doctor", "--storage"])).exitCode).toBe(0);
  expect(await me.refusal("GET", `/files/${lost}`)).toEqual([404, 7000]);
  const anew = await upload("lost.txt", "lost content", folder);
  expect(await (await me.send(`/files/${anew}/download`)).text()).toBe("lost content");
});
