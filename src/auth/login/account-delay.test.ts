import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type AccountDelay, createAccountDelay, delayAfter } from "./account-delay.ts";
import { createLoginFailuresRepository } from "./failures.repository.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

test("the delay doubles from the fifth failure up to fifteen minutes", () => {
  const delays = [1, 4, 5, 6, 7, 14, 15, 16, 1000, 100_000].map((failures) => delayAfter(failures) / 1000);
  expect(delays).toEqual([0, 0, 1, 2, 4, 512, 900, 900, 900, 900]);
});

const waitOf = (error: unknown) => (error as { details: { retryAfterSeconds: number } }).details;

forEachDialect((dialect) => {
  const time = { now: 1_800_000_000_000 };
  let database: Database;
  let delay: AccountDelay;
  let key: { username: string };
  const on = (opened: Database) =>
    createAccountDelay({
      repository: createLoginFailuresRepository(opened),
      clock: { now: () => time.now },
    });
  const charge = async (times: number) => {
    for (let n = 0; n < times; n++) await delay.charge(key);
  };
  const refusal = () =>
    delay.charge(key).then(
      () => null,
      (error: unknown) => waitOf(error).retryAfterSeconds,
    );

  beforeAll(async () => {
    database = await dialect.openDb();
    delay = on(database);
  });
  beforeEach(() => {
    key = { username: crypto.randomUUID() };
  });

  test("four failures are free, then attempts wait", async () => {
    await charge(5);
    expect(await refusal()).toBe(1);
    time.now += 1000;
    await charge(1);
    expect(await refusal()).toBe(2);
    time.now += 1999;
    expect(await refusal()).toBe(1);
    time.now += 1;
    await charge(1);
    expect(await refusal()).toBe(4);
  });

  test("success clears all failures", async () => {
    await charge(5);
    await delay.clear(key);
    await charge(5);
    expect(await refusal()).toBe(1);
  });

  test("an attempt that was taken back does not count", async () => {
    await charge(4);
    for (let n = 0; n < 20; n++) {
      await charge(1);
      await delay.revert(key);
    }
    await charge(1);
    expect(await refusal()).toBe(1);
    time.now += 1000;
    await charge(1);
    await delay.revert(key);
    await charge(1);
    expect(await refusal()).toBe(2);
    for (let n = 0; n < 20; n++) await delay.revert(key);
    await charge(5);
    expect(await refusal()).toBe(1);
    await delay.revert({ username: crypto.randomUUID() });
  });

  test("attempts that two processes take back at once do not count", async () => {
    const other = on(await dialect.openDb());
    await charge(4);
    const delays = [delay, other, delay, other];
    await Promise.all(delays.map((each) => each.revert(key)));
    await charge(5);
    expect(await refusal()).toBe(1);
  });

  test("attempts during the delay do not extend it beyond fifteen minutes", async () => {
    for (let n = 0; n < 30; n++) {
      await charge(1);
      await refusal();
      time.now += 15 * MINUTE;
    }
    await charge(1);
    for (let n = 0; n < 5; n++) expect(await refusal()).toBe(900);
    time.now += 15 * MINUTE;
    expect(await refusal()).toBeNull();
  });

  test("failures are forgotten after a day without attempts", async () => {
    await charge(5);
    time.now += DAY;
    await charge(4);
    expect(await refusal()).toBeNull();
  });

  test("a clock set back does not lock an account out", async () => {
    await charge(5);
    time.now -= DAY * 30;
    expect(await refusal()).toBeNull();
    time.now += DAY * 30;
  });

  test("an account, a browser and a share of one name count separately", async () => {
    await charge(5);
    await delay.charge({ sessionId: key.username });
    const share = { what: "share", linkId: Math.floor(Math.random() * 1e9) } as const;
    for (let n = 0; n < 5; n++) await delay.charge(share);
    await expect(delay.charge(share)).rejects.toThrow("this share");
    expect(await refusal()).toBe(1);
  });

  test("at most five of many parallel attempts through two processes pass", async () => {
    const other = on(await dialect.openDb());
    const tries = Array.from({ length: 16 }, (_, n) => (n % 2 === 0 ? delay : other).charge(key));
    const settled = await Promise.allSettled(tries);
    const passed = settled.filter(({ status }) => status === "fulfilled").length;
    expect(passed).toBeGreaterThanOrEqual(1);
    expect(passed).toBeLessThanOrEqual(5);
    for (const result of settled) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ name: "RateLimitExceeded" });
    }
  });

  describe("stale rows", () => {
    test("are removed, a bounded number at a time", async () => {
      time.now += 2 * DAY;
      await delay.removeForgotten(1000);
      for (let n = 0; n < 5; n++) await delay.charge({ username: `stale-${n}` });
      expect(await delay.removeForgotten(1000)).toBe(0);
      time.now += DAY + 1;
      await charge(1);
      expect([await delay.removeForgotten(3), await delay.removeForgotten(3)]).toEqual([3, 2]);
      expect(await delay.removeForgotten(3)).toBe(0);
      expect(await refusal()).toBeNull();
    });
  });
});
