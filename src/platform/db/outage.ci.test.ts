/** A server behind a proxy goes away, hangs and comes back. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { startProxyTo, type TcpProxy } from "../../lib/tcp-proxy.test-support.ts";
import { type Database, openDatabase } from "./database.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import type { OpenBackend } from "./driver.ts";
import { forEachDialect } from "./for-each-dialect.test-support.ts";

const BACKENDS: Record<string, () => Promise<{ openBackend: OpenBackend }>> = {
  postgres: () => import("./dialects/postgres.ts"),
  mysql: () => import("./dialects/mysql.ts"),
  mariadb: () => import("./dialects/mariadb.ts"),
};

forEachDialect((dialect) => {
  if (dialect.name === "sqlite") return;

  let proxy: TcpProxy;
  let database: Database;
  beforeAll(async () => {
    await dialect.openDb();
    proxy = await startProxyTo(dialect.url());
    database = await openDatabase(
      { url: proxy.through(dialect.url()), poolSize: 2 },
      { threads: true, logger: silentLogger },
    );
  });
  afterAll(async () => {
    await database.close();
    proxy.stop();
  });
  const count = async () => (await database.read.selectFrom("instance").select("id").execute()).length;
  const untilBack = async () => {
    while (
      !(await database.ping().then(
        () => true,
        () => false,
      ))
    )
      await Bun.sleep(20);
  };
  const unavailable = { name: "ServiceUnavailable", kind: "unavailable" };

  test("after idle and busy connections break, queries fail as unavailable, then work again", async () => {
    expect(await count()).toBe(1);
    proxy.cut();
    // Broken idle connections must not end the process, and the next query must detect them.
    await Bun.sleep(20);
    await count().catch(() => {});
    expect(await count()).toBe(1);
    const broken = database.transaction(async (tx) => {
      await tx.updateTable("instance").set({ created_at: 5 }).execute();
      proxy.cut();
      await tx.updateTable("instance").set({ created_at: 6 }).execute();
    });
    await expect(broken).rejects.toMatchObject(unavailable);
    const { created_at } = await database.read
      .selectFrom("instance")
      .select("created_at")
      .executeTakeFirstOrThrow();
    expect(created_at).toBeGreaterThan(6);
  });

  test("a server that refuses is unavailable at once", async () => {
    proxy.mode = "refuse";
    proxy.cut();
    await Bun.sleep(20);
    await expect(database.ping()).rejects.toMatchObject(unavailable);
    await expect(database.transaction(() => count())).rejects.toMatchObject(unavailable);
    await expect((async () => database.findLink("a"))()).rejects.toMatchObject(unavailable);
    proxy.mode = "pass";
    await untilBack();
    expect(await count()).toBe(1);
  });

  test("a server that accepts but does not respond is abandoned after seconds; later queries fail at once", async () => {
    proxy.mode = "hang";
    proxy.cut();
    await Bun.sleep(20);
    const both = await Promise.allSettled([database.ping(), count()]);
    for (const outcome of both) expect(outcome).toMatchObject({ status: "rejected", reason: unavailable });
    const refused = await Promise.allSettled(Array.from({ length: 1000 }, count));
    expect(refused.every((outcome) => outcome.status === "rejected")).toBe(true);
    proxy.mode = "pass";
    proxy.cut();
    await untilBack();
    expect(await count()).toBe(1);
  });

  test("queries to a frozen server are given up, and its old connections are not reused", async () => {
    const idle = await Promise.all([count(), count()]);
    expect(idle).toEqual([1, 1]);
    proxy.mode = "hang";
    const frozen = database.transaction(async (tx) => {
      await tx.updateTable("instance").set({ created_at: 7 }).execute();
    });
    await expect(frozen).rejects.toMatchObject(unavailable);
    // Old connections lost data in the proxy, so only new ones can work.
    proxy.mode = "pass";
    await untilBack();
    expect(await Promise.all([count(), count(), count()])).toEqual([1, 1, 1]);
  });

  test("a server that stops responding during a query is abandoned at the statement limit", async () => {
    const { openBackend } = await BACKENDS[dialect.name]!();
    const location = parseDatabaseUrl(proxy.through(dialect.url()));
    const { writer, close } = await openBackend({
      location,
      poolSize: 1,
      threads: false,
      logger: silentLogger,
    });
    const connection = await writer.acquire(100);
    proxy.mode = "hang";
    await expect(connection.execute("select 1", [])).rejects.toThrow();
    writer.release(connection, true);
    proxy.mode = "pass";
    const next = await writer.acquire(100);
    expect((await next.execute("select 1 as n", [])).rows).toEqual([{ n: 1 }]);
    writer.release(next, false);
    await close();
  });

  test("the server ends a statement at the statement limit", async () => {
    const { openBackend } = await BACKENDS[dialect.name]!();
    const location = parseDatabaseUrl(dialect.url());
    const { writer, close } = await openBackend({
      location,
      poolSize: 1,
      threads: false,
      logger: silentLogger,
    });
    const connection = await writer.acquire(50);
    const endless = `with recursive c(x) as (select 1 union all select x + 1 from c where x < 900)
      select count(*) as n from c a, c b, c d where a.x + b.x + d.x = 7 or a.x * b.x = d.x`;
    const error = await connection.execute(endless, []).catch((reason: unknown) => reason);
    expect(database.dialect.classify(error)).toBe("timeout");
    expect((await connection.execute("select 1 as n", [])).rows).toEqual([{ n: 1 }]);
    writer.release(connection, false);
    await close();
  });
});
