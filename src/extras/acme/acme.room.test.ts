import { expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { createSecretBox } from "../../lib/secret-box.ts";
import { openDatabase } from "../../platform/db/database.ts";
import { createMigrated } from "../../platform/db/schema-copy.test-support.ts";
import { createServerCertificates } from "../../platform/wire/server-certificates.ts";
import { acmeRoom } from "./acme.room.ts";

test("a server has its stored certificates before it listens, also of a slow database", async () => {
  const logger = silentLogger;
  const { url, drop } = await createMigrated("sqlite");
  const database = await openDatabase({ url, poolSize: 1 }, { threads: false, logger });
  let isRead = false;
  const changes = { subscribe: () => () => {} };
  const core = { database, changes, config: { get: () => null }, clock: { now: Date.now }, logger };
  const needs = {
    env: { server: { acme: true, port: 8080, acmeDirectory: "https://authority.invalid", acmeEmail: null } },
    box: createSecretBox(() => new Uint8Array(32)),
    links: { domains: { list: () => [], of: () => undefined } },
    notices: {},
    certificates: () => [],
    serverCertificates: createServerCertificates(null),
    async step<T>(work: () => Promise<T>): Promise<T> {
      await Bun.sleep(20);
      const result = await work();
      isRead = true;
      return result;
    },
  };
  const room = await acmeRoom.start(core as never, needs as never);
  expect(isRead).toBe(true);
  room.close?.();
  await database.close();
  await drop();
});
