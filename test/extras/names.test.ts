/** One rule for names on every way in, by one table. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readArchive } from "../../src/files/archive/archive.test-support.ts";
import { type DriveClient, driveClient, fileHead, FORM_TYPE, formOf } from "../support/drive.ts";
import { createPingvin } from "../support/pingvin.ts";
import type { Client } from "../support/session.ts";
import { startShared } from "../support/shared-server.ts";
import { stranger, TUS } from "../support/stranger.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

/** Marks of direction are not letters, so that each shows by itself whether it is kept. */
const MARKED = "\u200f\u05d3\u05d5\u05d7 (1)\u200f \u200eQ3\u061c.txt";

/** The names that are stored; null: refused. */
type Row = { given: string; strict: string | null; webdav: string | null; tolerant: string };
const refused = (given: string, tolerant: string): Row => ({ given, strict: null, webdav: null, tolerant });
const kept = (given: string, stored = given): Row => ({
  given,
  strict: stored,
  webdav: stored,
  tolerant: stored,
});
const cleaned = (given: string, stored: string): Row => ({ ...kept(stored), given, strict: null });
const TABLE: readonly Row[] = [
  kept(MARKED),
  kept("a\u200c\u200db"),
  kept("cafe\u0301", "caf\u00e9"),
  cleaned(" both \u3000", "both"),
  cleaned("end.txt ", "end.txt"),
  cleaned("a\\b.txt", "a_b.txt"),
  cleaned("\\ ", "_"),
  refused("in\u202egp\u2067j\u2069.exe", "ingpj.exe"),
  refused("a\u0007b", "ab"),
  refused("\u200f\u200e\u061c", "file"),
];

let installation: Installation;
let server: RunningWaymark;
let client: Client;
let me: DriveClient;
beforeAll(async () => {
  ({ installation, server, client } = await startShared());
  me = driveClient(server.url, client.token);
});
afterAll(() => installation?.remove());

const namesIn = async (folder: number): Promise<string[]> => {
  const { files, folders } = (await me.call("GET", `/folders/${folder}`)).body.data;
  return [...folders, ...files].map(({ name }: { name: string }) => name);
};

/** Returns the status of the response. */
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

const COLUMNS = ["strict", "webdav", "tolerant"] as const;
type Column = (typeof COLUMNS)[number];
const davTo = async (method: "COPY" | "MOVE", name: string, folder: number, path: string) => {
  const old = crypto.randomUUID();
  await uploaded(folder, old);
  const Destination = `${server.url}/admin/dav/files/${path}/${encodeURIComponent(name)}`;
  return dav(method, `${path}/${old}`, { headers: { Destination } });
};

const WAYS: Record<Column, Record<string, Way>> = {
  strict: {
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
    "a copy of a file": async (name, folder) =>
      (await me.call("POST", `/files/${await uploaded(folder)}/copy`, { name })).status,
    "a copy of a folder": async (name, folder) => {
      const id = await me.folder(crypto.randomUUID(), folder);
      return (await me.call("POST", `/folders/${id}/copy`, { name })).status;
    },
    "a restored file": async (name, folder) => {
      const id = await uploaded(folder);
      await me.call("POST", `/files/${id}/trash`);
      return (await me.call("POST", `/trash/${id}/restore`, { name })).status;
    },
  },
  webdav: {
    PUT: (name, _, path) => dav("PUT", `${path}/${encodeURIComponent(name)}`, { body: "x" }),
    MKCOL: (name, _, path) => dav("MKCOL", `${path}/${encodeURIComponent(name)}`),
    COPY: (name, folder, path) => davTo("COPY", name, folder, path),
    MOVE: (name, folder, path) => davTo("MOVE", name, folder, path),
  },
  tolerant: {
    "a drop box": async (name, folder) => {
      const { body } = await me.call("POST", `/folders/${folder}/drop`, { max_bytes: 1000, max_files: 9 });
      return (await stranger().send(body.data.url, form(name))).status;
    },
    "a resumable upload to a drop box": async (name, folder) => {
      const { body } = await me.call("POST", `/folders/${folder}/drop`, { max_bytes: 1000, max_files: 9 });
      const headers = { ...TUS, "Upload-Length": "0", "Upload-Metadata": `filename ${base64(name)}` };
      return (await stranger().send(body.data.url, { method: "POST", headers })).status;
    },
    "a folder sent to a drop box": async (name, folder) => {
      const { body } = await me.call("POST", `/folders/${folder}/drop`, { max_bytes: 1000, max_files: 9 });
      const metadata = `filename ${base64(`${name}/a.txt`)}`;
      const headers = { ...TUS, "Upload-Length": "0", "Upload-Metadata": metadata };
      return (await stranger().send(body.data.url, { method: "POST", headers })).status;
    },
    "a shared folder": async (name, folder) => {
      const { body } = await me.call("POST", `/folders/${folder}/share`, { add: true });
      return (await stranger().send(body.data.url, form(name))).status;
    },
  },
};

