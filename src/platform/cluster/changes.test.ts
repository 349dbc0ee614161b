import { afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { openDatabaseProxy } from "../../clicks/database-proxy.test-support.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { forEachDialect } from "../db/for-each-dialect.test-support.ts";
import { silentLogger } from "../../lib/logger.ts";
import {
  type Bus,
  type ChangeMessage,
  type ChangeMessageHandler,
  type Changes,
  createChanges,
} from "./changes.ts";
import type { Topic } from "./change-subscribers.ts";
import { createFeed } from "./feed.repository.ts";

const setting = (key: string) => ({ key, value: "1", updated_at: 0, updated_by: "test" });
const feedRow = (created_at: number) => ({ topic: "links", payload: "[]", origin: "x", created_at });
const HOUR = 3_600_000;

forEachDialect(({ openDb, name, url }) => {
  let [a, b]: Database[] = [];
  let now = 1_000_000_000_000;
  const clock = { now: () => now };
  const made: Changes[] = [];

  beforeAll(async () => {
    [a, b] = [await openDb({ threads: true }), await openDb()];
  });
  beforeEach(async () => {
    await a!.write.deleteFrom("changes").execute();
  });
  afterEach(async () => {
    for (const changes of made.splice(0)) await changes.stop();
  });

  /** A process's feed that has started, and the changes that it delivers. */
  const listen = async (database: Database, bus?: Bus) => {
    const changes = createChanges({
      database,
      clock,
      logger: silentLogger,
      ...(bus === undefined ? {} : { bus }),
    });
    made.push(changes);
    const received: [Topic, ...string[]][] = [];
    for (const topic of ["links", "settings", "users", "sessions"] as const)
      changes.subscribe(topic, (keys) => void received.push([topic, ...keys]));
    await changes.start();
    return { changes, received };
  };

  test("a database that reports commits is not queried for changes without one", async () => {
    let queries = 0;
    const read = new Proxy(a!.read, {
      get(target, key) {
        if (key === "selectFrom") queries++;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const { changes, received } = await listen({ ...a!, read });
    await changes.poll();
    const before = queries;
    for (let round = 0; round < 5; round++) {
      now += 500;
      await changes.poll();
      expect(changes.isCurrent(now)).toBe(true);
    }
    if (a!.commits() !== undefined) expect(queries).toBe(before);
    else expect(queries).toBe(before + 5);
    await (await listen(b!)).changes.write(async (tx) => tx.changed("links", ["x"]));
    await changes.poll();
    expect(received).toEqual([["links", "x"]]);
  });

  test("another process receives a commit once, the writer at once", async () => {
    const [one, two] = [await listen(a!), await listen(b!)];
    const result = await one.changes.write(async (tx) => {
      await tx.db.insertInto("settings").values(setting("k1")).execute();
      tx.changed("settings", ["k1"]);
      tx.changed("links", ["x", "y"]);
      tx.changed("links", ["y", "z"]);
      tx.changed("users", []);
      return 42;
    });
    expect(result).toBe(42);
    const expected = [
      ["links", "x", "y", "z"],
      ["settings", "k1"],
    ];
    expect(one.received.sort()).toEqual(expected as never);
    for (let i = 0; i < 3; i++) await Promise.all([one.changes.poll(), two.changes.poll()]);
    expect(two.received.sort()).toEqual(expected as never);
    expect(one.received).toHaveLength(2);
  });

  if (name !== "sqlite") {
    test("a commit whose response is lost reaches its own process through the feed", async () => {
      const proxy = await openDatabaseProxy(url());
      const wired = await openDatabase(
        { url: proxy.url, poolSize: 2 },
        { threads: false, logger: silentLogger },
      );
      try {
        const one = await listen(wired);
        proxy.loseNextCommit();
        const write = (key: string) =>
          one.changes.write(async (tx) => {
            await tx.db.insertInto("settings").values(setting(key)).execute();
            tx.changed("settings", [key]);
          });
        await expect(write("in-doubt")).rejects.toMatchObject({ kind: "unavailable" });
        expect(proxy.lost()).toBe(1);
        await one.changes.poll();
        expect(one.received).toContainEqual(["settings", "in-doubt"]);
        const after = one.received.length;
        await write("certain");
        await one.changes.poll();
        expect(one.received.slice(after)).toEqual([["settings", "certain"]]);
        await one.changes.stop();
      } finally {
        await wired.close();
        proxy.close();
      }
    });
  }

  test("a rolled back write sends no notice", async () => {
    const [one, two] = [await listen(a!), await listen(b!)];
    const failed = one.changes.write(async (tx) => {
      await tx.db.insertInto("settings").values(setting("gone")).execute();
      tx.changed("settings", ["gone"]);
      throw new RangeError("mine");
    });
    await expect(failed).rejects.toThrow("mine");
    await two.changes.poll();
    expect([...one.received, ...two.received]).toEqual([]);
    const rows = await a!.read.selectFrom("settings").select("key").where("key", "=", "gone").execute();
    expect(rows).toEqual([]);
  });

  test("a row committed after one with a higher id is received", async () => {
    const two = await listen(b!);
    const insert = (id: number, key: string) =>
      a!.write
        .insertInto("changes")
        .values({ id, topic: "links", payload: JSON.stringify([key]), origin: "elsewhere", created_at: now })
        .execute();
    const top = await a!.dialect.insertReturningId(a!.write, "changes", {
      topic: "links",
      payload: '["first"]',
      origin: "elsewhere",
      created_at: now,
    });
    await insert(top + 4, "early");
    await two.changes.poll();
    expect(two.received).toEqual([["links", "first", "early"]]);
    await insert(top + 2, "late");
    await two.changes.poll();
    now += 100_000;
    await insert(top + 1, "later");
    await two.changes.poll();
    await two.changes.poll();
    expect(two.received.slice(1)).toEqual([
      ["links", "late"],
      ["links", "later"],
    ]);
    // After two minutes the missing row counts as rolled back, and the reader stops looking for it.
    now += 30_000;
    await two.changes.poll();
    await insert(top + 3, "never");
    await two.changes.poll();
    expect(two.received).toHaveLength(3);
    await a!.write.deleteFrom("changes").where("origin", "=", "elsewhere").execute();
  });

  test("thousands of keys are split into rows of 500 and received together", async () => {
    const [one, two] = [await listen(a!), await listen(b!)];
    const keys = Array.from({ length: 5_001 }, (_, i) => `code-${i}`);
    await one.changes.write(async (tx) => tx.changed("links", keys));
    const rows = await a!.read.selectFrom("changes").select("payload").execute();
    expect(rows).toHaveLength(11);
    const long = Array.from({ length: 500 }, (_, i) => `${i}${"\u0000".repeat(120)}`);
    await one.changes.write(async (tx) => tx.changed("sessions", long));
    const sizes = await a!.read.selectFrom("changes").select("payload").execute();
    expect(Math.max(...sizes.map(({ payload }) => Buffer.byteLength(payload)))).toBeLessThanOrEqual(60_000);
    await two.changes.poll();
    expect(two.received.map(([topic, ...received]) => [topic, received.length])).toEqual([
      ["links", 5_001],
      ["sessions", 500],
    ]);
  });

  test("one poll reads more rows than a page", async () => {
    const [one, two] = [await listen(a!), await listen(b!)];
    for (let i = 0; i < 3; i++)
      await one.changes.write(async (tx) =>
        tx.changed(
          "links",
          Array.from({ length: 40_000 }, (_, n) => `${i}-${n}`),
        ),
      );
    await two.changes.poll();
    expect(new Set(two.received.flat()).size).toBe(120_000 + 1);
  });

  test("a process that was away for nearly an hour reloads everything", async () => {
    const [one, two] = [await listen(a!), await listen(b!)];
    await one.changes.write(async (tx) => tx.changed("links", ["missed"]));
    now += HOUR;
    await two.changes.poll();
    expect(two.received.sort()).toEqual([
      ["links", "*"],
      ["sessions", "*"],
      ["settings", "*"],
      ["users", "*"],
    ]);
    await one.changes.write(async (tx) => tx.changed("links", ["next"]));
    await two.changes.poll();
    expect(two.received.at(-1)).toEqual(["links", "next"]);
  });

  test("a poll prunes rows older than an hour", async () => {
    const old = Array.from({ length: 1_500 }, (_, i) => feedRow(now - HOUR - i));
    await a!.dialect.insertMany(a!.write, "changes", [...old, feedRow(now - HOUR + 1)]);
    await createFeed(a!).prune(now - HOUR);
    const left = await a!.read.selectFrom("changes").select("created_at").execute();
    expect(left.map(({ created_at }) => created_at).sort()).toEqual([now - HOUR, now - HOUR + 1]);
  });

  test("a feed is current for a second after the start of its last reading", async () => {
    const { changes } = await listen(a!);
    const readAt = now;
    expect(changes.isCurrent(readAt + 1_000)).toBe(true);
    expect(changes.isCurrent(readAt + 1_001)).toBe(false);
  });

  test("a failing subscriber affects neither the write nor the other subscribers", async () => {
    const one = await listen(a!);
    one.changes.subscribe("users", () => {
      throw new Error("mine");
    });
    const leave = one.changes.subscribe("users", () => {
      throw new Error("nobody calls me");
    });
    leave();
    await one.changes.write(async (tx) => tx.changed("users", ["7"]));
    expect(one.received).toEqual([["users", "7"]]);
  });

  test("a poll that begins after a commit includes it", async () => {
    const [one, two] = [await listen(a!), await listen(b!)];
    for (let i = 0; i < 5; i++) {
      const earlier = two.changes.poll();
      await one.changes.write(async (tx) => tx.changed("links", [`c${i}`]));
      await two.changes.poll();
      expect(two.received.flat()).toContain(`c${i}`);
      await earlier;
    }
  });

  test("the writer publishes on the bus after the commit and waits; bus messages reach subscribers once", async () => {
    const published: ChangeMessage[] = [];
    let hear: ChangeMessageHandler | undefined;
    const bus: Bus = {
      publish: async (news) => {
        await Bun.sleep(1);
        published.push(news);
      },
      subscribe: (handler) => {
        hear = handler;
        return () => {
          hear = undefined;
        };
      },
    };
    const [one, two] = [await listen(a!, bus), await listen(b!)];
    await one.changes.write(async (tx) => tx.changed("links", ["a"]));
    await one.changes.write(async () => {});
    const changes = [{ topic: "links", keys: ["a"] }];
    expect(published as unknown).toEqual([{ write: expect.any(String), changes, isCleaned: false }]);

    // Rows of the other process arrive by the bus, perhaps twice, and then in the feed.
    await two.changes.write(async (tx) => tx.changed("users", ["1"]));
    const [row] = await a!.read.selectFrom("changes").select("origin").where("topic", "=", "users").execute();
    const news: ChangeMessage = {
      write: row!.origin,
      changes: [{ topic: "users", keys: ["1"] }],
      isCleaned: true,
    };
    const cleaned: boolean[] = [];
    one.changes.subscribe("users", (_keys, isCleaned) => void cleaned.push(isCleaned));
    await Promise.all([hear!(news), hear!(news)]);
    await one.changes.poll();
    expect([one.received.slice(1), cleaned]).toEqual([[["users", "1"]], [true]]);
    // A part of a write does not replace its rows.
    await two.changes.write(async (tx) => tx.changed("users", ["2"]));
    await hear!({ write: null, changes: [{ topic: "users", keys: ["2"] }], isCleaned: true });
    await one.changes.poll();
    expect([one.received.slice(2).flat(), cleaned.slice(1)]).toEqual([
      ["users", "2", "users", "2"],
      [true, false],
    ]);
    await one.changes.stop();
    expect(hear).toBeUndefined();
  });
});
