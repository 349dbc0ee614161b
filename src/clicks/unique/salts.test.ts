import { beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { silentLogger } from "../../lib/logger.ts";
import { createSecretBox } from "../../lib/secret-box.ts";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { UTC } from "../rollups/calendar.ts";
import { DAY_MS } from "../rollups/time-buckets.ts";
import { createSalts } from "./salts.ts";
import { createSaltRepository } from "./salts.repository.ts";
import { visitorOf } from "./visitor.ts";

const MIDNIGHT = Date.UTC(2026, 10, 21);
const key = crypto.getRandomValues(new Uint8Array(32));

forEachDialect((dialect) => {
  let database: Database;
  const clock = { time: MIDNIGHT - DAY_MS / 2, now: () => clock.time };
  let isOn = true;

  beforeAll(async () => {
    database = await dialect.openDb();
  });

  const start = (box = createSecretBox(() => key)) =>
    createSalts({
      repository: createSaltRepository(database),
      box,
      isEnabled: () => isOn,
      calendar: async () => UTC,
      clock,
      logger: silentLogger,
    });
  const rows = () => database.read.selectFrom("visitor_salts").selectAll().orderBy("day").execute();

  test("all processes have one salt a day, before it begins, and none of yesterday", async () => {
    const [one, other] = [start(), start()];
    expect(one.at(clock.time)).toBeNull();
    await Promise.all([one.renew(), other.renew()]);
    const today = one.at(clock.time)!;
    expect(other.at(clock.time)).toBe(today);
    expect(one.at(MIDNIGHT)).toBeNull();
    const [sealed] = await rows();
    expect(sealed!.salt).not.toContain(today);

    clock.time = MIDNIGHT - 60_000;
    await Promise.all([one.renew(), other.renew()]);
    const tomorrow = one.at(MIDNIGHT)!;
    expect(tomorrow).not.toBe(today);
    expect([other.at(MIDNIGHT), one.at(MIDNIGHT - 1)]).toEqual([tomorrow, today]);

    clock.time = MIDNIGHT + 120_000;
    await Promise.all([one.renew(), other.renew()]);
    expect([one.at(MIDNIGHT - 1), other.at(MIDNIGHT - 1)]).toEqual([null, null]);
    expect((await rows()).map(({ day }) => day)).toEqual([MIDNIGHT / DAY_MS]);
    if (dialect.name === "sqlite") {
      const folder = dirname(dialect.url().replace(/^sqlite:/, ""));
      for (const name of readdirSync(folder)) {
        const bytes = readFileSync(join(folder, name), "latin1");
        expect(bytes.includes(sealed!.salt)).toBe(false);
      }
    }
  });

  test("while the setting is off there is none, and another key can't open it", async () => {
    const salts = start();
    isOn = false;
    await salts.renew();
    expect(salts.at(clock.time)).toBeNull();
    isOn = true;
    const other = start(createSecretBox(() => new Uint8Array(32)));
    await other.renew();
    expect(other.at(clock.time)).toBeNull();
  });
});

test("a visitor is a number that address, agent, class and salt decide", () => {
  const who = { address: "192.0.2.1", agent: "Firefox", isAutomated: false };
  const visitor = visitorOf("salt", who);
  expect(Number.isSafeInteger(visitor) && visitor > 0).toBe(true);
  expect(visitorOf("salt", { ...who })).toBe(visitor);
  const others = [
    visitorOf("other", who),
    visitorOf("salt", { ...who, address: "192.0.2.2" }),
    visitorOf("salt", { ...who, agent: "Chrome" }),
    visitorOf("salt", { ...who, isAutomated: true }),
  ];
  expect(new Set([visitor, ...others]).size).toBe(5);
});
