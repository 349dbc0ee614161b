/** Files added concurrently: one transaction for many, and a failure affects one file. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { DatabaseError } from "../../platform/db/failures.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { chunksOf, type DriveHarness, refusal, startDrive } from "../drive.test-support.ts";
import type { TreeChanges } from "./account-tree.ts";

forEachDialect((dialect) => {
  let database: Database;
  let at: DriveHarness;
  let me: number;
  beforeAll(async () => {
    database = await dialect.openDb({ poolSize: 8 });
    at = await startDrive(database);
  });
  beforeEach(async () => {
    me = await at.account(100_000);
  });
  afterEach(async () => expect(await at.wrongs()).toEqual([]));
  afterAll(() => at?.close());

  const objects = async (): Promise<number> => {
    await at.content.blobs.settled();
    return at.content.stored().length;
  };

  /** The tree with counted writes, of which the first waits for `open`. */
  function gated(write: TreeChanges["write"] = (run) => at.content.changes.write(run)) {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    let writes = 0;
    const drive = at.on({
      async write(run) {
        writes++;
        await promise;
        return write(run);
      },
    });
    return { ...drive, open, writes: () => writes };
  }

  const receive = async (name: string, text = name, folderId: number | null = null) => {
    const destination = await at.uploads.destination(me, folderId);
    const body = chunksOf(Buffer.from(text));
    return at.uploads.receive(destination, { name, mimeType: "text/plain", body });
  };

  test("files that arrive during a transaction share the next one", async () => {
    const folder = await at.folder(me, null, "folder");
    const received = [];
    for (let n = 0; n < 30; n++)
      received.push(await receive(`n${n}`, `${n % 20}`, n % 3 === 0 ? folder : null));
    const before = await objects();
    const { uploads, open, writes } = gated();
    const keeping = received.map((one) => uploads.keep(one));
    open();
    const files = await Promise.all(keeping);
    expect(writes()).toBe(2);
    for (const [n, file] of files.entries()) {
      expect(file).toMatchObject({
        name: `n${n}`,
        parentId: n % 3 === 0 ? folder : 0,
        mimeType: "text/plain",
      });
      expect(await at.files.find(me, file.id)).toEqual(file);
      expect(await at.read(file)).toBe(`${n % 20}`);
    }
    expect(new Set(files.map(({ id }) => id)).size).toBe(30);
    // Ten have the content of another file.
    expect(new Set(files.map(({ blobId }) => blobId)).size).toBe(20);
    expect(await objects()).toBe(before - 10);
    expect((await at.files.usage(me)).usedBytes).toBe(files.reduce((sum, { size }) => sum + size, 0));
  });

  test("a file that can't be added leaves nothing and does not affect the others", async () => {
    const before = await objects();
    const gone = await at.folder(me, null, "gone");
    const received = [
      await receive("first"),
      await receive("twice", "a"),
      await receive("twice", "b"),
      await receive("in a folder that goes", "c", gone),
      await receive("large", "x".repeat(60_000)),
      await receive("too large beside it", "y".repeat(60_000)),
      await receive("last"),
    ];
    await at.folders.remove(me, gone);
    const { uploads, open } = gated();
    const outcomes = received.map((one) => refusal(uploads.keep(one)));
    open();
    expect(await Promise.all(outcomes)).toEqual([
      "no error",
      "no error",
      "NameConflict",
      "FolderNotFound",
      "no error",
      "FileTooLargeForPolicy",
      "no error",
    ]);
    expect(await at.names(me, null)).toEqual(["first", "large", "last", "twice"]);
    expect(await objects()).toBe(before + 4);
  });

  test("work alongside a file fails with that file alone", async () => {
    const received = [await receive("one"), await receive("two"), await receive("three")];
    const { files, open } = gated();
    const keeping = received.map(({ destination, name, mimeType, stored }) => {
      const file = { accountId: destination.accountId, parentId: destination.parentId, name, mimeType };
      return files.add(file, stored, {
        async alongside(tx) {
          await tx.db.updateTable("users").set({ role: name }).where("id", "=", me).execute();
          if (name === "two") throw new Error("no");
        },
      });
    });
    const outcomes = Promise.allSettled(keeping);
    open();
    expect((await outcomes).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await at.names(me, null)).toEqual(["one", "three"]);
    const { role } = await database.read
      .selectFrom("users")
      .select("role")
      .where("id", "=", me)
      .executeTakeFirstOrThrow();
    expect(role).toBe("three");
  });

  test("a response lost after the commit loses no bytes", async () => {
    const received = [await receive("kept 1"), await receive("kept 2"), await receive("kept 3")];
    const { uploads, open } = gated(async (run) => {
      await at.content.changes.write(run);
      throw new DatabaseError("unavailable", new Error("the connection broke"));
    });
    const outcomes = received.map((one) => refusal(uploads.keep(one)));
    open();
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["ServiceUnavailable"]));
    expect(await at.names(me, null)).toEqual(["kept 1", "kept 2", "kept 3"]);
    const { folder } = await at.folders.find(me, null);
    const { files } = await at.folders.page(me, folder, null, 10);
    for (const file of files) expect(await at.read(file)).toBe(file.name);
  });
});