for (const column of COLUMNS) {
  test.each(Object.entries(WAYS[column]))(
    `%s takes names as the table says (${column})`,
    async (way, send) => {
      const path = `${column} ${way.replaceAll(/\W/g, " ")}`;
      const folder = await me.folder(path);
      for (const row of TABLE) {
        const stored = row[column];
        const status = await send(row.given, folder, encodeURIComponent(path));
        expect([row.given, stored === null ? status : status < 300]).toEqual([
          row.given,
          stored === null ? 400 : true,
        ]);
        if (stored !== null) expect(await namesIn(folder)).toContain(stored);
      }
    },
  );
}

test("WebDAV finds an entry by the name that a client gave it", async () => {
  await me.folder("asked");
  for (const { given, webdav } of TABLE.filter((row) => row.webdav !== null)) {
    const path = `asked/${encodeURIComponent(given)}`;
    expect([given, await dav("PUT", path, { body: webdav! })]).toEqual([given, 201]);
    expect([given, await dav("GET", path), await dav("DELETE", path)]).toEqual([given, 200, 204]);
  }
});

/** A folder with a file for each row whose name systems allow. */
const FILES = TABLE.filter(({ given }) => !given.includes("\u0301"));

test("the command sends what can be a name, and names the rest", async () => {
  const source = mkdtempSync(join(tmpdir(), "waymark-names-"));
  mkdirSync(join(source, MARKED));
  for (const { given } of FILES) writeFileSync(join(source, MARKED, given), "x");
  const strict = FILES.flatMap(({ strict: stored }) => stored ?? []);
  const put = await installation.cli(["files", "put", source, "commanded", "--json"]);
  const report = JSON.parse(put.stdout);
  expect(report).toMatchObject({ uploaded: strict.length, failed: FILES.length - strict.length });
  const listed = await installation.run(["files", "ls", `commanded/${MARKED}`, "--json"]);
  for (const name of strict) expect(listed).toContain(JSON.stringify(name));
  rmSync(source, { recursive: true });
});

test("an import makes names of all", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-names-"));
  const schema = readFileSync(new URL("../fixtures/imports/pingvin.sql", import.meta.url), "utf8");
  const pingvin = createPingvin(folder, schema);
  pingvin.share({ id: "names", files: Object.fromEntries(TABLE.map(({ given }) => [given, "x"])) });
  await installation.run(["import", "pingvin", folder]);
  const product = (await me.call("GET", "/folders")).body.data.folders.find(({ name }: { name: string }) =>
    name.startsWith("Pingvin"),
  );
  const [share] = (await me.call("GET", `/folders/${product.id}`)).body.data.folders;
  expect((await namesIn(share.id)).toSorted()).toEqual(TABLE.map(({ tolerant }) => tolerant).toSorted());
  rmSync(folder, { recursive: true });
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
