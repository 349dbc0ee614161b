import { createDavRoom } from "./dav.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createHttpApp, type HttpApp } from "../../platform/http/app.ts";
import { CONNECTION, CORS_OFF } from "../../platform/http/app.test-support.ts";
import { createBodyMemory } from "../../platform/http/body-memory.ts";
import type { Caller } from "../../platform/http/endpoint.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type DriveHarness, startDrive } from "../../files/drive.test-support.ts";

type Headers = Record<string, string>;

const LOCK = `<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><owner><href>mailto:a@b</href></owner></lockinfo>`;
const SHARED = LOCK.replace("exclusive", "shared");
const setting = (xml: string) =>
  `<propertyupdate xmlns="DAV:"><set><prop>${xml}</prop></set></propertyupdate>`;

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let app: HttpApp;
  let caller: Caller;
  const account = async (): Promise<Caller> => ({
    id: await at.account(),
    username: "anna",
    role: "user",
    via: "token",
  });

  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 8 });
    at = await startDrive(database);
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
    caller = await account();
  });
  afterEach(async () => expect(await at.wrongs()).toEqual([]));
  afterAll(() => at?.close());

  const ask = async (method: string, path: string, body?: string, headers: Headers = {}) => {
    const init = { method, headers, ...(body !== undefined && { body }) };
    return app.fetch(new Request(`http://localhost/admin/dav/files${path}`, init), CONNECTION);
  };
  const status = async (...given: Parameters<typeof ask>) => {
    const response = await ask(...given);
    await response.body?.cancel();
    return response.status;
  };
  const to = (path: string, more: Headers = {}) => ({ Destination: `/admin/dav/files${path}`, ...more });
  const content = async (path: string) => (await ask("GET", path)).text();
  const lock = async (path: string, headers: Headers = {}, body = LOCK) =>
    (await ask("LOCK", path, body, headers)).headers.get("Lock-Token") ?? "";
  const list = async (path: string, body?: string) =>
    (await ask("PROPFIND", path, body, { Depth: "1" })).text();
  const hrefs = async (path: string) =>
    [...(await list(path)).matchAll(/<D:response><D:href>([^<]*)/g)].map(([, href]) => href);

  describe("content", () => {
    test("is put, replaced under the same id, and counted once", async () => {
      expect(await status("PUT", "/a.txt", "one")).toBe(201);
      const [file] = (await at.folders.page(caller.id, null, null, 10)).files;
      at.content.time.now += 1_000;
      const response = await ask("PUT", "/a.txt", "other", { "Content-Type": "text/x-other" });
      expect([response.status, response.headers.get("ETag")]).toEqual([
        204,
        (await ask("HEAD", "/a.txt")).headers.get("ETag"),
      ]);
      expect(await at.files.find(caller.id, file!.id)).toMatchObject({
        size: 5,
        mimeType: "text/x-other",
        createdAt: at.content.time.now,
        updatedAt: at.content.time.now,
      });
      expect(await content("/a.txt")).toBe("other");
      expect((await at.files.usage(caller.id)).usedBytes).toBe(8);
      expect((await at.versions.list(caller.id, file!.id)).map(({ size }) => size)).toEqual([3]);
      expect(await status("PUT", "/a.txt", "other")).toBe(204);
      expect(await status("PUT", "/none/a.txt", "x")).toBe(409);
      expect(await status("PUT", "/", "x")).toBe(405);
      expect(await status("PUT", "/b.txt", "x", { "Content-Range": "bytes 0-0/2" })).toBe(400);
    });

    test("has the time that the client sends, also with equal content", async () => {
      const times: string[] = [];
      for (const [text, time] of [
        ["one", "981158400"],
        ["one", "981158401"],
        ["two", "-11644473600"],
      ] as const) {
        const sent = await ask("PUT", "/timed", text, { "X-OC-Mtime": time });
        expect(sent.headers.get("X-OC-Mtime")).toBe("accepted");
        times.push((await ask("GET", "/timed")).headers.get("Last-Modified")!);
      }
      expect(times).toEqual([
        "Sat, 03 Feb 2001 00:00:00 GMT",
        "Sat, 03 Feb 2001 00:00:01 GMT",
        "Mon, 01 Jan 1601 00:00:00 GMT",
      ]);
      expect(await (await ask("PROPFIND", "/timed", undefined, { Depth: "0" })).text()).toContain(
        "<D:getlastmodified>Mon, 01 Jan 1601 00:00:00 GMT</D:getlastmodified>",
      );
      expect(await status("PUT", "/timed", "bad", { "X-OC-Mtime": "yesterday" })).toBe(400);
      expect(await content("/timed")).toBe("two");
    });

    test("of one name that many put at once is one of theirs", async () => {
      const texts = Array.from({ length: 8 }, (_, one) => `content ${one}`);
      const all = await Promise.all(texts.map((text) => status("PUT", "/a", text)));
      expect(all.toSorted()).toEqual([201, ...Array(7).fill(204)]);
      expect(texts).toContain(await content("/a"));
      expect((await at.files.usage(caller.id)).usedBytes).toBe(8 * 9);
    });

    test("stays within the quota", async () => {
      caller = { ...caller, id: await at.account(10) };
      expect(await status("PUT", "/a", "12345678")).toBe(201);
      expect(await status("COPY", "/a", undefined, to("/b"))).toBe(413);
      expect(await status("PUT", "/a", "123456789012")).toBe(413);
      expect(await content("/a")).toBe("12345678");
      expect(
        await list("/", `<propfind xmlns="DAV:"><prop><quota-available-bytes/></prop></propfind>`),
      ).toContain("<D:quota-available-bytes>2</D:quota-available-bytes>");
    });

    test("is written under conditions", async () => {
      const tag = (await ask("PUT", "/a", "one")).headers.get("ETag")!;
      expect(await status("PUT", "/a", "two", { "If-None-Match": "*" })).toBe(412);
      expect(await status("PUT", "/a", "two", { "If-Match": '"x"' })).toBe(412);
      expect(await status("PUT", "/none", "two", { "If-Match": "*" })).toBe(412);
      expect(await status("PUT", "/a", "two", { If: '(["x"])' })).toBe(412);
      expect(await status("PUT", "/a", "two", { If: "(nonsense" })).toBe(400);
      expect(await status("PUT", "/a", "two", { "If-Match": tag })).toBe(204);
    });
  });

  describe("folders", () => {
    test("are made, listed, moved and copied with names of all kinds", async () => {
      const name = "a b%#?&ü'<";
      const path = `/${encodeURIComponent(name)}`;
      expect(await status("MKCOL", `${path}/`)).toBe(201);
      expect(await status("MKCOL", path)).toBe(405);
      expect(await status("MKCOL", "/x/y")).toBe(409);
      expect(await status("MKCOL", "/x", "body", { "Content-Length": "4" })).toBe(415);
      expect(await status("MKCOL", "/x%2Fy")).toBe(400);
      expect(await status("MKCOL", "/%FF")).toBe(400);
      expect(await status("PUT", `${path}/${encodeURIComponent("u\u0308")}`, "x")).toBe(201);
      const href = `/admin/dav/files${path}`.replace("'", "&#39;");
      expect(await hrefs(path)).toEqual([`${href}/`, `${href}/%C3%BC`]);
      expect(await status("MOVE", path, undefined, to("/moved/"))).toBe(201);
      expect(await status("COPY", "/moved", undefined, to("/moved/inside"))).toBe(409);
      expect(await status("COPY", "/moved", undefined, to("/copy"))).toBe(201);
      expect(await status("COPY", "/moved", undefined, to("/bare", { Depth: "0" }))).toBe(201);
      expect(await content("/copy/%C3%BC")).toBe("x");
      expect(await hrefs("/bare")).toHaveLength(1);
      expect(await status("PROPFIND", "/", undefined, {})).toBe(403);
      expect(await status("PROPFIND", "/none", undefined, { Depth: "0" })).toBe(404);
    });

    test("that are replaced or deleted are in the trash", async () => {
      for (const path of ["/a", "/b"]) await status("MKCOL", path);
      await status("PUT", "/b/x", "x");
      expect(await status("MOVE", "/a", undefined, to("/b", { Overwrite: "F" }))).toBe(412);
      expect(await status("MOVE", "/a", undefined, to("/b/c", { Overwrite: "X" }))).toBe(400);
      expect(await status("MOVE", "/a", undefined, to("/none/b"))).toBe(409);
      expect(await status("MOVE", "/b/x", undefined, to("/b"))).toBe(403);
      expect(await status("MOVE", "/a", undefined, to("/a"))).toBe(403);
      expect(await status("MOVE", "/a", undefined, { Destination: "/elsewhere" })).toBe(502);
      expect(await status("MOVE", "/a", undefined, to("/b"))).toBe(204);
      expect(await status("DELETE", "/b")).toBe(204);
      expect(await status("DELETE", "/b")).toBe(404);
      expect(await status("DELETE", "/")).toBe(405);
      const { items } = await at.trash.page(caller.id, { page: 1, pageSize: 10 });
      expect(items.map(({ name }) => name)).toEqual(["b", "b"]);
    });

    test("of many entries are listed in pages", async () => {
      const folder = await at.folder(caller.id, null, "many");
      const row = { kind: "folder" as const, accountId: caller.id, parentId: folder, policyId: null };
      await database.dialect.insertMany(
        database.write,
        "entries",
        Array.from({ length: 450 }, (_, one) => ({
          account_id: row.accountId,
          parent_id: folder,
          kind: "folder",
          name: `f${one}`,
          policy_id: null,
          blob_id: null,
          mime_type: null,
          sha256: null,
          size: 0,
          created_at: 0,
          updated_at: 0,
        })),
      );
      expect(new Set(await hrefs("/many")).size).toBe(451);
    });
  });

  describe("locks", () => {
    test("keep others out until they are released, moved away or expire", async () => {
      const token = await lock("/a", { Timeout: "Second-60" });
      const If = { If: `(${token})` };
      expect(await status("PUT", "/a", "x")).toBe(423);
      expect(await status("DELETE", "/a")).toBe(423);
      expect(await lock("/a")).toBe("");
      expect(await status("PUT", "/a", "x", If)).toBe(204);
      expect(await list("/")).toContain('<D:owner><href xmlns="DAV:">mailto:a@b</href></D:owner>');
      const owner = caller;
      caller = { ...(await account()), id: owner.id, username: "x" };
      expect(await status("UNLOCK", "/b", undefined, { "Lock-Token": token })).toBe(409);
      expect(await status("UNLOCK", "/a", undefined, { "Lock-Token": token })).toBe(204);
      const second = await lock("/a", { Timeout: "Second-60" });
      expect(await status("MOVE", "/a", undefined, to("/b"))).toBe(423);
      expect(await status("MOVE", "/a", undefined, to("/b", { If: `(${second})` }))).toBe(201);
      expect(await status("PUT", "/b", "free")).toBe(204);
      await lock("/b", { Timeout: "Second-60" });
      at.content.time.now += 60_001;
      expect(await status("PUT", "/b", "free")).toBe(204);
    });

    test("of folders hold for what is in them, and are refreshed", async () => {
      await status("MKCOL", "/f");
      const token = await lock("/f", { Timeout: "Second-60" });
      expect(await status("PUT", "/f/x", "x")).toBe(423);
      expect(await status("COPY", "/f", undefined, to("/g"))).toBe(201);
      expect(await status("MOVE", "/g", undefined, to("/f/g"))).toBe(423);
      at.content.time.now += 59_000;
      expect((await ask("LOCK", "/f/x", undefined, { If: `(${token})` })).status).toBe(200);
      at.content.time.now += 59_000;
      expect(await status("PUT", "/f/x", "x")).toBe(423);
      expect(await status("PUT", "/f/x", "x", { If: `</admin/dav/files/f> (${token})` })).toBe(201);
      expect(await status("LOCK", "/f", undefined, { If: "(<urn:x>)" })).toBe(412);
      expect(await status("LOCK", "/f", LOCK, { Depth: "1" })).toBe(400);
    });

    test("of free addresses empty no file that comes meanwhile", async () => {
      for (let one = 0; one < 10; one++) {
        const [put] = await Promise.all([status("PUT", `/${one}`, "x"), lock(`/${one}`)]);
        expect([put, await content(`/${one}`)]).toEqual(put === 423 ? [423, ""] : [put, "x"]);
      }
    });

    test("are taken by one of many, and shared by a bounded number", async () => {
      const all = await Promise.all(Array.from({ length: 5 }, () => lock("/a")));
      expect(all.filter((token) => token !== "")).toHaveLength(1);
      await status("PUT", "/s", "x");
      for (let one = 0; one < 10; one++) expect(await lock("/s", {}, SHARED)).not.toBe("");
      expect(await status("LOCK", "/s", SHARED)).toBe(429);
      expect(await status("LOCK", "/s", LOCK)).toBe(423);
    });
  });

  describe("properties", () => {
    test("are kept, copied, removed, and gone with their entry", async () => {
      await status("PUT", "/a", "x");
      const xml = `<z:p xmlns:z="urn:z" xml:lang="de" z:k="&lt;">a &amp; <b/></z:p><q xmlns="">1</q>`;
      expect(await status("PROPPATCH", "/a", setting(xml))).toBe(207);
      expect(await status("COPY", "/a", undefined, to("/b"))).toBe(201);
      const requested = `<propfind xmlns="DAV:"><prop><p xmlns="urn:z"/><q xmlns=""/><none/></prop></propfind>`;
      const shown = await (await ask("PROPFIND", "/b", requested, { Depth: "0" })).text();
      expect(shown).toContain(
        '<p xmlns="urn:z" xml:lang="de" xmlns:a1="urn:z" a1:k="&#60;">a &#38; <b xmlns="DAV:"></b></p>',
      );
      expect(shown).toContain('<q xmlns="">1</q>');
      expect(shown).toContain("<D:prop><D:none/></D:prop><D:status>HTTP/1.1 404 Not Found</D:status>");
      expect(await (await ask("PROPPATCH", "/b", setting("<getetag>1</getetag><x/>"))).text()).toContain(
        "424",
      );
      const large = setting(`<x>${"x".repeat(20_000)}</x>`);
      expect(await status("PROPPATCH", "/b", large)).toBe(507);
      await at.files.remove(caller.id, (await at.folders.page(caller.id, null, null, 2)).files[0]!.id);
      const rows = await database.read.selectFrom("dav_properties").selectAll().execute();
      expect(rows).toHaveLength(1);
      expect(await status("DELETE", "/b")).toBe(204);
    });

    test("set the time of a file as ownCloud's clients do, with others or not at all", async () => {
      await status("PUT", "/a", "x");
      await status("MKCOL", "/f");
      const time = "<lastmodified>1600000000</lastmodified>";
      const requested = `<propfind xmlns="DAV:"><prop><getlastmodified/><z/></prop></propfind>`;
      const shown = async () => (await ask("PROPFIND", "/a", requested, { Depth: "0" })).text();
      const former = await shown();
      for (const refused of [
        ask("PROPPATCH", "/f", setting(time)),
        ask("PROPPATCH", "/a", setting(`${time}<getetag>1</getetag><z>1</z>`)),
        ask("PROPPATCH", "/a", setting(time).replaceAll("set>", "remove>")),
      ])
        expect(await (await refused).text()).toContain("cannot-modify-protected-property");
      const bad = "<lastmodified>yesterday</lastmodified><z>1</z>";
      expect(await status("PROPPATCH", "/a", setting(bad))).toBe(400);
      expect(await shown()).toBe(former);
      const set = await (await ask("PROPPATCH", "/a", setting(`${time}<z>1</z>`))).text();
      expect(set.match(/<D:prop>.*?<\/D:status>/g)).toEqual([
        "<D:prop><D:lastmodified/></D:prop><D:status>HTTP/1.1 200 OK</D:status>",
        "<D:prop><D:z/></D:prop><D:status>HTTP/1.1 200 OK</D:status>",
      ]);
      expect(await shown()).toContain("<D:getlastmodified>Sun, 13 Sep 2020 12:26:40 GMT</D:getlastmodified>");
      expect(await shown()).toContain('<z xmlns="DAV:">1</z>');
      expect((await ask("GET", "/a")).headers.get("Last-Modified")).toBe("Sun, 13 Sep 2020 12:26:40 GMT");
    });

    test("of a future time stay, and the header says now", async () => {
      const { now } = at.content.time;
      await ask("PUT", "/a", "x", { "X-OC-Mtime": String(Math.floor(now / 1000) + 86_400) });
      const date = (ms: number) => new Date(ms).toUTCString();
      const { headers } = await ask("GET", "/a");
      expect(headers.get("Last-Modified")).toBe(date(now));
      expect(await list("/")).toContain(date(now + 86_400_000));
      const since = { "If-Modified-Since": date(now) };
      expect(await status("GET", "/a", undefined, since)).toBe(304);
    });

    test("are not read from hostile bodies", async () => {
      await status("PUT", "/a", "x");
      const entity = `<!DOCTYPE x [<!ENTITY a "b">]><propfind xmlns="DAV:"><prop><x>&a;</x></prop></propfind>`;
      const deep = `<propfind xmlns="DAV:">${"<x>".repeat(40)}${"</x>".repeat(40)}</propfind>`;
      const many = `<propfind xmlns="DAV:"><prop>${Array.from({ length: 500 }, (_, n) => `<x${n}/>`).join("")}</prop></propfind>`;
      const newer = `<?xml version="1.1"?><propfind xmlns="DAV:"><prop><x>&#1;</x></prop></propfind>`;
      const own = `<propfind xmlns="DAV:"><prop><xml:x/></prop></propfind>`;
      const long = `<propfind xmlns="DAV:"><prop>${`<x/>`.repeat(2_000)}</prop></propfind>`;
      for (const body of [entity, deep, many, newer, own, long, "<a>", "no xml", "<propfind/>"]) {
        expect(await status("PROPFIND", "/a", body, { Depth: "0" })).toBe(400);
      }
      expect(await status("PROPFIND", "/a", `<a>${" ".repeat(32_768)}</a>`, { Depth: "0" })).toBe(413);
    });
  });

  describe("a file onto a file", () => {
    const facts = (name: string) => at.treeParts.repository.child(caller.id, 0, name);
    const inTrash = async () =>
      (await at.trash.page(caller.id, { page: 1, pageSize: 10 })).items.map(({ name }) => name);

    test("that is copied leaves its source, brings its properties, and equal content makes no version", async () => {
      const shown = async (path: string) => (await ask("PROPFIND", path, undefined, { Depth: "0" })).text();
      await status("PUT", "/a", "one");
      await status("PUT", "/b", "other");
      await status("PROPPATCH", "/a", setting(`<x xmlns="urn:x">mine</x>`));
      await status("PROPPATCH", "/b", setting(`<y xmlns="urn:x">theirs</y>`));
      const { id } = (await facts("b"))!;
      for (let round = 0; round < 2; round++) {
        expect(await status("COPY", "/a", undefined, to("/b"))).toBe(204);
        expect(await facts("b")).toMatchObject({ id, size: 3, versionsBytes: 5 });
      }
      expect([await content("/a"), await content("/b"), await inTrash()]).toEqual(["one", "one", []]);
      const all = `<propfind xmlns="DAV:"><prop><x xmlns="urn:x"/><y xmlns="urn:x"/></prop></propfind>`;
      const properties = await (await ask("PROPFIND", "/b", all, { Depth: "0" })).text();
      expect([properties.includes("mine"), properties.includes("theirs")]).toEqual([true, false]);
      expect(await shown("/b")).toContain("<D:getcontentlength>3</D:getcontentlength>");
    });

    test("that is moved needs no room for both, and one with versions of its own takes the place", async () => {
      caller = { ...caller, id: await at.account(8) };
      await status("PUT", "/a", "1234");
      await status("PUT", "/b", "5678");
      expect(await status("MOVE", "/a", undefined, to("/b"))).toBe(204);
      expect(await facts("b")).toMatchObject({ size: 4, versionsBytes: 4 });
      expect((await at.files.usage(caller.id)).usedBytes).toBe(8);
      caller = await account();
      for (const [path, text] of [
        ["/c", "old"],
        ["/c", "new"],
        ["/d", "there"],
      ] as const)
        await status("PUT", path, text);
      const { id } = (await facts("c"))!;
      expect(await status("MOVE", "/c", undefined, to("/d"))).toBe(204);
      expect(await facts("d")).toMatchObject({ id, size: 3, versionsBytes: 3 });
      expect(await inTrash()).toEqual(["d"]);
    });

    test("by many at once loses no content", async () => {
      const texts = Array.from({ length: 6 }, (_, one) => `content ${one}`);
      await status("PUT", "/a", "first");
      for (const [one, text] of texts.entries()) await status("PUT", `/${one}`, text);
      const moved = await Promise.all(texts.map((_, one) => status("MOVE", `/${one}`, undefined, to("/a"))));
      expect(new Set(moved)).toEqual(new Set([204]));
      const versions = await at.versions.list(caller.id, (await facts("a"))!.id);
      expect(versions.map(({ size }) => size)).toEqual([9, 9, 9, 9, 9, 5]);
    });
  });

  describe("what clients write when they save keeps the former content once:", () => {
    const saved = async (path: string): Promise<[present: string, ...former: string[]]> => {
      const name = path.slice(1);
      const entry = await at.treeParts.repository.child(caller.id, 0, name);
      const former = await at.versions.list(caller.id, entry!.id);
      const read = async (id: number) => at.read(await at.versions.fileAt(caller.id, entry!.id, id));
      return [await content(path), ...(await Promise.all(former.map(({ id }) => read(id))))];
    };
    const all = async (...steps: (() => Promise<number>)[]) => {
      for (const step of steps) expect(await step()).toBeLessThan(300);
    };

    test("Finder, which empties the file under a lock", async () => {
      for (const [text, former] of [
        ["one", []],
        ["two", ["one"]],
      ] as const) {
        await all(() => status("PUT", "/a", ""));
        const token = await lock("/a");
        await all(
          () => status("PUT", "/a", text, { If: `(${token})` }),
          () => status("UNLOCK", "/a", undefined, { "Lock-Token": token }),
        );
        expect(await saved("/a")).toEqual([text, ...former]);
      }
    });

    test("Explorer, which sets properties around an empty file and the content", async () => {
      await status("PUT", "/a", "one");
      const times = setting(`<a xmlns="urn:schemas-microsoft-com:">Sun, 29 Nov 2026 10:00:00 GMT</a>`);
      await all(() => status("PUT", "/a", ""));
      const token = await lock("/a");
      const held = { If: `(${token})` };
      await all(
        () => status("PROPPATCH", "/a", times, held),
        () => status("HEAD", "/a"),
        () => status("PUT", "/a", "two", held),
        () => status("PROPPATCH", "/a", times, held),
        () => status("UNLOCK", "/a", undefined, { "Lock-Token": token }),
      );
      expect(await saved("/a")).toEqual(["two", "one"]);
    });

    test("Finder and Office, which move a new file onto the old one, also while they lock it", async () => {
      await status("PUT", "/a.txt", "one");
      const { id } = (await at.treeParts.repository.child(caller.id, 0, "a.txt"))!;
      const token = await lock("/a.txt");
      await all(
        () => status("MKCOL", "/a.sb-1"),
        () => status("PUT", "/a.sb-1/a.txt", ""),
        () => status("PUT", "/a.sb-1/a.txt", "two"),
        () =>
          status(
            "MOVE",
            "/a.sb-1/a.txt",
            undefined,
            to("/a.txt", { If: `</admin/dav/files/a.txt> (${token})` }),
          ),
        () => status("DELETE", "/a.sb-1"),
        () => status("UNLOCK", "/a.txt", undefined, { "Lock-Token": token }),
        () => status("PUT", "/~new.tmp", "three"),
        () => status("MOVE", "/~new.tmp", undefined, to("/a.txt")),
      );
      expect(await saved("/a.txt")).toEqual(["three", "two", "one"]);
      const file = await at.treeParts.repository.child(caller.id, 0, "a.txt");
      expect(file).toMatchObject({ id, mimeType: "text/plain" });
      expect(await hrefs("/")).toEqual(["/admin/dav/files/", "/admin/dav/files/a.txt"]);
      expect((await at.files.usage(caller.id)).usedBytes).toBe(11);
    });

    test("Office, which writes the same content twice; on a network drive it changes names", async () => {
      await status("PUT", "/a", "one");
      const token = await lock("/a");
      await all(
        () => status("PUT", "/a", "two", { If: `(${token})` }),
        () => status("PUT", "/a", "two", { If: `(${token})` }),
        () => status("UNLOCK", "/a", undefined, { "Lock-Token": token }),
      );
      expect(await saved("/a")).toEqual(["two", "one"]);
      await all(
        () => status("PUT", "/new.tmp", "three"),
        () => status("MOVE", "/a", undefined, to("/old.tmp")),
        () => status("MOVE", "/new.tmp", undefined, to("/a")),
      );
      expect(await saved("/old.tmp")).toEqual(["two", "one"]);
      await all(() => status("DELETE", "/old.tmp"));
      expect(await saved("/a")).toEqual(["three"]);
      // The former file is in the trash, with its version.
      const { items } = await at.trash.page(caller.id, { page: 1, pageSize: 10 });
      await at.trash.restore(caller.id, items[0]!.id, {});
      expect(await saved("/old.tmp")).toEqual(["two", "one"]);
    });
  });
});
