/** Addresses as clients join them and as they are below the path of a proxy, in targets, headers and responses. */
import { createDavRoom } from "./dav.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createHttpApp, type HttpApp } from "../../platform/http/app.ts";
import { CONNECTION, CORS_OFF } from "../../platform/http/app.test-support.ts";
import { createBodyMemory } from "../../platform/http/body-memory.ts";
import type { Caller } from "../../platform/http/endpoint.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type DriveHarness, startDrive } from "../../files/drive.test-support.ts";

const DRIVE = "/admin/dav/files";
const LOCK = `<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope></lockinfo>`;
const SET = `<propertyupdate xmlns="DAV:"><set><prop><x xmlns="urn:x">1</x></prop></set></propertyupdate>`;

forEachDialect(
  ({ openDb }) => {
    let at: DriveHarness;
    let app: HttpApp;
    let caller: Caller;
    beforeAll(async () => {
      at = await startDrive(await openDb());
      const door = {
        prefix: "/admin/dav",
        identify: async () => caller,
        refuseForeign() {},
        bodies: createBodyMemory(),
      };
      app = createHttpApp({
        tables: [],
        others: [createDavRoom({ database: at.database, drive: at, ...door })],
        gates: [],
        cors: () => CORS_OFF,
        newRequestId: () => "1",
        logger: silentLogger,
      });
    });
    beforeEach(async () => {
      caller = { id: await at.account(), username: "anna", role: "user", via: "token" };
    });
    afterAll(() => at?.close());

    const ask = async (
      method: string,
      address: string,
      { body, prefix = "", ...headers }: Record<string, string> = {},
    ) => {
      const init = { method, headers, ...(body !== undefined && { body }) };
      const connection = { ...CONNECTION, prefix: () => prefix };
      const response = await app.fetch(new Request(`http://localhost${address}`, init), connection);
      return { status: response.status, text: await response.text() };
    };
    const status = async (...given: Parameters<typeof ask>) => (await ask(...given)).status;
    const hrefs = (text: string) =>
      [...text.matchAll(/<D:response><D:href>([^<]*)/g)].map(([, href]) => href);

    describe("slashes in a row count as one", () => {
      test.each([
        ["in the target", "/admin/dav/files//f///", "a//x"],
        ["before the drive", "/admin/dav//files/f/", "a/x"],
        ["before WebDAV", "/admin//dav/files/f/", "a/x"],
        ["at the start", "//admin/dav/files/f/", "a/x"],
      ])("%s, by every method", async (_, folder, file) => {
        expect(await status("MKCOL", `${DRIVE}/f`)).toBe(201);
        expect(await status("MKCOL", `${folder}a`)).toBe(201);
        expect(await status("PUT", folder + file, { body: "x" })).toBe(201);
        expect(await ask("GET", `${DRIVE}/f/a/x`)).toEqual({ status: 200, text: "x" });
        expect(await status("GET", folder + file)).toBe(200);
        expect(await status("HEAD", folder + file)).toBe(200);
        expect(await status("OPTIONS", folder + file)).toBe(200);
        expect(hrefs((await ask("PROPFIND", folder + file, { Depth: "0" })).text)).toEqual([
          `${DRIVE}/f/a/x`,
        ]);
        expect(await status("PROPPATCH", folder + file, { body: SET })).toBe(207);
        const locked = await ask("LOCK", folder + file, { body: LOCK });
        expect(locked.status).toBe(200);
        const [, token] = /<D:locktoken><D:href>([^<]*)/.exec(locked.text)!;
        expect(await status("PUT", `${DRIVE}/f/a/x`, { body: "y" })).toBe(423);
        expect(await status("UNLOCK", folder + file, { "Lock-Token": `<${token}>` })).toBe(204);
        expect(await status("COPY", `${DRIVE}/f/a/x`, { Destination: `${folder}a/copy` })).toBe(201);
        const destination = `http://elsewhere.example${folder}/a//moved`;
        expect(await status("MOVE", folder + file, { Destination: destination })).toBe(201);
        expect(await status("GET", `${DRIVE}/f/a/moved`)).toBe(200);
        // Of an address in If the state counts, not that of the target.
        const tagged = await ask("LOCK", `${DRIVE}/f/a`, { body: LOCK });
        const [, held] = /<D:locktoken><D:href>([^<]*)/.exec(tagged.text)!;
        expect(await status("PUT", `${DRIVE}/f/a/copy`, { If: `<${folder}a/> (<${held}>)`, body: "z" })).toBe(
          204,
        );
        expect(await status("DELETE", `${folder}a`, { If: `<${folder}a> (<${held}>)` })).toBe(204);
        expect(await status("GET", `${DRIVE}/f/a/copy`)).toBe(404);
      });
    });

    test("below the path of a proxy responses name it, and headers may", async () => {
      const prefix = "/go";
      expect(await status("MKCOL", `${DRIVE}/f`, { prefix })).toBe(201);
      expect(await status("PUT", `${DRIVE}/f/a`, { prefix, body: "x" })).toBe(201);
      const listed = await ask("PROPFIND", `${DRIVE}/f`, { prefix, Depth: "1" });
      expect(hrefs(listed.text)).toEqual([`/go${DRIVE}/f/`, `/go${DRIVE}/f/a`]);
      const above = await ask("PROPFIND", "/admin/dav/", { prefix, Depth: "1" });
      expect(hrefs(above.text)).toEqual(["/go/admin/dav/", "/go/admin/dav/files/", "/go/admin/dav/teams/"]);
      const locked = await ask("LOCK", `${DRIVE}/f`, { prefix, body: LOCK });
      expect(locked.text).toContain(`<D:lockroot><D:href>/go${DRIVE}/f`);
      const [, token] = /<D:locktoken><D:href>([^<]*)/.exec(locked.text)!;
      const If = `<http://a.example/go${DRIVE}/f> (<${token}>)`;
      const move = (from: string, Destination: string) =>
        status("MOVE", `${DRIVE}/f/${from}`, { prefix, Destination, If });
      expect(await move("a", `https://a.example/go${DRIVE}/f/b`)).toBe(201);
      // Some proxies take their path off.
      expect(await move("b", `${DRIVE}/f/c`)).toBe(201);
      expect(await move("c", `/other${DRIVE}/f/d`)).toBe(502);
      expect(await status("GET", `${DRIVE}/f/c`, { prefix })).toBe(200);
      const refused = await ask("PUT", `${DRIVE}/f/c`, { prefix, body: "y" });
      expect([refused.status, refused.text.includes(`<D:href>/go${DRIVE}/f`)]).toEqual([423, true]);
    });
  },
  ["sqlite"],
);
