/** Shares with their files, from a data folder of Pingvin Share. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPingvin, type Pingvin } from "../../../test/support/pingvin.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { OPTIONS, openImports } from "./imports.test-support.ts";

const SCHEMA = readFileSync(new URL("../../../test/fixtures/imports/pingvin.sql", import.meta.url), "utf8");
/** Of "password of a share", by the parameters of Pingvin Share. */
const HASH =
  "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQxMjM0NTY3OA$+WHzb2p0khzMkZuUdCEZm7jtntlNmMYrER5SV49YrlY";
const PAST = Date.parse("2026-01-01T00:00:00Z");
const FUTURE = Date.parse("2027-01-01T00:00:00Z");

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function newPingvin(): Pingvin {
  const folder = mkdtempSync(join(tmpdir(), "waymark-pingvin-"));
  folders.push(folder);
  return createPingvin(folder, SCHEMA);
}

function fill(pingvin: Pingvin): void {
  pingvin.user("u1", "Anna", "anna@example.com");
  pingvin.user("u2", "stranger", "nobody@example.com");
  pingvin.share({
    id: "report",
    name: "Report 2026",
    description: "See page 3.\nThanks!",
    creatorId: "u1",
    files: { "a.txt": "text of a", "b.bin": new Uint8Array(300_000).fill(7) },
    views: 4,
    expiration: FUTURE,
    password: HASH,
    maxViews: 9,
    recipients: ["Bob@Example.com", "no address"],
  });
  const [, outside] = pingvin.share({
    id: "Tricky_1",
    creatorId: "u2",
    files: { "../../etc/pa\u200Fss\u202Ewd": "same", "linked.txt": "x", "a/b": "same" },
  });
  unlinkSync(pingvin.path("Tricky_1", outside!));
  symlinkSync("/etc/hostname", pingvin.path("Tricky_1", outside!));
  pingvin.share({ id: "ended", files: { "e.txt": "e" }, expiration: PAST });
  pingvin.share({ id: "unfinished", files: { "u.txt": "u" }, uploadLocked: false });
  pingvin.share({ id: "removed", files: {}, removedReason: "malware" });
  pingvin.share({ id: "Favicon", files: {} });
  pingvin.share({ id: "cloud", files: { "c.txt": "c" }, storageProvider: "S3" });
  pingvin.insert("File", { id: "../../../../etc/hostname", name: "host", shareId: "report", size: "9" });
  pingvin.insert("ReverseShare", {
    id: "r",
    token: "reverse",
    shareExpiration: FUTURE,
    maxShareSize: "1000",
    sendEmailNotification: 0,
    remainingUses: 3,
    creatorId: "u1",
  });
}

