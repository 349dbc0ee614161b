import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpackTar } from "modern-tar";
import { openSnapshot } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { tryFileLock } from "../../lib/file-lock.ts";
import { silentLogger } from "../../lib/logger.ts";
import { internalTarget } from "../../links/link/internal-target.ts";
import { DAY, openLinks } from "../../links/links.test-support.ts";
import { makeBundle, readDatabase, withBundle, createSigner } from "./bundle.ts";
import { successorFolder, prepareFolder, readMark } from "./data.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-successor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const signer = createSigner(new Uint8Array(32).fill(7));

forEachDialect((dialect) => {
  const path = join(folder, `${dialect.name}.tar.gz`);
  let room: Awaited<ReturnType<typeof openLinks>>;
  const make = (to = path) =>
    makeBundle(to, {
      database: room.database,
      signer,
      publicUrl: "https://go.test:8443",
      waitingPage: "<p>Not now</p>",
      now: room.clock.now(),
      onProgress() {},
    });

  beforeAll(async () => {
    room = await openLinks(await dialect.openDb());
    const { links, clock, database } = room;
    const well_known = [{ name: "assetlinks.json", text: "[]" }];
    await links.domainService.create({ host: "b.test", well_known }, COMMAND);
    const setting = { key: "features.well_known", value: JSON.stringify(JSON.stringify(well_known)) };
    await database.write
      .insertInto("settings")
      .values({ ...setting, updated_at: 0, updated_by: "cli" })
      .execute();
    const made = [
      { code: "Plain", target: 'https://a.test/?x="<y>&z' },
      { code: "plain", target: "https://a.test/lower" },
      { code: "plain", target: "https://a.test/other", domain: "b.test" },
      { code: "a", target: "https://a.test/a" },
      { code: "a/b", target: "https://a.test/a/b" },
      { code: "a.html/b", target: "https://a.test/unfit" },
      { code: "index", target: "https://a.test/index" },
      { code: "locked", target: "https://secret.test/locked", password: "correct horse" },
      { code: "limited", target: "https://secret.test/limited", max_clicks: 3, note: "secret.test note" },
      { code: "early", target: "https://secret.test/early", starts_at: "7d" },
      { code: "over", target: "https://secret.test/over", expires_at: "1d" },
      {
        code: "later",
        target: "https://secret.test/later",
        expires_at: "1d",
        fallback_url: "https://a.test/fb",
      },
      {
        code: "ending",
        target: "https://a.test/ending",
        expires_at: "7d",
        fallback_url: "https://a.test/fb",
      },
    ];
    for (const link of made) await links.create(link);
    await links.patch("index", { code: "renamed", keep_old: true });
    await links.uses.take((await links.get("limited")).id);
    await database.write
      .updateTable("links")
      .set({ target: internalTarget("file", 1) })
      .where("code", "=", (await links.create({ code: "share", target: "https://a.test/" })).code)
      .execute();
    clock.time += 2 * DAY;
  });

  test("a bundle has a page for each public code, and tells nobody where the others lead", async () => {
    const manifest = await make();
    expect(manifest).toMatchObject({
      links: 13,
      left_out: 1,
      hosts: ["b.test", "go.test"],
      pages: 9,
      without: { locked: 1, limited: 1, held: 0, expired: 1, not_started: 1, unfit: 1 },
      differ_in_case_only: 2,
      signed_by: signer.publicKey,
    });
    const entries = await unpackTar(Bun.gunzipSync(await Bun.file(path).bytes()));
    const texts = new Map(entries.map(({ header, data }) => [header.name, new TextDecoder().decode(data)]));
    const site = [...texts.keys()].filter((name) => name.startsWith("site/"));
    expect(site.map((name) => name.slice("site/".length)).sort()).toEqual([
      "b.test/plain.html",
      ...["Plain", "a", "a/b", "ending", "index", "later", "limited", "locked", "plain", "renamed"].map(
        (code) => `go.test/${code}.html`,
      ),
    ]);
    expect(texts.get("site/go.test/Plain.html")).toContain(
      'content="0; url=https://a.test/?x=&quot;&lt;y&gt;&amp;z"',
    );
    expect(texts.get("site/b.test/plain.html")).toContain("url=https://a.test/other");
    expect(texts.get("site/go.test/index.html")).toBe(texts.get("site/go.test/renamed.html")!);
    expect(texts.get("site/go.test/locked.html")).toBe("<p>Not now</p>");
    expect(site.filter((name) => texts.get(name)!.includes("secret.test"))).toEqual([]);
    expect(JSON.parse(texts.get("manifest.json")!)).toEqual(manifest);
    expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("codes of a domain that ignores case have a page in capitals too, as QR codes have them", async () => {
    const { links, database } = room;
    await links.domainService.create({ host: "c.test", ignore_case: true }, COMMAND);
    await links.create({ code: "sale/x-1", target: "https://a.test/sale", domain: "c.test" });
    await links.create({ code: "77", target: "https://a.test/digits", domain: "c.test" });
    const setting = { key: "links.ignore_case", value: "true", updated_at: 0, updated_by: "cli" };
    await database.write.insertInto("settings").values(setting).execute();
    const capitals = join(folder, `${dialect.name}-capitals.tar.gz`);
    const { pages } = await make(capitals);
    const entries = await unpackTar(Bun.gunzipSync(await Bun.file(capitals).bytes()));
    const site = entries.map(({ header }) => header.name).filter((name) => name.startsWith("site/c.test/"));
    expect(site.sort()).toEqual([
      "site/c.test/77.html",
      "site/c.test/SALE/X-1.html",
      "site/c.test/sale/x-1.html",
    ]);
    expect(entries.map(({ header }) => header.name)).toContain("site/go.test/LOCKED.html");
    expect(pages).toBe(11);
    await database.write.deleteFrom("settings").where("key", "=", "links.ignore_case").execute();
    for (const code of ["sale/x-1", "77"]) await links.remove(links.domains.key(code, "c.test"));
  });

  test("its database has the links as they are, with aliases and uses, and nothing of people", async () => {
    await make();
    const copied = join(folder, `${dialect.name}.db`);
    await withBundle(path, signer.publicKey, (bundle) => readDatabase(bundle, copied));
    const copy = await openSnapshot(copied, silentLogger);
    try {
      const whole = ["link_uses", "link_aliases", "domain_documents"] as const;
      const all = (db: typeof copy.read, table: (typeof whole)[number] | "instance") =>
        db.selectFrom(table).selectAll().execute();
      const links = (db: typeof copy.read) =>
        db
          .selectFrom("links")
          .select(["id", "code", "target", "expires_at", "password_hash", "options"])
          .where("target", "not like", "waymark:%")
          .orderBy("id")
          .execute();
      expect(await links(copy.read)).toEqual(await links(room.database.read));
      const { title, note } = await copy.read
        .selectFrom("links")
        .select((eb) => [eb.fn.count("title").as("title"), eb.fn.count("note").as("note")])
        .executeTakeFirstOrThrow();
      expect([title, note]).toEqual([0, 0]);
      const documents = copy.read
        .selectFrom("settings")
        .select("value")
        .where("key", "=", "features.well_known");
      expect((await documents.executeTakeFirst())?.value).toContain("assetlinks.json");
      expect(await all(copy.read, "domain_documents")).toHaveLength(1);
      for (const table of whole) {
        expect(await all(copy.read, table)).toEqual(await all(room.database.read, table));
      }
      const uuid = (rows: unknown[]) => (rows[0] as { uuid: string }).uuid;
      expect(uuid(await all(copy.read, "instance"))).toBe(uuid(await all(room.database.read, "instance")));
    } finally {
      await copy.close();
    }
  });

  if (dialect.name === "sqlite")
    test("while a command writes a bundle, another one of that name is refused", async () => {
      const other = join(folder, "twice.tar.gz");
      mkdirSync(`${other}.part`);
      const lock = tryFileLock(join(`${other}.part`, "lock"))!;
      await Bun.write(join(`${other}.part`, "copy.db"), "half");
      expect(await make(other).catch((error: Error) => error.message)).toContain("Another command writes");
      lock.release();
      await make(other);
      expect(readdirSync(folder).filter((name) => name.startsWith("twice"))).toEqual(["twice.tar.gz"]);
    });
});

test("what is no whole bundle of the expected key is refused in a sentence", async () => {
  const path = join(folder, "sqlite.tar.gz");
  const bytes = await Bun.file(path).bytes();
  const refusal = async (some: Uint8Array, key?: string) => {
    const other = join(folder, "other.tar.gz");
    await Bun.write(other, some);
    return withBundle(other, key, async () => "taken").catch((error: Error) => error.message);
  };
  const changed = (at: number) => bytes.with(at, bytes.at(at)! ^ 1);
  expect(await refusal(bytes)).toBe("taken");
  for (const at of [20, bytes.length >> 1, bytes.length - 130, bytes.length - 60]) {
    expect(await refusal(changed(at))).toContain("was changed or damaged: its signature does not fit.");
  }
  for (const cut of [bytes.subarray(0, -1), bytes.subarray(0, 1_000), new Uint8Array(0)]) {
    expect(await refusal(cut)).toContain("is no whole successor bundle. It may be cut short");
  }
  await expect(withBundle(folder, undefined, async () => 1)).rejects.toThrow("is no whole successor bundle");
  const stranger = createSigner(new Uint8Array(32)).publicKey;
  expect(await refusal(bytes, stranger)).toContain(`is signed by the key ${signer.publicKey}, not by`);
  expect(await withBundle(join(folder, "none"), undefined, async () => 1).catch(String)).toContain(
    "can't be opened",
  );
});

test("a folder belongs to one bundle, and an unfinished one is made again", async () => {
  const path = join(folder, "served.tar.gz");
  await Bun.write(path, Bun.file(join(folder, "sqlite.tar.gz")));
  await Bun.write(join(`${successorFolder(path)}.part`, "waymark.db"), "half");
  const mark = await prepareFolder(path, undefined);
  expect(await prepareFolder(path, signer.publicKey)).toEqual(mark);
  expect(readMark(successorFolder(path))!.id).toBe(mark.id);
  const bytes = await Bun.file(path).bytes();
  const digest = new Bun.CryptoHasher("sha512").update(bytes).digest();
  await Bun.write(path, Buffer.concat([bytes, signer.trailer(digest)]));
  expect(await prepareFolder(path, undefined).catch((error: Error) => error.message)).toContain(
    "has its clicks",
  );
});
