/** ZIP archives of folders from a running server: headers, bytes, and what becomes of them if something goes wrong. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { readArchive } from "../src/files/archive/archive.test-support.ts";
import { startShared } from "./support/shared-server.ts";
import { createFolderOn, storagesFor } from "./support/storages.ts";
import { driveClient, type DriveClient } from "./support/drive.ts";
import type { Client } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const MIB = 1024 * 1024;
/** More than the buffers of a connection hold. */
const LARGE = new Uint8Array(40 * MIB).fill(120);

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let me: DriveClient;
beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared("archives"));
  me = driveClient(server.url, admin.token);
});
afterAll(() => installation?.remove());

const upload = async (folder: number, name: string, content: string | Uint8Array<ArrayBuffer>) =>
  (await me.upload(name, content, { folder: String(folder) })).body.data.id as number;

/** A GET on its own connection that takes nothing after the first bytes, until told to take the rest. */
async function begin(path: string) {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  const chunks: Buffer[] = [];
  const first = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    socket.pause();
    first.resolve();
  });
  socket.on("close", () => closed.resolve());
  socket.on("error", () => {});
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${me.token}\r\n\r\n`,
  );
  await first.promise;
  return {
    leave: () => void socket.destroy(),
    /** The body, and whether it came to its end. */
    async rest(): Promise<{ body: Buffer; isWhole: boolean }> {
      socket.removeAllListeners("data");
      socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
      socket.resume();
      await closed.promise;
      const bytes = Buffer.concat(chunks);
      const end = bytes.indexOf("\r\n\r\n") + 4;
      const head = bytes.toString("latin1", 0, end);
      expect(head).toStartWith("HTTP/1.1 200 OK\r\n");
      expect(head).not.toMatch(/transfer-encoding/i);
      const body = bytes.subarray(end);
      return { body, isWhole: body.length === Number(/^content-length: (\d+)\r$/im.exec(head)?.[1]) };
    },
  };
}

const lengthOf = async (path: string): Promise<number> =>
  Number((await me.send(path, { method: "HEAD" })).headers.get("content-length"));

/** Of a local storage. */
function storedPath(id: string): string {
  const base = join(installation.dataDir, "files");
  const name = readdirSync(base, { recursive: true, encoding: "utf8" }).find((path) => path.includes(id));
  return join(base, name!);
}

const openFiles = (): string[] =>
  readdirSync(`/proc/${server.process.pid}/fd`).flatMap((fd) => {
    try {
      const { dev, ino } = statSync(`/proc/${server.process.pid}/fd/${fd}`);
      return `${dev}:${ino}`;
    } catch {
      return [];
    }
  });

describe.each(storagesFor("archives"))("an archive of a folder on %s", (storage, policy) => {
  let folder: number;
  beforeAll(async () => {
    folder = await createFolderOn(me, `Größe „${storage}“ (1)`, policy);
    await upload(folder, "first.bin", LARGE);
    const inner = await me.folder("inner", folder);
    await me.folder("empty", folder);
    await upload(inner, "readme", "text");
    await upload(inner, "nothing", "");
  });

  test("has its length and name, and common programs read it", async () => {
    const answer = await me.send(`/folders/${folder}/archive`);
    expect(answer.status).toBe(200);
    const bytes = await answer.bytes();
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/zip",
      "content-disposition": `attachment; filename="Gr__e _${storage}_ (1).zip"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%80%9E${storage}%E2%80%9C%20%281%29.zip`,
      "accept-ranges": "none",
      "x-content-type-options": "nosniff",
    });
    expect(readArchive(bytes).map(([name, size]) => [name, size])).toEqual([
      ["first.bin", LARGE.length],
      ["empty/", 0],
      ["inner/", 0],
      ["inner/nothing", 0],
      ["inner/readme", 4],
    ]);
    const head = await me.send(`/folders/${folder}/archive`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      String(bytes.length),
      "",
    ]);
    const part = await me.send(`/folders/${folder}/archive`, { headers: { Range: "bytes=0-9" } });
    expect([part.status, (await part.bytes()).length]).toEqual([200, bytes.length]);
  });

  test("stays the same although the folder is renamed, moved and gets files meanwhile", async () => {
    const top = await createFolderOn(me, `moved ${storage}`, policy && { ...policy, name: "second bucket" });
    const inner = await me.folder("inner", top);
    await upload(top, "first.bin", LARGE);
    const last = await upload(inner, "last", "the end");
    const length = await lengthOf(`/folders/${top}/archive`);
    const reading = await begin(`/folders/${top}/archive`);
    const elsewhere = await me.folder(`elsewhere ${storage}`);
    await me.call("PATCH", `/files/${last}`, { name: "renamed" });
    await me.call("PATCH", `/folders/${inner}`, { name: "also renamed", parent_id: elsewhere });
    await me.call("PATCH", `/folders/${top}`, { parent_id: elsewhere });
    await upload(inner, "new", "new");
    const { body, isWhole } = await reading.rest();
    expect([isWhole, body.length]).toEqual([true, length]);
    expect(readArchive(body).map(([name, , text]) => [name, text.slice(0, 8)])).toEqual([
      ["first.bin", "xxxxxxxx"],
      ["inner/", ""],
      ["inner/last", "the end"],
    ]);
  });

  test("is cut where a file was deleted before its turn, and when its folder is emptied", async () => {
    for (const whole of [false, true]) {
      const top = await me.folder(`deleted ${storage} ${whole}`, folder);
      await upload(top, "first.bin", LARGE);
      const inner = await me.folder("inner", top);
      const last = await upload(inner, "last", `unique to ${storage} ${whole}`);
      const length = await lengthOf(`/folders/${top}/archive`);
      const reading = await begin(`/folders/${top}/archive`);
      const gone = whole ? `/folders/${inner}` : `/files/${last}`;
      expect((await me.call("DELETE", gone)).status).toBe(200);
      const { body, isWhole } = await reading.rest();
      expect(isWhole).toBe(false);
      expect(body.length).toBeLessThan(length);
      await me.call("DELETE", `/folders/${top}`);
    }
  });
});

describe("an archive", () => {
  test("is refused for folders of others and unknown ones, and without signing in", async () => {
    await admin.call("POST", "/users", {
      username: "archives.other",
      password: "a long password",
      role: "user",
    });
    const id = await me.folder("mine only");
    expect((await fetch(`${server.url}/folders/${id}/archive`)).status).toBe(401);
    expect(await me.refusal("GET", "/folders/999999999/archive")).toEqual([404, 7001]);
    expect(await me.refusal("GET", "/folders/x/archive")).toEqual([404, 7001]);
  });

  test("of an empty folder is a ZIP file without entries", async () => {
    const answer = await me.send(`/folders/${await me.folder("empty one")}/archive`);
    expect((await answer.bytes()).length).toBe(22);
  });

  test("is refused if it is short or its first file can't be read, else cut where one is missing or short", async () => {
    for (const harm of ["removed", "cut"] as const) {
      const top = await me.folder(`harmed ${harm}`);
      const first = await upload(top, "a", LARGE);
      const id = await upload(top, "b", `harmed ${harm}`);
      const { sha256 } = (await me.call("GET", `/files/${id}`)).body.data;
      if (harm === "removed") rmSync(storedPath(sha256));
      else truncateSync(storedPath(sha256), 3);
      expect((await (await begin(`/folders/${top}/archive`)).rest()).isWhole).toBe(false);
      await me.call("PATCH", `/files/${first}`, { name: "c" });
      expect(await me.refusal("GET", `/folders/${top}/archive`)).toEqual([502, 7030]);
      await me.call("DELETE", `/files/${first}`);
      expect(await me.refusal("GET", `/folders/${top}/archive`)).toEqual([502, 7030]);
      await me.call("DELETE", `/folders/${top}`);
    }
  });

  test("of one piece has its length", async () => {
    const top = await me.folder("short");
    await upload(top, "a", "some text");
    const answer = await me.send(`/folders/${top}/archive`);
    const bytes = await answer.bytes();
    expect(answer.headers.get("content-length")).toBe(String(bytes.length));
    expect(readArchive(bytes)).toEqual([["a", 9, "some text"]]);
  });

  test("closes what it reads when the client leaves", async () => {
    const top = await me.folder("left");
    // Content of its own: what other tests removed may still lie there.
    const id = await upload(top, "first.bin", new Uint8Array(LARGE).fill(121));
    const { dev, ino } = statSync(storedPath((await me.call("GET", `/files/${id}`)).body.data.sha256));
    const isOpen = () => openFiles().includes(`${dev}:${ino}`);
    const readings = [];
    for (let i = 0; i < 3; i++) readings.push(await begin(`/folders/${top}/archive`));
    await until(isOpen);
    for (const { leave } of readings) leave();
    await until(() => !isOpen());
  });
});
