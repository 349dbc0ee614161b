/** The replica is the same server behind a proxy, so the test decides when it is away. */
import { afterEach, expect, test } from "bun:test";
import { sql } from "kysely";
import { silentLogger } from "../../lib/logger.ts";
import { startProxyTo, type TcpProxy } from "../../lib/tcp-proxy.test-support.ts";
import { soon } from "../../../test/support/until.ts";
import { type Database, openDatabase } from "./database.ts";
import { forEachDialect } from "./for-each-dialect.test-support.ts";
import { MOST_LAG_MS } from "./replica.ts";
import { createMigrated } from "./schema-copy.test-support.ts";

forEachDialect((dialect) => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });
  const open = async (replicaUrl: string): Promise<Database> => {
    const settings = { url: dialect.url(), poolSize: 2, replicaUrl };
    const database = await openDatabase(settings, { threads: true, replicated: true, logger: silentLogger });
    cleanups.push(database.close);
    return database;
  };
  const openOther = async (url: string): Promise<Database> => {
    const database = await openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
    cleanups.push(database.close);
    return database;
  };
  const report = (database: Database) => database.reports.selectFrom("instance").select("id").execute();

  if (dialect.name === "sqlite") {
    test("a file database takes no replica", async () => {
      await dialect.openDb();
      await expect(open("postgres://db2/waymark")).rejects.toMatchObject({ name: "BadRequest" });
    });
    return;
  }

  test("reports read from the replica, from the database while it is away, and from the replica again", async () => {
    await dialect.openDb();
    const proxy: TcpProxy = await startProxyTo(dialect.url());
    cleanups.push(proxy.stop);
    const database = await open(proxy.through(dialect.url()));
    const usesReplica = async () => {
      const before = proxy.sent;
      expect(await report(database)).toHaveLength(1);
      return proxy.sent > before;
    };
    expect(await usesReplica()).toBe(true);
    expect(await database.replica!.look()).toMatchObject({ isUsed: true, lagMs: expect.any(Number) });
    const before = proxy.sent;
    await database.read.selectFrom("instance").select("id").execute();
    expect(proxy.sent).toBe(before);

    proxy.sever();
    await Promise.all(Array.from({ length: 5 }, usesReplica));
    expect(await database.replica!.look()).toEqual({ isUsed: false, lagMs: null });
    expect(await usesReplica()).toBe(false);

    proxy.heal();
    await soon(async () => expect(await usesReplica()).toBe(true));
  });

  test("a database that the marks do not reach is not used, and its lag is reported", async () => {
    await dialect.openDb();
    const other = await createMigrated(dialect.name);
    cleanups.push(other.drop);
    const database = await open(other.url);
    expect(await database.replica!.look()).toEqual({ isUsed: false, lagMs: null });
    expect(await report(database)).toHaveLength(1);
    await sql`insert into leases (name, owner, expires_at) values ('replica-mark', '', 1)`.execute(
      (await openOther(other.url)).write,
    );
    await soon(async () => expect((await database.replica!.look()).lagMs).toBeGreaterThan(MOST_LAG_MS));
    expect(database.replica!.last().isUsed).toBe(false);
  });

  test("a replica of another kind, or of several servers, is refused", async () => {
    for (const url of ["sqlite:/tmp/x.db", "postgres://a,b/w", "mysql://a,b/w", "mariadb://a,b/w"])
      await expect(open(url)).rejects.toMatchObject({ name: "BadRequest" });
  });
});
