/** A folder of the server, linked by the command, in everything that the server offers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, startSignedIn } from "../support/session.ts";
import { until } from "../support/until.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

const outside = realpathSync(mkdtempSync(join(tmpdir(), "waymark-linked-")));
const root = join(outside, "photos");
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
let installation: Installation;
let server: RunningWaymark;
let client: Client;
let folderId: number;

beforeAll(async () => {
  mkdirSync(join(root, "2026"), { recursive: true });
  writeFileSync(join(root, "a.txt"), "first text");
  writeFileSync(join(root, "2026", "dot.png"), PICTURE);
  const settings = { WAYMARK__STORAGE__LOCAL_ROOTS: outside };
  ({ installation, server, client } = await startSignedIn(settings));
  const made = JSON.parse(await installation.run(["files", "link", root, "/Photos", "--json"]));
  folderId = made.id;
});
afterAll(async () => {
  await installation.remove();
  rmSync(outside, { recursive: true, force: true });
});

/** Paths with modes, times and bytes. */
const snapshotOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const found = statSync(join(folder, name));
      const bytes = found.isFile() ? readFileSync(join(folder, name), "base64") : null;
      return [name, found.mode, found.mtimeMs, bytes];
    });

const authorization = () => ({ Authorization: `Bearer ${client.token}` });
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers: { ...authorization(), ...headers } });
const contents = async (id = folderId) => (await (await get(`/folders/${id}`)).json()).data;
const fileNamed = async (name: string) =>
  (await contents()).files.find((file: { name: string }) => file.name === name);
async function share(path: string, code: string): Promise<void> {
  await installation.run(["files", "share", path, "--code", code]);
  // A running server follows the change feed.
  await until(async () => (await fetch(`${server.url}/${code}`)).ok, 400);
}

test("lists, ranges, ETags, thumbnails, the hash and search", async () => {
  const { folders, files, folder } = await contents();
  expect([folder.is_linked, folders[0].name, files[0].name]).toEqual([true, "2026", "a.txt"]);
  expect(files[0]).toMatchObject({ sha256: null, is_linked: true, size: 10 });
  const path = `/files/${files[0].id}`;
  const whole = await get(`${path}/download`);
  expect(await whole.text()).toBe("first text");
  const etag = whole.headers.get("etag")!;
  const part = await get(`${path}/download`, { Range: "bytes=6-9", "If-Range": etag });
  expect([part.status, await part.text()]).toEqual([206, "text"]);
  expect((await get(`${path}/download`, { "If-None-Match": etag })).status).toBe(304);
  const { sha256 } = (await (await get(`${path}/sha256`)).json()).data;
  expect(sha256).toBe(new Bun.CryptoHasher("sha256").update("first text").digest("hex"));
  const [dot] = (await contents(folders[0].id)).files;
  expect((await get(`/files/${dot.id}/thumbnail`)).status).toBe(200);
  const found = await (await get("/files/search?q=dot")).json();
  expect(found.data).toMatchObject([{ name: "dot.png", is_linked: true, policy_id: null }]);
  expect(found.data).toHaveLength(1);
});

test("WebDAV and ZIP; nothing is written", async () => {
  const dav = `${server.url}/admin/dav/files/Photos`;
  const given = { name: "files", scopes: ["files:read", "files:write"] };
  const { token } = (await client.call("POST", "/tokens", given)).body.data;
  const bearer = { Authorization: `Bearer ${token}` };
  const options = { headers: { ...bearer, Depth: "1" } };
  const listed = await (await fetch(dav, { ...options, method: "PROPFIND" })).text();
  expect(listed).toContain("a.txt");
  expect(await (await fetch(`${dav}/a.txt`, options)).text()).toBe("first text");
  const put = await fetch(`${dav}/new.txt`, { method: "PUT", headers: bearer, body: "new" });
  expect(put.status).toBe(403);
  expect((await fetch(`${dav}/a.txt`, { method: "DELETE", headers: bearer })).status).toBe(403);
  const form = new FormData();
  form.append("file", new File(["new"], "new.txt"));
  const upload = { method: "POST", headers: authorization(), body: form };
  expect((await fetch(`${server.url}/files/upload?folder_id=${folderId}`, upload)).status).toBe(403);
  const zip = await (await get(`/folders/${folderId}/archive`)).bytes();
  expect(Buffer.from(zip).includes("first text")).toBe(true);
});

