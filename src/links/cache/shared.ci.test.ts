import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openRedis, type Redis } from "../../platform/cluster/redis.ts";
import { silentLogger } from "../../lib/logger.ts";
import { startProxyTo, type TcpProxy } from "../../lib/tcp-proxy.test-support.ts";
import type { FoundLink, SharedLinks } from "./cached-link.ts";
import { createSharedLinks } from "./shared.ts";

const URL_OF_SERVER = process.env["WAYMARK_TEST_REDIS_URL"] ?? "";
const link = (id: number, target = `https://h/${id}`, expires_at: number | null = null): FoundLink => ({
  id,
  target,
  expires_at,
});

const loads = (found: FoundLink | null) => {
  const load = { times: 0, run: async () => found as FoundLink | null };
  load.run = async () => {
    load.times++;
    return found;
  };
  return load;
};

describe.skipIf(URL_OF_SERVER === "")("links in Redis (WAYMARK_TEST_REDIS_URL)", () => {
  let proxy: TcpProxy;
  let instance: string;
  let one: { redis: Redis; shared: SharedLinks };
  let two: typeof one;
  const opened: Redis[] = [];

  beforeAll(async () => {
    proxy = await startProxyTo(URL_OF_SERVER);
  });
  beforeEach(async () => {
    instance = crypto.randomUUID();
    one = await open();
    two = await open();
    // Each connection begins a generation.
    await one.shared.clear();
  });
  afterEach(() => {
    proxy.heal();
    for (const redis of opened.splice(0)) redis.close();
  });
  afterAll(() => proxy.stop());

  async function open(enforcesPasswords = () => false) {
    const redis = await openRedis({
      url: proxy.through(URL_OF_SERVER),
      instance,
      logger: silentLogger,
      limits: { commandMs: 300, longestPauseMs: 100 },
    });
    opened.push(redis);
    return { redis, shared: createSharedLinks({ redis, ttlSeconds: 0, enforcesPasswords }) };
  }
  /** The stored link; null without one. */
  const held = async (code: string) => (await two.shared.find(code, async () => null)) ?? null;
  const stored = async (code: string) => {
    while ((await held(code)) === null) await Bun.sleep(2);
    return held(code);
  };

  test("a link that one process found reaches another without a query", async () => {
    for (const found of [
      link(1),
      link(2 ** 52, "https://h/ä ö?q=1 2#x\ny", 1_800_000_000_000),
      link(3, `https://h/${"x".repeat(4_000)}`),
    ]) {
      const code = `code/${found.id}`;
      expect(await one.shared.find(code, loads(found).run)).toEqual(found);
      expect(await stored(code)).toEqual(found);
    }
  });

  test("unknown codes and very long targets are not stored", async () => {
    const long = link(1, `https://h/${"x".repeat(5_000)}`);
    for (const found of [null, long]) {
      const load = loads(found);
      for (let i = 0; i < 3; i++) expect(await one.shared.find("a", load.run)).toEqual(found);
      expect(load.times).toBe(3);
    }
  });

  test("a reader that queried before a change does not store the old link after it", async () => {
    const loaded = Promise.withResolvers<FoundLink>();
    const slow = one.shared.find("a", () => loaded.promise);
    // Another reader joins under the same lease. A third comes after the change, under a new lease.
    const joined = two.shared.find("a", () => loaded.promise);
    await Bun.sleep(20);
    await two.shared.delete(["a"]);
    const after = Promise.withResolvers<FoundLink>();
    const third = two.shared.find("a", () => after.promise);
    await Bun.sleep(20);
    loaded.resolve(link(1, "https://old/"));
    expect([await slow, await joined].map((found) => found?.target)).toEqual([
      "https://old/",
      "https://old/",
    ]);
    await Bun.sleep(20);
    expect(await held("a")).toBeNull();
    after.resolve(link(1, "https://new/"));
    await third;
    expect(await stored("a")).toEqual(link(1, "https://new/"));
  });

  test("delete removes one link or thousands; clear removes all, and refuses older responses", async () => {
    for (const code of ["a", "b", "c"]) await one.shared.find(code, loads(link(1)).run);
    for (const code of ["a", "b", "c"]) await stored(code);
    await two.shared.delete(["a", ...Array.from({ length: 1_200 }, (_, at) => `x${at}`), "b"]);
    expect([await held("a"), await held("b"), await held("c")]).toEqual([null, null, link(1)]);
    await two.shared.delete(Array.from({ length: 10_001 }, (_, at) => `x${at}`));
    expect(await held("c")).toBeNull();
    const loaded = Promise.withResolvers<FoundLink>();
    const slow = one.shared.find("d", () => loaded.promise);
    await Bun.sleep(20);
    await two.shared.clear();
    loaded.resolve(link(4));
    await slow;
    await Bun.sleep(20);
    expect(await held("d")).toBeNull();
  });

  test("while Redis is away the database responds, and no old link returns with Redis", async () => {
    await one.shared.find("a", loads(link(1, "https://old/")).run);
    await stored("a");
    proxy.sever();
    while (await one.redis.check()) await Bun.sleep(5);
    // No delete succeeds now.
    await one.shared.delete(["a"]);
    const load = loads(link(1, "https://new/"));
    expect(await one.shared.find("a", load.run)).toEqual(link(1, "https://new/"));
    proxy.heal();
    while (!(await one.redis.check())) await Bun.sleep(5);
    expect(await one.shared.find("a", load.run)).toEqual(link(1, "https://new/"));
    expect(load.times).toBe(2);
  });

  test("after a delete without response from Redis the old link can't be found", async () => {
    await one.shared.find("a", loads(link(1, "https://old/")).run);
    await stored("a");
    proxy.mode = "hang";
    await one.shared.delete(["a"]);
    proxy.mode = "pass";
    while (!(await one.redis.check())) await Bun.sleep(5);
    expect((await one.shared.find("a", loads(link(1, "https://new/")).run))?.target).toBe("https://new/");
  });

  test("a Redis without its keys, or with invalid values, is filled again", async () => {
    await one.redis.send("DEL", [one.redis.generationKey]);
    await one.shared.find("a", loads(link(1)).run);
    expect(await stored("a")).toEqual(link(1));
    const generation = String(await one.redis.send("GET", [one.redis.generationKey]));
    await one.redis.send("SET", [one.redis.key("link", "b"), `${generation}=nonsense`]);
    expect(await one.shared.find("b", loads(link(2)).run)).toEqual(link(2));
  });

  test("a node that enforces passwords takes no link of one that has not heard of it yet, nor the reverse", async () => {
    const setting = { isOn: false };
    const enforcing = await open(() => true);
    const late = await open(() => setting.isOn);
    const plain = link(1, "https://open/");
    const locked = link(1, "https://locked/");
    await late.shared.find("a", loads(plain).run);
    expect(await stored("a")).toEqual(plain);
    const load = loads(locked);
    for (let i = 0; i < 2; i++) expect(await enforcing.shared.find("a", load.run)).toEqual(locked);
    expect([load.times, await held("a")]).toEqual([2, plain]);
    await enforcing.shared.delete(["a"]);
    expect(await enforcing.shared.find("a", load.run)).toEqual(locked);
    await Bun.sleep(20);
    expect(await late.shared.find("a", loads(plain).run)).toEqual(plain);
    expect(await enforcing.shared.find("a", load.run)).toEqual(locked);
    expect(load.times).toBe(3);
    // The setting arrives while the link is read.
    const loaded = Promise.withResolvers<FoundLink>();
    const reading = late.shared.find("b", () => loaded.promise);
    await Bun.sleep(20);
    setting.isOn = true;
    loaded.resolve(link(2, "https://open/"));
    await reading;
    await Bun.sleep(20);
    expect([await held("b"), await enforcing.shared.find("b", async () => null)]).toEqual([null, null]);
  });

  test("a failing database fails the lookup and stores nothing", async () => {
    const failing = one.shared.find("a", async () => {
      throw new Error("away");
    });
    await expect(failing).rejects.toThrow("away");
    expect(await held("a")).toBeNull();
  });
});
