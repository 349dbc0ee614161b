/** Names with the marks of direction U+200E, U+200F and U+061C, which Arabic and Hebrew names have, on every way in. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArchive } from "../src/files/archive/archive.test-support.ts";
import { type DriveClient, driveClient, fileHead, FORM_TYPE, formOf } from "./support/drive.ts";
import { type Client, startSignedIn } from "./support/session.ts";
import { stranger, TUS } from "./support/stranger.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

/** Not letters, so that each shows by itself whether it is kept. */
const MARKED = "\u200f\u05d3\u05d5\u05d7 (1)\u200f \u200eQ3\u061c.txt";
const [REORDERING, CLEANED] = ["in\u202egp\u2067j\u2069.exe", "ingpj.exe"];
const INVISIBLE = "\u200f\u200e\u061c";

let installation: Installation;
let server: RunningWaymark;
let client: Client;
let me: DriveClient;
beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn());
  me = driveClient(server.url, client.token);
});
afterAll(() => installation?.remove());

const namesIn = async (folder: number): Promise<string[]> => {
  const { files, folders } = (await me.call("GET", `/folders/${folder}`)).body.data;
  return [...folders, ...files].map(({ name }: { name: string }) => name);
};

type Way = (name: string, folder: number, path: string) => Promise<number>;

const base64 = (text: string) => Buffer.from(text).toString("base64");
const form = (name: string): RequestInit => ({
  method: "POST",
  body: new Uint8Array(formOf([fileHead(name), "x"])),
  headers: { "Content-Type": FORM_TYPE },
});
let token: string | undefined;
async function dav(method: string, path: string, more: RequestInit = {}): Promise<number> {
  const body = { name: "dav", scopes: ["files:read", "files:write"] };
  token ??= (await client.call("POST", "/tokens", body)).body.data.token as string;
  const headers = { Authorization: `Bearer ${token}`, ...more.headers };
  return (await fetch(`${server.url}/admin/dav/files/${path}`, { method, ...more, headers })).status;
}
async function renamed(kind: "files" | "folders", name: string, folder: number): Promise<number> {
  const id = kind === "folders" ? await me.folder(crypto.randomUUID(), folder) : await uploaded(folder);
  return (await me.call("PATCH", `/${kind}/${id}`, { name })).status;
}
const uploaded = async (folder: number, name: string = crypto.randomUUID()): Promise<number> =>
  (await me.upload(name, "x", { folder: String(folder) })).body.data.id;

/** Refuse what can't be a name. */
const STRICT: Record<string, Way> = {
  "an upload": async (name, folder) =>
    (await me.send(`/files/upload?folder_id=${folder}`, form(name))).status,
  "a resumable upload": async (name, folder) => {
    const metadata = `filename ${base64(name)},folder_id ${base64(String(folder))}`;
    const headers = { ...TUS, "Upload-Length": "0", "Upload-Metadata": metadata };
    return (await me.send("/files/tus", { method: "POST", headers })).status;
  },
  "a new folder": async (name, folder) =>
    (await me.call("POST", "/folders", { name, parent_id: folder })).status,
  "a new name of a file": (name, folder) => renamed("files", name, folder),
  "a new name of a folder": (name, folder) => renamed("folders", name, folder),
  "WebDAV: PUT": (name, _, path) => dav("PUT", `${path}/${encodeURIComponent(name)}`, { body: "x" }),
  "WebDAV: MKCOL": (name, _, path) => dav("MKCOL", `${path}/${encodeURIComponent(name)}`),
  "WebDAV: MOVE": async (name, folder, path) => {
    const old = crypto.randomUUID();
    await uploaded(folder, old);
    const Destination = `${server.url}/admin/dav/files/${path}/${encodeURIComponent(name)}`;
    return dav("MOVE", `${path}/${old}`, { headers: { Destination } });
  },
};

/** Make a name of it. */
const TOLERANT: Record<string, Way> = {
  "a drop box": async (name, folder) => {
    const { body } = await me.call("POST", `/folders/${folder}/drop`, { max_bytes: 1000, max_files: 9 });
    return (await stranger().send(body.data.url, form(name))).status;
  },
  "a resumable upload to a drop box": async (name, folder) => {
    const { body } = await me.call("POST", `/folders/${folder}/drop`, { max_bytes: 1000, max_files: 9 });
    const headers = { ...TUS, "Upload-Length": "0", "Upload-Metadata": `filename ${base64(name)}` };
    return (await stranger().send(body.data.url, { method: "POST", headers })).status;
  },
  "a shared folder": async (name, folder) => {
    const { body } = await me.call("POST", `/folders/${folder}/share`, { add: true });
    return (await stranger().send(body.data.url, form(name))).status;
  },
};

test.each(Object.entries(STRICT))(
  "%s takes marks, and refuses what reorders or shows nothing",
  async (way, send) => {
    const path = `strict ${way.replaceAll(/\W/g, " ")}`.trim();
    const folder = await me.folder(path);
    expect([way, (await send(MARKED, folder, encodeURIComponent(path))) < 300]).toEqual([way, true]);
    expect(await namesIn(folder)).toContain(MARKED);
    for (const name of [REORDERING, INVISIBLE])
      expect([name, await send(name, folder, encodeURIComponent(path))]).toEqual([name, 400]);
  },
);

test.each(Object.entries(TOLERANT))("%s keeps marks, and removes what reorders", async (way, send) => {
  const folder = await me.folder(`tolerant ${way}`);
  for (const name of [MARKED, REORDERING, INVISIBLE])
    expect([name, await send(name, folder, "")]).toEqual([name, 201]);
  expect((await namesIn(folder)).toSorted()).toEqual(["file", CLEANED, MARKED].toSorted());
});

test("the command sends a folder whose names have marks", async () => {
  const source = join(installation.dataDir, "..", `source-${crypto.randomUUID()}`);
  mkdirSync(join(source, MARKED), { recursive: true });
  writeFileSync(join(source, MARKED, MARKED), "x");
  const put = await installation.run(["files", "put", source, "commanded", "--json"]);
  expect(JSON.parse(put)).toMatchObject({ uploaded: 1, failed: 0 });
  const listed = await installation.run(["files", "ls", "commanded", "--json"]);
  expect(listed).toContain(JSON.stringify(MARKED));
});

test("headers, archives and pages show them safely", async () => {
  const folder = await me.folder(`shown ${MARKED}`);
  const { body } = await me.upload(MARKED, "x", { folder: String(folder) });
  const download = await me.send(`/files/${body.data.id}/download`);
  expect(download.headers.get("content-disposition")).toBe(
    `attachment; filename="____ (1)_ _Q3_.txt"; filename*=UTF-8''${encodeURIComponent(MARKED).replaceAll("(", "%28").replaceAll(")", "%29")}`,
  );
  const archive = await (await me.send(`/folders/${folder}/archive`)).bytes();
  expect(JSON.stringify(await readArchive(Buffer.from(archive)))).toContain(
    JSON.stringify(MARKED).slice(1, -1),
  );
  const share = await me.call("POST", `/folders/${folder}/share`, {});
  const page = await (await fetch(share.body.data.url, { headers: { Accept: "text/html" } })).text();
  expect(page).toContain(`<bdi>${MARKED}</bdi>`);
  const found = await me.call("GET", `/files/search?q=${encodeURIComponent("\u05d3\u05d5\u05d7 (1)")}`);
  expect(JSON.stringify(found.body)).toContain(MARKED);
});