test("a folder that changes while many list, share and download it", async () => {
  await share("/Photos", "all");
  const texts = ["one", "two two", "three three three"];
  const isOver = { now: false };
  const seen = { whole: 0, mixed: 0, failed: new Set<number>() };
  const change = async () => {
    for (let n = 0; n < 150; n++) {
      const text = texts[n % texts.length]!;
      writeFileSync(join(root, "changing.txt"), text.repeat(20_000));
      if (n % 3 === 0) writeFileSync(join(root, `more ${n}`), "more");
      if (n % 3 === 2) rmSync(join(root, `more ${n - 2}`));
      await Bun.sleep(20);
      // Leaves time for a download now and then.
      const before = seen.whole;
      if (n % 50 === 49) await until(() => seen.whole > before);
    }
    isOver.now = true;
  };
  const visit = async () => {
    while (!isOver.now) {
      const page = await fetch(`${server.url}/all`, { headers: { Accept: "text/html" } });
      if (page.status !== 200) seen.failed.add(page.status);
      await page.text();
      const file = await fileNamed("changing.txt");
      if (file === undefined) continue;
      const text = await get(`/files/${file.id}/download`).then(
        async (response) => (response.ok ? response.text().catch(() => null) : null),
        () => null,
      );
      if (text === null) continue;
      const one = texts.find((each) => text === each.repeat(20_000));
      if (one === undefined && text !== "") seen.mixed += 1;
      else seen.whole += 1;
    }
  };
  await Promise.all([change(), ...Array.from({ length: 20 }, visit)]);
  expect([seen.mixed, [...seen.failed]]).toEqual([0, []]);
  await until(async () => (await fileNamed("changing.txt"))?.size === texts[2]!.length * 20_000);
  const last = await fileNamed("changing.txt");
  expect(await (await get(`/files/${last.id}/download`)).text()).toBe(texts[2]!.repeat(20_000));
  expect(seen.whole).toBeGreaterThan(0);
}, 60_000);

test("a share of it can't begin to take files", async () => {
  const patch = { method: "PATCH", headers: authorization(), body: JSON.stringify({ add: true }) };
  const refused = await fetch(`${server.url}/shares/all`, patch);
  expect([refused.status, (await refused.json()).message]).toEqual([
    403,
    "Drop boxes and shares that take files can't lead into a folder of the server. Choose a folder of Waymark.",
  ]);
});

test("a folder that is away is told as that, and is back with its shares", async () => {
  const { id } = await fileNamed("a.txt");
  await share("/Photos/a.txt", "a");
  const visit = async (code: string) => {
    const response = await fetch(`${server.url}/${code}`, {
      headers: { Accept: "text/html", "User-Agent": "Mozilla/5.0" },
    });
    return { status: response.status, text: await response.text() };
  };
  expect((await visit("a")).status).toBe(200);
  renameSync(root, `${root}-away`);
  for (const code of ["a", "all"]) {
    await until(async () => (await visit(code)).status === 502);
    expect((await visit(code)).text).toContain("Not reachable just now");
  }
  expect((await get(`/files/${id}/download`)).status).toBe(502);
  const known = await contents();
  expect(known.on_server).toEqual({ read_only: true, is_away: true });
  expect(known.files.map(({ name }: { name: string }) => name)).toContain("a.txt");
  renameSync(`${root}-away`, root);
  for (const code of ["a", "all"]) await until(async () => (await visit(code)).status === 200);
  expect((await (await get(`/files/${id}`)).json()).data).toMatchObject({ id, name: "a.txt" });
});

