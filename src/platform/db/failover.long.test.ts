/** URLs of several hosts. Both lead to one real server, so the test decides which of them is dead or read-only. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "kysely";
import { silentLogger } from "../../lib/logger.ts";
import { startProxyTo, type TcpProxy } from "../../lib/tcp-proxy.test-support.ts";
import { type Database, openDatabase } from "./database.ts";
import { soon } from "../../../test/support/until.ts";
import { forEachDialect } from "./for-each-dialect.test-support.ts";

forEachDialect(
  (dialect) => {
    let first: TcpProxy;
    let second: TcpProxy;
    let url: string;
    const opened: Database[] = [];
    beforeAll(async () => {
      await dialect.openDb();
      first = await startProxyTo(dialect.url());
      second = await startProxyTo(dialect.url());
      url = dialect.url().replace(/@[^/]*/, `@127.0.0.1:${first.port},127.0.0.1:${second.port}`);
    });
    afterAll(async () => {
      await Promise.all(opened.map((database) => database.close()));
      first.stop();
      second.stop();
    });
    const open = async (threads: boolean, poolSize = 1) => {
      const database = await openDatabase({ url, poolSize }, { threads, logger: silentLogger });
      opened.push(database);
      return database;
    };
    let value = 100;
    const write = async (database: Database) => {
      value++;
      await database.write.updateTable("instance").set({ created_at: value }).execute();
      const { created_at } = await database.read
        .selectFrom("instance")
        .select("created_at")
        .executeTakeFirstOrThrow();
      expect(created_at).toBe(value);
    };
    const unavailable = { name: "ServiceUnavailable", kind: "unavailable" };

    test("a host that refuses or hangs is passed over, and its name is not in the way of the other", async () => {
      const database = await open(false);
      expect(database.name).toContain(`127.0.0.1:${first.port},127.0.0.1:${second.port}/`);
      for (const mode of ["refuse", "hang"] as const) {
        for (const one of [first, second]) {
          one.mode = mode;
          one.cut();
          await Bun.sleep(20);
          // The connection that broke may show only now.
          await database.ping().catch(() => {});
          await write(database);
          one.heal();
          one.cut();
        }
      }
    });

    test("a guarded database follows when the host of its connections hangs", async () => {
      const database = await open(true);
      await write(database);
      for (const one of [first, second]) one.mode = "hang";
      await expect(write(database)).rejects.toMatchObject(unavailable);
      second.heal();
      await soon(() => write(database));
      first.heal();
    });

    if (dialect.name !== "postgres") {
      test("a statement of a host that hangs is given up when another host goes on", async () => {
        const database = await open(false, 2);
        const changing = database.write.transaction().execute(async (tx) => {
          first.mode = "hang";
          const waiting = sql`select 1`.execute(tx);
          await write(database);
          await waiting;
        });
        const error = await changing.catch((reason: unknown) => reason as Error);
        expect(error).toMatchObject(unavailable);
        expect(String((error as Error).cause)).toContain("the server of the statement is lost");
        first.heal();
      });
      return;
    }
    test("a connection that became read-only is closed, and a read-only server is not used", async () => {
      const database = await open(false);
      await write(database);
      await sql`set default_transaction_read_only = on`.execute(database.write);
      await expect(write(database)).rejects.toMatchObject(unavailable);
      await write(database);
      const name = sql.ref(new URL(dialect.url()).pathname.slice(1));
      await sql`alter database ${name} set default_transaction_read_only = on`.execute(database.write);
      try {
        const late = await open(false);
        const error = await late.ping().then(
          () => null,
          (reason: unknown) => reason,
        );
        expect(error).toMatchObject(unavailable);
        expect(String((error as Error).cause)).toContain("it is read-only");
      } finally {
        await sql`alter database ${name} reset default_transaction_read_only`.execute(database.write);
      }
    });
  },
  ["postgres", "mysql", "mariadb"],
);
