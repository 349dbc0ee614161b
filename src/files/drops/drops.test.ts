import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createEvents } from "../../platform/events/events.service.ts";
import { createBodyMemory } from "../../platform/http/body-memory.ts";
import { COMMAND } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { ownerOfTeam } from "../../lib/owner.ts";
import { QUIET_SETTINGS } from "../../links/links.test-support.ts";
import { createLinkService } from "../../links/links.service.ts";
import { chunksOf, type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import { createServingRepository, type ServingRepository } from "../serving/repository.ts";
import { createSharedItems } from "../serving/plan.ts";
import { createPathsRepository } from "../tree/paths.repository.ts";
import { createDroppedFiles } from "../thumbnails/dropped.repository.ts";
import type { UploadChunk } from "../uploads/tus.service.ts";
import type { OpenDrop } from "./drop.ts";
import { createFormReceiving } from "./form.routes.ts";
import { createInFlight } from "./gate.ts";
import { createDropsRepository, type DropsRepository } from "./repository.ts";
import { inviting, NO_SHARE_RULES } from "../shares/shares.test-support.ts";
import { createDrops, type Drops } from "./service.ts";

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let drops: Drops;
  let repository: DropsRepository;
  let shares: ServingRepository;
  let receive: ReturnType<typeof createFormReceiving>;
  let me: number;
  let folder: number;

  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 8 });
    at = await startDrive(database);
    const clock = { now: () => at.content.time.now };
    const events = createEvents({ database, clock });
    const record = events.add;
    const { internal, domains } = createLinkService({
      database,
      changes: at.content.changes,
      ...QUIET_SETTINGS,
      hashPassword: async (plain) => `hash of ${plain}`,
      events,
      record,
      clock,
    });
    repository = createDropsRepository(database);
    shares = createServingRepository({ database, record, stored: domains.stored });
    drops = createDrops({
      tree: at.tree,
      drops: repository,
      repository: shares,
      items: createSharedItems({ repository: shares, paths: createPathsRepository(database) }),
      links: internal,
      rules: NO_SHARE_RULES,
      invitations: inviting().invitations,
      clock,
    });
    const inFlight = createInFlight({ clock });
    const { uploads, files, dropGate: gate } = at;
    receive = createFormReceiving({ drops, uploads, files, gate, inFlight });
  });
  beforeEach(async () => {
    me = await at.account();
    folder = await at.folder(me, null, "in");
  });
  afterEach(async () => expect(await at.wrongs()).toEqual([]));
  afterAll(() => at?.close());

  const LIMITS = { max_bytes: 100_000, max_files: 100, max_file_size: null };
  async function open(limits: Partial<typeof LIMITS> = {}, more = {}): Promise<OpenDrop> {
    const { code } = await drops.create(me, folder, { ...LIMITS, ...limits, ...more }, COMMAND);
    return (await drops.find((await shares.linkOf(folder, code, { isDrop: true }))!))!;
  }
  const again = async (box: OpenDrop) => (await drops.find(box.linkId))!;

  function send(box: OpenDrop, files: Record<string, string>, sender = "a", by: Record<string, string> = {}) {
    const form = new FormData();
    for (const [name, value] of Object.entries(by)) form.append(name, value);
    for (const [name, content] of Object.entries(files)) form.append("file", new File([content], name));
    const request = new Request("http://localhost/x", { method: "POST", body: form });
    return receive(box, sender, { request, reservation: createBodyMemory().enter() });
  }

  /** The refusal of a box, or another error's name. */
  const refused = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => "no error",
      (error: unknown) => {
        if (error instanceof AppError) return error.details?.["drop"] ?? error.name;
        throw error;
      },
    );

  const begin = (box: OpenDrop, size: number | null, sender = "a", address = "1") =>
    at.resumable.create(box.accountId, {
      size,
      name: "resumed",
      mimeType: undefined,
      folderId: box.folderId,
      metadata: "",
      drop: { linkId: box.linkId, sender, senderName: null, senderEmail: null, path: null, address },
    });
  const chunk = (offset: number, text: string): UploadChunk => ({
    offset,
    length: text.length,
    total: null,
    checksum: null,
    reservation: { add() {} },
    body: () => chunksOf(Buffer.from(text)),
  });

  test("200 strangers at once fill a box exactly, by files and by bytes", async () => {
    for (const limits of [{ max_files: 10 }, { max_bytes: 109 }]) {
      const box = await open(limits);
      const outcomes = await Promise.all(
        Array.from({ length: 200 }, (_, n) => refused(send(box, { same: "ten  bytes" }, `s${n}`))),
      );
      expect(outcomes.filter((outcome) => outcome === "no error").length).toBe(10);
      const others = outcomes.filter((outcome) => !["full", "room", "busy"].includes(outcome as string));
      expect([...new Set(others)]).toEqual(["no error"]);
      expect(await again(box)).toMatchObject({ files: 10, bytes: 100 });
    }
    const names = await at.names(me, folder);
    expect([names.length, names.includes("same (20)")]).toEqual([20, true]);
  }, 60_000);

  test("senders have folders of their own, in which those that they send stay", async () => {
    const box = await open({}, { sender_folders: true });
    await send(box, { "../Trip/Day 1/a.txt": "1", "Trip//b.txt": "2" }, "a", { sender_name: "Anna" });
    await send(box, { "Trip/b.txt": "3" }, "a", { sender_name: "Another name" });
    // A file that has a folder's name.
    await send(box, { "c.txt": "4", x: "0" }, "b", { sender_name: "Anna" });
    await send(box, { "x/y.txt": "4" }, "b");
    await send(box, { "x/z.txt": "4" }, "b");
    await send(box, { "d.txt": "5" }, "c".repeat(64));
    const id = async (parent: number, name: string) =>
      (await at.treeParts.repository.child(me, parent, name))?.id ?? Number.NaN;
    expect(await at.names(me, folder)).toEqual(["Anna/", "Anna (2)/", `Sender ${"c".repeat(12)}/`]);
    const trip = await id(await id(folder, "Anna"), "Trip");
    expect(await at.names(me, trip)).toEqual(["Day 1/", "b (2).txt", "b.txt"]);
    expect(await at.names(me, await id(trip, "Day 1"))).toEqual(["a.txt"]);
    const sent = (await drops.sentBy(box.linkId, "a")).map(({ path, name }) => `${path}/${name}`);
    expect(sent).toEqual(["Trip/b.txt", "Trip/b.txt", "Trip/Day 1/a.txt"]);
    // A folder that was moved away is nobody's place any more, and a renamed one stays.
    await at.folders.update(me, await id(folder, "Anna"), { parentId: null });
    await at.folders.update(me, await id(folder, "Anna (2)"), { name: "Anna B" });
    await send(box, { "e.txt": "6" }, "a", { sender_name: "Anna" });
    await send(box, { "f.txt": "7" }, "b");
    expect(await at.names(me, await id(folder, "Anna"))).toEqual(["e.txt"]);
    expect(await at.names(me, await id(folder, "Anna B"))).toEqual(["x (2)/", "c.txt", "f.txt", "x"]);
  });

  test("folders lose the name or address of a sender who is forgotten, wherever they are", async () => {
    const box = await open({}, { sender_folders: true });
    const ended = await open({}, { sender_folders: true });
    await send(box, { "in/a.txt": "1" }, "a", { sender_name: "Joe Secret" });
    await send(box, { "b.txt": "2" }, "b", { sender_name: "Joe Secret" });
    await send(box, { "c.txt": "3" }, "c", { sender_name: "Joe" });
    await send(ended, { "in/deep/d.txt": "4" }, "d", { sender_name: "Joe Secret" });
    await send(ended, { "e.txt": "5" }, "e", { sender_email: "mia@example.org" });
    const own = await at.folder(me, folder, "Joe Secret (9)");
    const id = async (name: string) => (await at.treeParts.repository.child(me, folder, name))!.id;
    const trashed = await id("Joe Secret (2)");
    await at.trash.put(me, { kind: "folder", id: trashed });
    await database.write.deleteFrom("drop_senders").where("link_id", "=", ended.linkId).execute();
    const joe = { kind: "sender", value: "Joe Secret" } as const;
    const found = (await Array.fromAsync(at.senderFolders.named(joe))).flat();
    expect(found.map(({ name }) => name).toSorted()).toEqual([
      "Joe Secret",
      "Joe Secret (2)",
      "Joe Secret (3)",
    ]);
    await at.senderFolders.rename(joe);
    await at.senderFolders.rename({ kind: "mail", value: "mia@example.org" });
    expect(await at.names(me, folder)).toEqual([
      "Joe/",
      "Joe Secret (9)/",
      "Sender a/",
      "Sender d/",
      "Sender e/",
    ]);
    expect((await Array.fromAsync(at.senderFolders.named(joe))).flat()).toEqual([]);
    const { name } = await database.read
      .selectFrom("trash")
      .select("name")
      .where("entry_id", "=", trashed)
      .executeTakeFirstOrThrow();
    expect([name, own > 0]).toEqual(["Sender b", true]);
  });

  test("a box asks for a name, an address or kinds of files, each by itself", async () => {
    const named = await open({}, { require: "name" });
    expect(await refused(send(named, { a: "1" }, "a", { sender_name: " \u200b" }))).toBe("name");
    await send(named, { a: "1" }, "a", { sender_name: "Anna" });
    const mailed = await open({}, { require: "email" });
    for (const email of ["", "anna", "anna@"])
      expect(await refused(send(mailed, { b: "1" }, "a", { sender_email: email }))).toBe("email");
    await send(mailed, { b: "1" }, "a", { sender_email: " Anna@Example.com " });
    const place = { folderId: folder, code: mailed.code };
    expect((await drops.received(me, place, null, 9)).files).toMatchObject([
      { name: "b", senderName: null, senderEmail: "anna@example.com", path: null },
    ]);
    const typed = await open({}, { types: [".txt", "image/*"] });
    expect(typed).toMatchObject({ requires: null, senderFolders: false, types: [".txt", "image/*"] });
    expect(await refused(send(typed, { "c.TXT": "1", "d.exe": "1" }))).toBe("type");
    await send(typed, { "c.TXT": "1", "d.jpg": "1" });
    expect(await refused(send(named, { [`${"x/".repeat(17)}y`]: "1" }, "a", { sender_name: "A" }))).toBe(
      "deep",
    );
    expect(await at.names(me, folder)).toEqual(["a", "b", "c.TXT", "d.jpg"]);
  });

  test("the files of a form have its time, if it says one", async () => {
    const box = await open();
    await send(box, { dated: "1" }, "a", { modified_at: "2020-01-02T03:04:05Z" });
    await send(box, { undated: "1" });
    expect(await refused(send(box, { wrong: "1" }, "a", { modified_at: "yesterday" }))).toBe("BadRequest");
    const { files } = await at.folders.page(me, (await at.folders.find(me, folder)).folder, null, 9);
    expect(files.map(({ name, modifiedAt }) => [name, modifiedAt])).toEqual([
      ["dated", Date.UTC(2020, 0, 2, 3, 4, 5)],
      ["undated", at.content.time.now],
    ]);
  });

  test("the sender of a file learns nothing of what its owner puts in its place", async () => {
    const box = await open();
    await send(box, { "a.txt": "a's" });
    const sizes = async () => (await drops.sentBy(box.linkId, "a")).map(({ size }) => size);
    expect(await sizes()).toEqual([3]);
    at.content.time.now += 1;
    const given = { name: "a.txt", mimeType: undefined, body: chunksOf(Buffer.from("the owner's")) };
    const destination = await at.uploads.destination(me, folder);
    const received = await at.uploads.receive(destination, { ...given, isNumbered: true });
    await at.uploads.keep(received, { isReplacing: true });
    expect(await at.names(me, folder)).toEqual(["a.txt"]);
    expect(await sizes()).toEqual([null]);
  });

  test("the list of what came leaves out files in the trash, also with a folder around them", async () => {
    const box = await open();
    const trashed = await at.folder(me, folder, "trashed");
    const inside = await at.folder(me, trashed, "inside");
    for (const name of ["a", "b", "c", "d", "e"]) await send(box, { [name]: name });
    const listed = async (limit = 10) => {
      const pages: string[][] = [];
      for (let before: number | null = null; ; ) {
        const { files, next } = await drops.received(me, box, before, limit);
        pages.push(files.map(({ name }) => name));
        if (next === null) return pages;
        before = next;
      }
    };
    const [, b, c, d] = (await drops.received(me, box, null, 10)).files.toReversed();
    for (const { fileId } of [b!, c!]) await at.files.update(me, fileId, { folderId: inside });
    await at.trash.put(me, { kind: "file", id: d!.fileId });
    await at.trash.put(me, { kind: "folder", id: trashed });
    expect(await listed()).toEqual([["e", "a"]]);
    expect(await listed(1)).toEqual([["e"], ["a"]]);
    await at.trash.restore(me, trashed, {});
    expect(await listed(2)).toEqual([
      ["e", "c"],
      ["b", "a"],
    ]);
  });

  test("a form is stored whole or not at all", async () => {
    const box = await open({ max_files: 3 });
    await send(box, { a: "1", b: "2" });
    // Checked against the box as it was before: the transaction decides.
    expect(await refused(send(box, { c: "3", d: "4" }))).toBe("full");
    expect(await at.names(me, folder)).toEqual(["a", "b"]);
    expect(await again(box)).toMatchObject({ files: 2, bytes: 2 });
    await send(await again(box), { c: "3" });
    expect(await refused(send(await again(box), { d: "4" }))).toBe("full");
  });

  test("taken names get numbers, even beyond the first ones, and the sender sees the name as sent", async () => {
    const box = await open();
    const most = `${"n".repeat(251)}.txt`;
    await at.upload(me, folder, most, "");
    for (let n = 1; n <= 36; n++) await at.upload(me, folder, n === 1 ? "x.txt" : `x (${n}).txt`, "");
    expect((await send(box, { "x.txt": "1", [most]: "2" })).map(({ name }) => name)).toEqual(["x.txt", most]);
    await send(box, { "x.txt": "3" });
    const { files } = await drops.received(me, box, null, 10);
    expect(files.map(({ name }) => name)).toEqual(["x (38).txt", `${"n".repeat(247)} (2).txt`, "x (37).txt"]);
    expect((await drops.sentBy(box.linkId, "a")).map(({ name }) => name)).toEqual(["x.txt", most, "x.txt"]);
    expect(await drops.sentBy(box.linkId, "b")).toEqual([]);
    const { isDropped } = createDroppedFiles(database);
    expect(await Promise.all([isDropped(files[0]!.fileId), isDropped(box.folderId)])).toEqual([true, false]);
  });

  describe("a resumable upload", () => {
    test("takes its place when it is whole, and room of the box until then", async () => {
      const box = await open({ max_bytes: 20 });
      const { upload } = await begin(box, 15);
      expect(await again(box)).toMatchObject({ files: 0, bytes: 0 });
      const visitor = { linkId: box.linkId, sender: "a" };
      await at.resumable.append(me, upload.id, chunk(0, "0123456"), visitor);
      expect((await at.resumable.heldInDrop(me, box.linkId, "")).bytes).toBe(7);
      await begin(box, 13, "b");
      expect(await refused(begin(box, 14, "b"))).toBe("busy");
      expect(await refusal(at.resumable.find(me, upload.id))).toBe("FileNotFound");
      expect(await refusal(at.resumable.find(me, upload.id, { ...visitor, sender: "b" }))).toBe(
        "FileNotFound",
      );
      await at.resumable.append(me, upload.id, chunk(7, "89abcdef"), visitor);
      expect(await again(box)).toMatchObject({ files: 1, bytes: 15 });
      expect(await refused(begin(box, 6, "b"))).toBe("room");
    });

    test("of unknown size keeps within the box and its largest file", async () => {
      const box = await open({ max_bytes: 20 });
      const visitor = { linkId: box.linkId, sender: "a", most: 10 };
      const { upload } = await begin(box, null);
      await at.resumable.append(me, upload.id, chunk(0, "0123456"), visitor);
      expect((await at.resumable.heldInDrop(me, box.linkId, "")).bytes).toBe(7);
      const more = (total: number | null, text: string) =>
        at.resumable.append(me, upload.id, { ...chunk(7, text), total, length: undefined }, visitor);
      expect(await refusal(more(11, ""))).toBe("FileTooLargeForPolicy");
      expect(await refusal(more(null, "789a"))).toBe("FileTooLargeForPolicy");
      expect((await at.resumable.heldInDrop(me, box.linkId, "")).bytes).toBe(0);
      const { upload: exact } = await begin(box, null);
      const whole = { ...chunk(0, "0123456789"), total: 10 };
      expect((await at.resumable.append(me, exact.id, whole, visitor)).fileId).toBeNumber();
      expect(await again(box)).toMatchObject({ files: 1, bytes: 10 });
    });

    test("is refused by limits that came after it began", async () => {
      for (const [limits, reason] of [
        [{ maxFileSize: 3 }, "size"],
        [{ types: [".pdf"] }, "type"],
      ] as const) {
        const box = await open();
        const { upload } = await begin(box, 4);
        const before = (await shares.serving(box.linkId))!;
        const after = { ...before, drop: { ...before.drop!, ...limits } };
        await database.transaction((tx) => shares.update(tx, box.linkId, before, after));
        const visitor = { linkId: box.linkId, sender: "a" };
        expect(await refused(at.resumable.append(me, upload.id, chunk(0, "abcd"), visitor))).toBe(reason);
        expect(await again(box)).toMatchObject({ files: 0, bytes: 0 });
      }
      expect(await at.names(me, folder)).toEqual([]);
    });

    test("into a box that others filled or that ended is refused, and leaves nothing", async () => {
      const full = await open({ max_files: 1 });
      const late = await open({}, { expires_at: "30m" });
      const closed = await open();
      const begun = await Promise.all([full, late, closed].map(async (box) => (await begin(box, 4)).upload));
      const append = (n: number, { linkId }: OpenDrop, part: UploadChunk) =>
        at.resumable.append(me, begun[n]!.id, part, { linkId, sender: "a" });
      for (const [n, box] of [full, late, closed].entries()) await append(n, box, chunk(0, "a"));
      await send(full, { first: "1" });
      at.content.time.now += 1_799_000;
      await drops.close(me, folder, closed.code, COMMAND);
      const finish = (n: number, box: OpenDrop) => refused(append(n, box, chunk(1, "bcd")));
      expect(await finish(0, full)).toBe("full");
      expect(await finish(2, closed)).toBe("ended");
      at.content.time.now += 1_000;
      expect(await finish(1, late)).toBe("ended");
      expect(await at.names(me, folder)).toEqual(["first"]);
    });

    test("without a byte takes no room of the box and of the account, and goes after two minutes", async () => {
      me = await at.account(1_500);
      folder = await at.folder(me, null, "in");
      const box = await open({ max_bytes: 1_000 });
      for (let n = 0; n < 20; n++) await begin(box, 1_000);
      expect(await refused(begin(box, 1_000))).toBe("rate");
      const { upload } = await begin(box, 1_000, "b", "2");
      await at.resumable.append(me, upload.id, chunk(0, ""), { linkId: box.linkId, sender: "b" });
      at.content.time.now += 120_001;
      for (const job of at.jobs) await job.run(new AbortController().signal);
      expect(await refusal(at.resumable.find(me, upload.id, { linkId: box.linkId, sender: "b" }))).toBe(
        "FileNotFound",
      );
      await begin(box, 1_000);
    });

    test("of one address can't fill a box, whatever senders it makes up", async () => {
      const box = await open();
      for (let n = 0; n < 50; n++) await begin(box, 4, `sender ${n}`);
      expect(await refused(begin(box, 4, "another"))).toBe("rate");
      await begin(box, 4, "another", "2");
    });
  });

  test("a folder that goes, or an account that is disabled, ends the box", async () => {
    const box = await open();
    await database.write.updateTable("users").set({ disabled: 1 }).where("id", "=", me).execute();
    expect(await drops.find(box.linkId)).toBeNull();
    expect(await refused(send(box, { a: "a" }))).toBe("ended");
    await database.write.updateTable("users").set({ disabled: 0 }).where("id", "=", me).execute();
    await send(box, { a: "a" });
    await at.folders.remove(me, folder);
    expect(await drops.find(box.linkId)).toBeNull();
    expect(await refused(send(box, { b: "b" }))).toBe("FolderNotFound");
  });

  test("with a message a box names who gets the files, but never the built-in administrator", async () => {
    const query = database.read.selectFrom("users").select("username").where("id", "=", me);
    const { username } = await query.executeTakeFirstOrThrow();
    const name = `press ${me}`;
    const row = { name, created_at: 0, updated_at: 0 };
    const team = ownerOfTeam(await database.dialect.insertReturningId(database.write, "teams", row));
    const fromOf = async (accountId: number, message: string | null) => {
      [me, folder] = [accountId, await at.folder(accountId, null, crypto.randomUUID())];
      return (await open({}, { message })).from;
    };
    expect(await fromOf(me, null)).toBeNull();
    expect(await fromOf(me, "For me")).toBe(username);
    expect(await fromOf(team, "For us")).toBe(name);
    expect(await fromOf(0, "For me")).toBeNull();
  });

  test("a form that breaks off leaves nothing, and gives its room back", async () => {
    const box = await open({ max_bytes: 10 });
    const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const cut = (text: string) =>
      receive(box, "a", {
        request: new Request("http://localhost/x", {
          method: "POST",
          body: head + text,
          headers: { "Content-Type": "multipart/form-data; boundary=x" },
        }),
        reservation: createBodyMemory().enter(),
      });
    for (let n = 0; n < 10; n++) expect(await refused(cut("0123456789"))).toBe("InvalidMultipartData");
    await send(box, { whole: "0123456789" });
    expect(await at.names(me, folder)).toEqual(["whole"]);
    at.content.time.now += 86_400_000;
  });

  test("others neither see nor close a box", async () => {
    const { code } = await open();
    const other = await at.account();
    expect(await refusal(drops.list(other, folder))).toBe("FolderNotFound");
    expect(await refusal(drops.close(other, folder, code, COMMAND))).toBe("FolderNotFound");
    expect(await refusal(drops.received(other, { folderId: folder, code }, null, 1))).toBe("FolderNotFound");
    expect((await drops.list(me, folder)).map((box) => box.code)).toEqual([code]);
  });

  test("a box is not a share of its folder, so revoking a share does not find it", async () => {
    const { code } = await open();
    expect(await shares.linkOf(folder, code, { isDrop: false })).toBeNull();
    expect(await shares.linkOf(folder, code, { isDrop: true })).toBeNumber();
  });
});