test("a folder that may be changed takes forms, tus, WebDAV, replacements and the command", async () => {
  const also = JSON.parse(await installation.run(["files", "link", root, "/Also", "--writable", "--json"]));
  const dav = `${server.url}/admin/dav/files/Photos`;
  const given = { name: "writes", scopes: ["files:read", "files:write"] };
  const { token } = (await client.call("POST", "/tokens", given)).body.data;
  const ask = (method: string, url: string, rest: RequestInit = {}) =>
    fetch(url, {
      ...rest,
      method,
      headers: { Authorization: `Bearer ${token}`, ...(rest.headers as Record<string, string>) },
    });
  const textOf = (name: string): string => readFileSync(join(root, name), "utf8");
  await until(async () => (await ask("PUT", `${dav}/dav.txt`, { body: "dav" })).ok);
  expect(textOf("dav.txt")).toBe("dav");
  const time = { "X-OC-Mtime": "1700000000" };
  expect((await ask("PUT", `${dav}/dav.txt`, { body: "dav 2", headers: time })).status).toBe(204);
  expect(statSync(join(root, "dav.txt")).mtimeMs).toBe(1_700_000_000_000);
  expect((await ask("MKCOL", `${dav}/made`)).status).toBe(201);
  const to = { Destination: `${dav}/made/dav.txt` };
  expect((await ask("MOVE", `${dav}/dav.txt`, { headers: to })).status).toBe(201);
  expect(textOf("made/dav.txt")).toBe("dav 2");
  const form = new FormData();
  form.append("file", new File(["form"], "form.txt"));
  expect((await ask("POST", `${server.url}/files/upload?folder_id=${folderId}`, { body: form })).status).toBe(
    201,
  );
  const { id } = await fileNamed("form.txt");
  const replaced = await ask("PUT", `${server.url}/files/${id}/content`, { body: "replaced" });
  expect([replaced.status, textOf("form.txt")]).toEqual([200, "replaced"]);
  const encoded = (text: string) => Buffer.from(text).toString("base64");
  const metadata = `filename ${encoded("tus.txt")},folder_id ${encoded(String(folderId))}`;
  const tus = { "Tus-Resumable": "1.0.0" };
  const begin = { ...tus, "Upload-Length": "8", "Upload-Metadata": metadata };
  const made = await ask("POST", `${server.url}/files/tus`, { headers: begin });
  const place = new URL(made.headers.get("location")!, server.url).href;
  const send = (offset: number, body: string) =>
    ask("PATCH", place, {
      body,
      headers: { ...tus, "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" },
    });
  expect([(await send(0, "tus ")).status, (await send(4, "tus2")).status]).toEqual([204, 204]);
  expect(textOf("tus.txt")).toBe("tus tus2");
  writeFileSync(join(outside, "command.txt"), "command");
  await installation.run(["files", "put", join(outside, "command.txt"), "/Photos"]);
  expect(textOf("command.txt")).toBe("command");
  expect((await ask("DELETE", `${dav}/made`)).status).toBe(204);
  expect((await contents()).folders.map(({ name }: { name: string }) => name)).toEqual(["2026"]);
  expect((await contents()).on_server).toEqual({ read_only: false, is_away: false });
  const trash = (await (await get("/trash")).json()).data;
  expect(trash.map(({ name }: { name: string }) => name).toSorted()).toEqual(["dav.txt", "form.txt", "made"]);
  const back = trash.find(({ name }: { name: string }) => name === "made");
  expect((await ask("POST", `${server.url}/trash/${back.id}/restore`)).status).toBe(200);
  expect(textOf("made/dav.txt")).toBe("dav 2");
  await ask("DELETE", `${server.url}/trash`);
  await until(() => readdirSync(join(root, ".waymark")).length === 0);
  expect((await ask("DELETE", `${server.url}/folders/${also.id}`)).status).toBe(200);
}, 60_000);

test("the deletion of a person and of the policy leaves every byte", async () => {
  const given = { username: "paula", password: "a long password", role: "user" };
  expect((await client.call("POST", "/users", given)).status).toBe(201);
  const policies = async () =>
    (await (await get("/admin/policies")).json()).data as { id: number; driver_type: string }[];
  const { id } = (await policies()).find((policy) => policy.driver_type === "linked")!;
  const place = ["files", "link", root, "/Hers", "--owner", "paula", "--json"];
  const { id: hers } = JSON.parse(await installation.run(place));
  const before = snapshotOf(root);
  const erased = await client.call("POST", "/privacy/delete", { account: "paula", transfer_to: "admin" });
  expect(erased.status).toBe(200);
  // What was hers came to the administrator.
  expect((await contents(hers)).files.length).toBeGreaterThan(0);
  for (const one of [folderId, hers])
    await fetch(`${server.url}/folders/${one}`, { method: "DELETE", headers: authorization() });
  const remove = { method: "DELETE", headers: authorization() };
  await until(async () => (await fetch(`${server.url}/admin/policies/${id}`, remove)).ok);
  expect(snapshotOf(root)).toEqual(before);
});
