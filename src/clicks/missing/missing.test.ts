import { beforeAll, beforeEach, expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { addLinks } from "../clicks.test-support.ts";
import { UTC } from "../rollups/calendar.ts";
import { DAY_MS } from "../rollups/time-buckets.ts";
import { createMissCounter } from "./miss-counter.ts";
import { MOST_MISSING } from "./missing-count.ts";
import { createMissingRepository } from "./repository.ts";

const NOON = Date.UTC(2026, 10, 20, 12);
const TODAY = UTC.day.of(NOON);

forEachDialect((dialect) => {
  let database: Database;
  let isAway = false;
  const clock = { time: NOON, now: () => clock.time };

  beforeAll(async () => {
    database = await dialect.openDb();
  });
  beforeEach(async () => {
    clock.time = NOON;
    await database.write.deleteFrom("missing_codes").execute();
  });

  function start() {
    const { add } = createMissingRepository(database);
    return createMissCounter({
      repository: { add: (...given) => (isAway ? Promise.reject(new Error("away")) : add(...given)) },
      isAutomated: (request: boolean) => request,
      isEnabled: () => true,
      calendar: async () => UTC,
      clock,
      logger: silentLogger,
    });
  }
  const seen = (from = TODAY, to = TODAY, limit = 10) =>
    createMissingRepository(database).seen(from, to, "all", limit);

  test("requests are counted by code and day on two nodes, people and machines apart", async () => {
    const [one, other] = [start(), start()];
    for (const node of [one, other]) for (let i = 0; i < 3; i++) node.add("sprnig", false);
    one.add("sprnig", true);
    one.add("wp-login.php", true);
    await Promise.all([one.flush(), other.flush()]);
    clock.time = NOON + DAY_MS;
    other.add("sprnig", false);
    await other.flush();
    expect(await seen(TODAY, TODAY + 1)).toEqual({
      codes: [
        { key: "sprnig", human: 7, automated: 1, seenAt: NOON + DAY_MS },
        { key: "wp-login.php", human: 0, automated: 1, seenAt: NOON },
      ],
      further: { human: 0, automated: 0 },
    });
    expect((await seen()).codes[0]).toMatchObject({ human: 6, automated: 1, seenAt: NOON });
  });

  test("a code that has a link now is not listed", async () => {
    const missing = start();
    const [id] = await addLinks(database, 1);
    const { code } = await database.read
      .selectFrom("links")
      .select("code")
      .where("id", "=", id!)
      .executeTakeFirstOrThrow();
    missing.add(code, false);
    missing.add("other", false);
    await missing.flush();
    expect((await seen()).codes.map(({ key }) => key)).toEqual(["other"]);
  });

  test("a flood of codes is bounded, and does not disturb those that a day has", async () => {
    const [one, other] = [start(), start()];
    one.add("misprint", false);
    await one.flush();
    for (let i = 0; i < 3 * MOST_MISSING; i++) one.add(`flood-${i}`, true);
    one.add("misprint", false);
    await one.flush();
    other.add("late", false);
    await other.flush();
    other.add("misprint", false);
    await other.flush();
    const { codes, further } = await seen(TODAY, TODAY, 2 * MOST_MISSING);
    expect(codes.length).toBe(MOST_MISSING);
    expect(codes[0]).toEqual({ key: "misprint", human: 3, automated: 0, seenAt: NOON });
    expect(further).toEqual({ human: 1, automated: 2 * MOST_MISSING + 1 });
  });

  test("while the database is away nothing is lost, over midnight too", async () => {
    const missing = start();
    isAway = true;
    missing.add("sprnig", false);
    await missing.flush();
    clock.time = NOON + DAY_MS;
    missing.add("sprnig", true);
    await missing.flush();
    isAway = false;
    await missing.flush();
    expect((await seen()).codes).toEqual([{ key: "sprnig", human: 1, automated: 0, seenAt: NOON }]);
    expect((await seen(TODAY + 1, TODAY + 1)).codes).toMatchObject([{ human: 0, automated: 1 }]);
  });
});
