/** Several writers, migrations and processes at once, on every database. */
import { beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { silentLogger } from "../../lib/logger.ts";
import { createTable } from "./migrations/step.ts";
import { MIGRATIONS, migrateUp, migrationStatus } from "./migrate.ts";
import { forEachDialect, type TestDialect } from "./for-each-dialect.test-support.ts";
import { createFresh, DIALECT_NAMES } from "./fresh.test-support.ts";

/** Opens the database in another process and runs the body; resolves with its standard output. */
async function inProcess(url: string, body: string): Promise<string> {
  const script = `
    import { openDatabase } from ${JSON.stringify(`${import.meta.dir}/database.ts`)};
    import { migrateUp } from ${JSON.stringify(`${import.meta.dir}/migrate.ts`)};
    import { silentLogger as logger } from ${JSON.stringify(`${import.meta.dir}/../../lib/logger.ts`)};
    const db = await openDatabase({ url: ${JSON.stringify(url)}, poolSize: 4 }, { threads: false, logger });
    ${body}
    await db.close();`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`exit code ${code}: ${err}`);
  return out;
}

const three = <T>(run: () => Promise<T>): Promise<T[]> => Promise.all([run(), run(), run()]);

const body = (dialect: TestDialect) => {
  const openMigrated = async () => {
    const database = await dialect.openDb();
    await migrateUp(database, { logger: silentLogger });
    return database;
  };

  describe("migrations", () => {
    test("one of three processes that start at once migrates", async () => {
      const script = "console.log(JSON.stringify(await migrateUp(db, { logger })));";
      const outputs = await three(() => inProcess(dialect.url(), script));
      const ran = outputs.flatMap((text) => JSON.parse(text) as string[]);
      expect(ran).toEqual(MIGRATIONS.map(({ name }) => name));
      const database = await dialect.openDb();
      expect((await migrationStatus(database)).every(({ executedAt }) => executedAt !== null)).toBe(true);
      expect(await database.read.selectFrom("instance").select("id").execute()).toEqual([{ id: 1 }]);
    });

    test("a step that was applied but not recorded, as after a crash, runs again", async () => {
      const database = await openMigrated();
      const last = MIGRATIONS.slice(-4).map(({ name }) => name);
      await sql`delete from kysely_migration where name in (${sql.join(last)})`.execute(database.write);
      expect(await migrateUp(database, { logger: silentLogger })).toEqual(last);
      expect(await database.read.selectFrom("instance").select("id").execute()).toEqual([{ id: 1 }]);
    });

    test("a failing step keeps the steps before it and can run again", async () => {
      const database = await openMigrated();
      let broken = true;
      const extra = createTable("9001_extra", "instance", {}, []);
      const step = {
        name: extra.name,
        up: async () => {
          if (broken) throw new RangeError("not yet");
        },
      };
      const steps = [...MIGRATIONS, step];
      await expect(migrateUp(database, { logger: silentLogger, steps })).rejects.toThrow("not yet");
      expect((await migrationStatus(database, { steps })).at(-1)).toEqual({
        name: "9001_extra",
        executedAt: null,
      });
      broken = false;
      expect(await migrateUp(database, { logger: silentLogger, steps })).toEqual(["9001_extra"]);
    });

    test("a database of a newer version is refused with advice", async () => {
      const database = await dialect.openDb();
      for (const refused of [
        () => migrateUp(database, { logger: silentLogger }),
        () => migrationStatus(database),
      ])
        await expect(refused()).rejects.toThrow(/newer version.*9001_extra.*[Uu]pgrade/);
      await sql`delete from kysely_migration where name = '9001_extra'`.execute(database.write);
    });

    test("a database from before version 1.0 is refused with advice", async () => {
      const database = await openMigrated();
      await sql`insert into kysely_migration values ('0001_links', '2026-01-01T00:00:00.000Z')`.execute(
        database.write,
      );
      for (const refused of [
        () => migrateUp(database, { logger: silentLogger }),
        () => migrationStatus(database),
      ])
        await expect(refused()).rejects.toThrow(/before 1\.0.*empty database.*nothing was changed/);
      await sql`delete from kysely_migration where name = '0001_links'`.execute(database.write);
    });
  });

  describe("two writers at once", () => {
    beforeAll(() => openMigrated());

    test("two instances and two processes add to one counter without loss", async () => {
      // One connection per writer: this tests locks, and waiting for a connection has its own bound.
      const open = () => dialect.openDb({ threads: true, poolSize: 20 });
      const [a, b] = [await open(), await open()];
      await a.write.insertInto("leases").values({ name: "n", owner: "", expires_at: 0 }).execute();
      const add = (database: typeof a) =>
        database.transaction(async (tx) => {
          const row = await tx
            .selectFrom("leases")
            .select("expires_at")
            .where("name", "=", "n")
            .$call(database.dialect.forUpdate)
            .executeTakeFirstOrThrow();
          await tx
            .updateTable("leases")
            .set({ expires_at: row.expires_at + 1 })
            .where("name", "=", "n")
            .execute();
        });
      const many = (database: typeof a) => Promise.all(Array.from({ length: 20 }, () => add(database)));
      const elsewhere = `
        const add = () => db.transaction(async (tx) => {
          const row = await tx.selectFrom("leases").select("expires_at").where("name", "=", "n")
            .$call(db.dialect.forUpdate).executeTakeFirstOrThrow();
          await tx.updateTable("leases").set({ expires_at: row.expires_at + 1 }).where("name", "=", "n").execute();
        });
        for (let i = 0; i < 5; i++) await Promise.all([add(), add(), add(), add()]);`;
      await Promise.all([
        many(a),
        many(b),
        inProcess(dialect.url(), elsewhere),
        inProcess(dialect.url(), elsewhere),
      ]);
      const { expires_at } = await a.read
        .selectFrom("leases")
        .select("expires_at")
        .where("name", "=", "n")
        .executeTakeFirstOrThrow();
      expect(expires_at).toBe(80);
    });

    test("transactions that lock rows in opposite order both succeed", async () => {
      const database = await dialect.openDb();
      await database.dialect.insertMany(
        database.write,
        "leases",
        ["x", "y"].map((name) => ({ name, owner: "", expires_at: 0 })),
      );
      const crosswise = (first: string, second: string) =>
        database.transaction(async (tx) => {
          const raise = (name: string) =>
            tx
              .updateTable("leases")
              .set((eb) => ({ expires_at: eb("expires_at", "+", 1) }))
              .where("name", "=", name)
              .execute();
          await raise(first);
          await Bun.sleep(30);
          await raise(second);
        });
      await Promise.all([crosswise("x", "y"), crosswise("y", "x")]);
      const rows = await database.read
        .selectFrom("leases")
        .select("expires_at")
        .where("name", "in", ["x", "y"])
        .execute();
      expect(rows).toEqual([{ expires_at: 2 }, { expires_at: 2 }]);
    });

    test("a reader sees a change only after the commit", async () => {
      const [writer, reader] = [
        await dialect.openDb({ threads: true }),
        await dialect.openDb({ threads: true }),
      ];
      const count = async () =>
        (await reader.read.selectFrom("settings").select("key").where("key", "=", "seen").execute()).length;
      await writer.transaction(async (tx) => {
        const row = { key: "seen", value: "1", updated_at: 0, updated_by: "" };
        await tx.insertInto("settings").values(row).execute();
        expect(await count()).toBe(0);
        expect(
          await writer.read.selectFrom("settings").select("key").where("key", "=", "seen").execute(),
        ).toEqual([]);
      });
      expect(await count()).toBe(1);
    });
  });

  describe("ends", () => {
    test("ping responds until close; then every call is rejected", async () => {
      const database = await dialect.openDb({ threads: true });
      await database.ping();
      await database.close();
      await database.close();
      await expect(database.ping()).rejects.toMatchObject({ name: "ServiceUnavailable" });
      await expect(database.write.deleteFrom("leases").execute()).rejects.toMatchObject({
        kind: "unavailable",
      });
      await expect((async () => database.findLink("a"))()).rejects.toMatchObject({ kind: "unavailable" });
    });
  });
};

forEachDialect(body, DIALECT_NAMES, createFresh);
