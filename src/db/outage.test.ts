/** A server that goes away, hangs and comes back, through a proxy of ours in front of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, connect as connectTo, type Server, type Socket } from "node:net";
import { silentLogger } from "../lib/logger.ts";
import { type Database, openDatabase } from "./database.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import type { OpenBackend } from "./driver.ts";
import { forEachDialect } from "./for-each-dialect.ts";

const BACKENDS: Record<string, () => Promise<{ openBackend: OpenBackend }>> = {
  postgres: () => import("./dialects/postgres.ts"),
  mysql: () => import("./dialects/mysql.ts"),
  mariadb: () => import("./dialects/mariadb.ts"),
};

forEachDialect((dialect) => {
  if (dialect.name === "sqlite") return;

  let proxy: Proxy;
  let db: Database;
  beforeAll(async () => {
    await dialect.openDb();
    const { host = "127.0.0.1", port = 0 } = parseDatabaseUrl(dialect.url());
    proxy = await startProxy(host, port);
    const url = dialect.url().replace(`:${port}/`, `:${proxy.port}/`);
    db = await openDatabase({ url, poolSize: 2 }, { threads: true, logger: silentLogger });
  });
  afterAll(async () => {
    await db.close();
    proxy.stop();
  });
  const count = async () => (await db.read.selectFrom("instance").select("id").execute()).length;
  const unavailable = { name: "ServiceUnavailable", kind: "unavailable" };

  test("idle and busy connections may break; queries fail as unavailable and work again afterwards", async () => {
    expect(await count()).toBe(1);
    proxy.cut();
    // Idle connections were lost: that must not end the process, and is known to the next query at the latest.
    await Bun.sleep(20);
    await count().catch(() => {});
    expect(await count()).toBe(1);
    const broken = db.transaction(async (tx) => {
      await tx.updateTable("instance").set({ created_at: 5 }).execute();
      proxy.cut();
      await tx.updateTable("instance").set({ created_at: 6 }).execute();
    });
    await expect(broken).rejects.toMatchObject(unavailable);
    const { created_at } = await db.read
      .selectFrom("instance")
      .select("created_at")
      .executeTakeFirstOrThrow();
    expect(created_at).toBeGreaterThan(6);
  });

  test("a server that refuses is unavailable at once", async () => {
    proxy.mode = "refuse";
    proxy.cut();
    await Bun.sleep(20);
    await expect(db.ping()).rejects.toMatchObject(unavailable);
    await expect(db.transaction(() => count())).rejects.toMatchObject(unavailable);
    await expect((async () => db.findLink("a"))()).rejects.toMatchObject(unavailable);
    proxy.mode = "pass";
    expect(await count()).toBe(1);
  });

  test("a server that accepts and says nothing is given up after seconds", async () => {
    proxy.mode = "hang";
    proxy.cut();
    await Bun.sleep(20);
    const both = await Promise.allSettled([db.ping(), count()]);
    for (const outcome of both) expect(outcome).toMatchObject({ status: "rejected", reason: unavailable });
    proxy.mode = "pass";
    proxy.cut();
    await db.ping().catch(() => {});
    expect(await count()).toBe(1);
  });

  test("a server that falls silent in the middle of a query is given up at the statement's limit", async () => {
    const { openBackend } = await BACKENDS[dialect.name]!();
    const location = { ...parseDatabaseUrl(dialect.url()), port: proxy.port };
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

  test("the server ends a statement at its limit", async () => {
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
    expect(db.dialect.classify(error)).toBe("timeout");
    expect((await connection.execute("select 1 as n", [])).rows).toEqual([{ n: 1 }]);
    writer.release(connection, false);
    await close();
  });

  test("wrong passwords and missing databases are unavailable, with the server's words as the cause", async () => {
    const { user } = parseDatabaseUrl(dialect.url());
    for (const url of [
      dialect.url().replace(/\/\/[^@]*@/, `//${user}:w%20r@o/n#g@`),
      dialect.url().replace(/\/[^/]*$/, "/waymark_test_none"),
    ]) {
      const wrong = await openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
      const error = (await wrong.ping().catch((reason: unknown) => reason)) as Error;
      expect(error).toMatchObject(unavailable);
      expect(String(error.cause)).toMatch(/password|denied|exist|unknown database/i);
      await wrong.close();
    }
  });
});

type Proxy = { port: number; mode: "pass" | "refuse" | "hang"; cut(): void; stop(): void };

async function startProxy(host: string, port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const hold = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  };
  const server: Server = createServer((socket) => {
    hold(socket);
    if (proxy.mode === "refuse") return void socket.destroy();
    if (proxy.mode === "hang") return;
    const upstream = connectTo(port, host);
    hold(upstream);
    const pass = (to: Socket) => (data: Buffer) => {
      if (proxy.mode === "pass") to.write(data);
    };
    socket.on("data", pass(upstream));
    upstream.on("data", pass(socket));
    socket.on("close", () => upstream.destroy());
    upstream.on("close", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: Proxy = {
    port: (server.address() as { port: number }).port,
    mode: "pass",
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    stop: () => {
      proxy.cut();
      server.close();
    },
  };
  return proxy;
}
