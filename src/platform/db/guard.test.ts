/** Connections of a server that is half available. outage.test.ts has real outages. */
import { afterEach, expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import type { Backend, SqlConnection, ConnectionSource } from "./driver.ts";
import { guardBackend } from "./guard.ts";

const opened: Backend[] = [];
afterEach(() => Promise.all(opened.splice(0).map((backend) => backend.close())));

const responding: SqlConnection = { execute: async () => ({ rows: [] }) };

/** The test hands out connections and replies to the probe. */
function guarded(acquire: () => Promise<SqlConnection>, probe: () => Promise<unknown>) {
  const released: { connection: SqlConnection; broken: boolean }[] = [];
  const backendOf = (source: Partial<ConnectionSource>): Backend => {
    const whole = { begin: "begin", release: () => {}, ...source } as ConnectionSource;
    return { writer: whole, reader: whole, pingSql: "select 1", close: async () => {} } as unknown as Backend;
  };
  const probing: SqlConnection = { execute: async () => ({ rows: [await probe()] }) };
  const backend = guardBackend(
    backendOf({
      acquire,
      release: (connection, broken) => void released.push({ connection, broken }),
    }),
    backendOf({ acquire: async () => probing }),
    { logger: silentLogger, limits: { beatMs: 2, quietMs: 2, probeMs: 20, giveUpMs: 10 } },
  );
  opened.push(backend);
  return { source: backend.reader, released };
}

const unavailable = { name: "ServiceUnavailable", failure: "unavailable" };

test("a caller that waits too long for a connection gets an error; a late connection returns to the pool", async () => {
  const coming = Promise.withResolvers<SqlConnection>();
  const { source, released } = guarded(
    () => coming.promise,
    async () => 1,
  );
  await expect(source.acquire(1000)).rejects.toMatchObject(unavailable);
  coming.resolve(responding);
  await Bun.sleep(0);
  expect(released).toEqual([{ connection: responding, broken: false }]);
});

test("while the server is away an open transaction is refused at once and its connection closed", async () => {
  const hanging = new Promise<never>(() => {});
  let isHanging = false;
  const inner: SqlConnection = { execute: () => (isHanging ? hanging : responding.execute("", [])) };
  const { source, released } = guarded(
    async () => inner,
    () => (isHanging ? hanging : Promise.resolve(1)),
  );
  const connection = await source.acquire(1000);
  await connection.execute("begin", []);
  isHanging = true;
  await expect(connection.execute("update", [])).rejects.toMatchObject(unavailable);
  await expect(connection.execute("rollback", [])).rejects.toMatchObject(unavailable);
  source.release(connection, false);
  expect(released).toEqual([{ connection: inner, broken: true }]);
});