forEachDialect((dialect) => {
  let room: Awaited<ReturnType<typeof openImports>>;
  beforeAll(async () => {
    room = await openImports(await dialect.openDb());
  });
  afterAll(() => room.close());
  const made = (source: string) => ({ product: "pingvin", source, options: OPTIONS }) as const;

  test("shares come with their files, password, limit and recipients, and undo leaves nothing", async () => {
    const { imports, links, database, drive } = room;
    const anna = await drive.account();
    await database.write
      .insertInto("account_mail")
      .values({ account_id: anna, email: "anna@example.com", proved_at: 1, language: "en", choices: "{}" })
      .execute();
    const pingvin = newPingvin();
    fill(pingvin);
    const before = await room.counts();
    const foreseen = await imports.preview(
      { ...made(pingvin.folder), file: null, key: null },
      () => {},
      () => {},
    );
    expect(await room.counts()).toEqual(before);
    const id = await room.runImport(made(pingvin.folder));
    const { report, state } = await imports.find(id);
    expect(state).toBe("done");
    expect(foreseen.counts).toEqual(report.counts);
    expect(report.counts).toMatchObject({
      links_read: 8,
      links_imported: 2,
      links_refused: 6,
      files_read: 9,
      files_imported: 4,
      files_refused: 5,
      bytes_imported: 9 + 300_000 + 4 + 4,
    });
    expect(report.reasons.map(({ kind, reason, count }) => `${kind}: ${reason} ${count}`)).toEqual([
      "partial: Recipients without a valid address, and those beyond 100, are left out. 1",
      "refused: It has ended. 1",
      "refused: Its upload was not finished. 1",
      "refused: It was removed in Pingvin Share. 1",
      "refused: A share can't have a code that is reserved for the whole site. 1",
      "refused: Its files are in S3; only those in the data folder can be imported. 1",
      "refused: It is a reverse share; make a drop box in its place. 1",
      "file: It is missing in Pingvin Share's folder. 1",
      "file: Its share was not imported, or is gone. 2",
      "file: Its files are in S3; only those in the data folder can be imported. 1",
      "file: Its id can't be one of Pingvin Share's. 1",
    ]);
    const link = await links.get("report");
    expect(link).toMatchObject({
      ownerId: anna,
      title: "Report 2026",
      expiresAt: FUTURE,
      passwordHash: HASH,
      clickCount: 4,
      options: null,
    });
    const share = await database.read
      .selectFrom("shares")
      .selectAll()
      .where("link_id", "=", link.id)
      .executeTakeFirstOrThrow();
    expect(share).toMatchObject({
      account_id: anna,
      max_downloads: 9,
      downloads: 4,
      message: "See page 3.\nThanks!",
      verify: 0,
    });
    expect(link.target).toBe(`waymark:folder/${share.entry_id}`);
    expect(await drive.names(anna, share.entry_id)).toEqual(["a.txt", "b.bin"]);
    const { path, folder } = await drive.folders.find(anna, share.entry_id);
    expect(path.map(({ name }) => name)).toEqual(["Pingvin Share", "Report 2026"]);
    const [file] = (await drive.folders.page(anna, folder, null, 10)).files;
    expect(await drive.read(file!)).toBe("text of a");
    const tricky = Number((await links.get("Tricky_1")).target.split("/")[1]);
    expect(await drive.names(0, tricky)).toEqual(["b", "pa\u200Fsswd"]);
    const recipients = database.read.selectFrom("share_recipients").select("email");
    expect(await recipients.execute()).toEqual([{ email: "bob@example.com" }]);
    expect(await database.read.selectFrom("mails").select("id").execute()).toEqual([]);
    expect(await drive.wrongs()).toEqual([]);

    expect(await room.undo(id)).toMatchObject({ links_removed: 2, links_kept: 0, files_removed: 4 });
    expect(await room.counts()).toEqual(before);
    expect(drive.content.stored()).toEqual([]);
    expect((await drive.files.usage(anna)).usedBytes).toBe(0);
  });

  test("undo keeps what others changed: a share, a file beside, a share of a file", async () => {
    const { imports, links, database, drive } = room;
    const pingvin = newPingvin();
    for (const id of ["plain", "renamed", "added", "edited", "own"])
      pingvin.share({ id, files: { "one.txt": `content of ${id}` } });
    const id = await room.runImport(made(pingvin.folder));
    const folderOf = async (code: string) => Number((await links.get(code)).target.split("/")[1]);
    const fileIn = async (code: string) => {
      const { folder } = await drive.folders.find(0, await folderOf(code));
      return (await drive.folders.page(0, folder, null, 10)).files[0]!;
    };
    room.clock.time += 1_000;
    drive.content.time.now += 1_000;
    const renamed = database.write.updateTable("links").set({ title: "Other", updated_at: room.clock.time });
    await renamed.where("code", "=", "renamed").execute();
    await drive.upload(0, await folderOf("added"), "two.txt");
    await drive.files.update(0, (await fileIn("edited")).id, { name: "other.txt" });
    const own = await folderOf("own");
    await links.remove("own");
    await drive.upload(0, own, "mine.txt");
    expect(await room.undo(id)).toMatchObject({ links_removed: 2, links_kept: 4, files_removed: 1 });
    const top = (await drive.folders.page(0, null, null, 10)).folders[0]!;
    expect(await drive.names(0, top.id)).toEqual(["added/", "edited/", "own/", "renamed/"]);
    expect((await imports.find(id)).report.reasons).toEqual([
      { kind: "kept", reason: "It was changed since; it stays with its clicks.", count: 3 },
      { kind: "kept", reason: "Its files were changed since; they stay.", count: 1 },
    ]);
    expect((await room.counts())["import_entries"]).toBe(0);
  });

  test("an import that was cut off continues with each file once, within the quota", async () => {
    const { imports, drive, database } = room;
    const name = "quota-user";
    const account = await database.dialect.insertReturningId(database.write, "users", {
      username: name,
      password_hash: "",
      role: "user",
      disabled: 0,
      quota_bytes: 60,
      created_at: 0,
      updated_at: 0,
    });
    const pingvin = newPingvin();
    pingvin.user("u1", "Quota-User", "q@example.com");
    const files = Object.fromEntries([...Array(9)].map((_, at) => [`${at}.txt`, "0123456789"]));
    pingvin.share({ id: "small", creatorId: "u1", files });
    const source = { ...made(pingvin.folder), file: null, key: null };
    const foreseen = await imports.preview(
      source,
      () => {},
      () => {},
    );
    expect(foreseen.counts).toMatchObject({ files_imported: 6, files_refused: 3 });
    const { id } = await imports.create(source, { name: "cli" }, "running");
    for (const steps of [2, 3]) {
      const ended = new AbortController();
      let seen = 0;
      const onProgress = () => void (++seen === steps && ended.abort());
      await imports.work(id, { signal: ended.signal, onProgress }).catch(() => undefined);
      expect((await imports.find(id)).state).toBe("running");
    }
    await imports.work(id);
    expect((await imports.find(id)).report.counts).toEqual(foreseen.counts);
    expect((await drive.files.usage(account)).usedBytes).toBe(60);
    await imports.actions.confirm(id);
    await imports.work(id);
    expect((await room.counts())["import_entries"]).toBe(0);
    expect(await drive.wrongs()).toEqual([]);
  });
});
