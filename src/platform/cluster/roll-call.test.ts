import { afterEach, beforeAll, expect, test } from "bun:test";
import { createFresh } from "../db/fresh.test-support.ts";
import { openDatabase, type Database } from "../db/database.ts";
import { migrateUp } from "../db/migrate.ts";
import { systemClock } from "../../lib/clock.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createChanges } from "./changes.ts";
import { createRollCall } from "./roll-call.ts";

const options = { threads: false, logger: silentLogger };
const ending: (() => Promise<unknown>)[] = [];
let database: Database;
beforeAll(async () => {
  const fresh = await createFresh("sqlite");
  database = await openDatabase({ url: fresh.url, poolSize: 1 }, options);
  await migrateUp(database, options);
  return fresh;
});
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

const running = new Set<string>();

/** A command unless it has a number. */
async function open(number = "command", boundMs = 5_000) {
  const changes = createChanges({ database, clock: systemClock, logger: silentLogger });
  const processes = { number: async () => number, look: async () => ({ running, ended: new Set<string>() }) };
  if (number !== "command") {
    running.add(number);
    await changes.start();
    ending.push(changes.stop);
  }
  return createRollCall({ changes, processes, logger: silentLogger, boundMs });
}

test("a call of a command or server resolves when all have done their work, and names how many have not", async () => {
  const done: string[] = [];
  const [one, two, command] = [await open("1"), await open("2"), await open("command")];
  const gate = Promise.withResolvers<void>();
  one.respondBy(async () => done.push("1"));
  two.respondBy(() => gate.promise.then(() => done.push("2")));
  const calls = [one.call(), command.call()];
  gate.resolve();
  expect(await Promise.all(calls)).toEqual([0, 0]);
  expect([...new Set(done)].sort()).toEqual(["1", "2"]);
  const silent = await open("3");
  silent.respondBy(() => Promise.reject(new Error("the database is away")));
  expect(await (await open("command", 0)).call()).toBeGreaterThan(0);
  running.clear();
  expect(await command.call()).toBe(0);
});
