/** WebDAV in a folder of the server: what fails leaves every file of the disk in its place. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createHttpApp, type HttpApp } from "../../platform/http/app.ts";
import { CONNECTION, CORS_OFF } from "../../platform/http/app.test-support.ts";
import { createBodyMemory } from "../../platform/http/body-memory.ts";
import { silentLogger } from "../../lib/logger.ts";
import { linkPhotos } from "../../files/linked/linked.test-support.ts";
import { createDavRoom } from "./dav.ts";

forEachDialect((dialect) => {
  let photos: Awaited<ReturnType<typeof linkPhotos>>;
  let app: HttpApp;
  beforeAll(async () => {
    photos = await linkPhotos(await dialect.openDb(), { quotaBytes: 0, isReadOnly: false });
    const { drive, account: id } = photos;
    const door = {
      prefix: "/admin/dav",
      identify: async () => ({ id, username: "anna", role: "user", via: "token" }) as const,
      refuseForeign() {},
      bodies: createBodyMemory(),
    };
    app = createHttpApp({
      tables: [],
      others: [createDavRoom({ database: drive.database, drive, ...door })],
      gates: [],
      cors: () => CORS_OFF,
      newRequestId: () => "1",
      logger: silentLogger,
    });
  });
  afterAll(() => photos?.close());

  const pathOf = (name: string) => join(photos.root, name);
  const textOf = (name: string) => readFileSync(pathOf(name), "utf8");
  const ask = async (method: string, path: string, given: { body?: string; to?: string } = {}) => {
    const { body, to } = given;
    const headers = { ...(to !== undefined && { Destination: `/admin/dav/files${to}` }) };
    const init = { method, headers, ...(body !== undefined && { body }) };
    const response = await app.fetch(
      new Request(`http://localhost/admin/dav/files${path}`, init),
      CONNECTION,
    );
    await response.body?.cancel();
    return response.status;
  };
  const inTrash = async () => (await photos.drive.trash.page(photos.account, { page: 1, pageSize: 9 })).total;

  test("a copy or move onto a file that is refused leaves it there", async () => {
    expect(await ask("PUT", "/own.txt", { body: "own" })).toBe(201);
    expect(await ask("PUT", "/Photos/b.txt", { body: "second" })).toBe(201);
    for (const [method, from] of [
      ["COPY", "/own.txt"],
      ["MOVE", "/own.txt"],
      ["COPY", "/Photos/b.txt"],
    ] as const) {
      expect([method, from, await ask(method, from, { to: "/Photos/a.txt" })]).toEqual([method, from, 403]);
      expect(textOf("a.txt")).toBe("first");
      expect(await ask("GET", "/Photos/a.txt")).toBe(200);
    }
    expect([await inTrash(), await ask("GET", "/own.txt"), textOf("b.txt")]).toEqual([0, 200, "second"]);
  });

  test("a move whose source is gone from the disk puts the file at the destination back", async () => {
    writeFileSync(pathOf("gone.txt"), "gone");
    await photos.scan();
    rmSync(pathOf("gone.txt"));
    expect(await ask("MOVE", "/Photos/gone.txt", { to: "/Photos/a.txt" })).toBeGreaterThanOrEqual(400);
    expect([textOf("a.txt"), await inTrash()]).toEqual(["first", 0]);
    await photos.scan();
    expect(await ask("GET", "/Photos/a.txt")).toBe(200);
    expect(await ask("MOVE", "/Photos/b.txt", { to: "/Photos/a.txt" })).toBe(204);
    expect([textOf("a.txt"), existsSync(pathOf("b.txt")), await inTrash()]).toEqual(["second", false, 1]);
  });
});
