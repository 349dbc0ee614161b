import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { RedisClient } from "bun";
import { type Logger, silentLogger } from "../../lib/logger.ts";
import { startProxyTo, type TcpProxy } from "../../lib/tcp-proxy.test-support.ts";
import type { ChangeMessage } from "./changes.ts";
import type { Change } from "./change-subscribers.ts";
import { openRedis, type Redis } from "./redis.ts";
import { combineBuses } from "./redis-bus.ts";
import { redisAddress } from "./redis-connection.ts";
import { until } from "../../../test/support/until.ts";

const URL_OF_SERVER = process.env["WAYMARK_TEST_REDIS_URL"] ?? "";

const links = (...keys: string[]): Change => ({ topic: "links", keys });

const listen = (redis: Redis) => {
  const received: Change[] = [];
  redis.bus.subscribe(async ({ changes }) => void received.push(...changes));
  return received;
};

const news = (changes: readonly Change[]): ChangeMessage => ({
  write: crypto.randomUUID(),
  changes,
  isCleaned: false,
});

/** Responds as a Sentinel that has one master, and a version that does not matter. */
const startSentinel = (portOf: () => number) =>
  Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, bytes) {
        const text = bytes.toString();
        if (text.includes("HELLO")) socket.write("%0\r\n");
        const port = String(portOf());
        if (text.includes("get-master-addr-by-name"))
          socket.write(`*2\r\n$9\r\n127.0.0.1\r\n$${port.length}\r\n${port}\r\n`);
      },
    },
  });

describe.skipIf(URL_OF_SERVER === "")("Redis (WAYMARK_TEST_REDIS_URL)", () => {
  let proxy: TcpProxy;
  const opened: Redis[] = [];
  const instance = crypto.randomUUID();
  const limits = { connectMs: 300, commandMs: 200, heartbeatMs: 100, longestPauseMs: 100 };

  beforeAll(async () => {
    proxy = await startProxyTo(URL_OF_SERVER);
  });
  afterEach(() => {
    proxy.heal();
    for (const redis of opened.splice(0)) redis.close();
  });
  afterAll(() => proxy.stop());

  test("a refused password and missing rights are named, and end when they are put right", async () => {
    const admin = new RedisClient(URL_OF_SERVER);
    const user = `waymark_test_${crypto.randomUUID().slice(0, 8)}`;
    const allow = (...rules: string[]) => admin.send("ACL", ["SETUSER", user, ...rules]);
    const url = (password: string) => URL_OF_SERVER.replace("://", `://${user}:${password}@`);
    const lines: string[] = [];
    const logger = { ...silentLogger, warn: add, error: add } as unknown as Logger;
    function add(first: unknown, second?: unknown) {
      lines.push(String(second ?? first));
    }
    try {
      await allow("on", ">right", "~*", "&*", "+@all");
      const redis = await openRedis({ url: url("wrong"), instance, logger, limits });
      opened.push(redis);
      await until(() => redis.refusal() !== null);
      expect(redis.refusal()).toContain(`Redis refused the password of the account '${user}'`);
      expect(await redis.check()).toBe(false);
      expect(lines.join()).not.toContain("is away");
      await allow(">wrong");
      await until(redis.check);
      expect(redis.refusal()).toBeNull();
      await allow("-ping");
      await until(() => redis.refusal() !== null);
      expect(redis.refusal()).toContain(`does not let the account '${user}' run the commands`);
      expect(redis.refusal()).toContain("Allow them with ACL SETUSER");
      expect(lines.join()).not.toMatch(/wrong@|:wrong/);
    } finally {
      await admin.send("ACL", ["DELUSER", user]);
      admin.close();
    }
  });

  const open = async (url = proxy.through(URL_OF_SERVER), name = instance) => {
    const redis = await openRedis({ url, instance: name, logger: silentLogger, limits });
    opened.push(redis);
    return redis;
  };

  test("a message reaches the other processes of the installation, not its sender", async () => {
    const [one, two, other] = [await open(), await open(), await open(undefined, crypto.randomUUID())];
    const received = [listen(one), listen(two), listen(other)];
    await one.bus.publish(news([links("a", "b"), { topic: "settings", keys: ["*"] }]));
    await until(() => received[1]!.length === 2);
    expect(received).toEqual([[], [links("a", "b"), { topic: "settings", keys: ["*"] }], []]);
  });

  test("the codes of an import arrive in portions", async () => {
    const [one, two] = [await open(), await open()];
    const received = listen(two);
    const codes = Array.from({ length: 4_500 }, (_, at) => `code-${at}`);
    await one.bus.publish(news([links(...codes)]));
    await until(() => received.length === 3);
    expect(received.flatMap((change) => change.keys)).toEqual(codes);
  });

  test("malformed messages are ignored", async () => {
    const [one, two] = [await open(), await open()];
    const received = listen(two);
    const channel = one.key("bus", "changes");
    for (const junk of [
      "",
      "{",
      "null",
      '{"origin":1}',
      '{"origin":"x","changes":[null,{"topic":"none","keys":[]}]}',
    ])
      await one.send("PUBLISH", [channel, junk]);
    await one.bus.publish(news([links("a")]));
    await until(() => received.length > 0);
    expect(received).toEqual([links("a")]);
  });

  test("a cut loses messages and refuses commands at once; then both connections recover", async () => {
    const [one, two] = [await open(), await open()];
    const received = listen(two);
    expect(await one.check()).toBe(true);
    proxy.sever();
    await until(async () => !(await one.check()));
    await expect(one.send("GET", ["x"])).rejects.toMatchObject({ kind: "unavailable" });
    await one.bus.publish(news([links("lost")]));
    proxy.heal();
    await until(async () => (await one.check()) && (await two.check()));
    await one.bus.publish(news([links("found")]));
    await until(() => received.length > 0);
    expect(received).toEqual([links("found")]);
  });

  test("a hanging server blocks a caller no longer than a command's limit", async () => {
    const redis = await open();
    proxy.mode = "hang";
    await expect(redis.send("GET", ["x"])).rejects.toMatchObject({ kind: "unavailable" });
    const refused = await Promise.allSettled(Array.from({ length: 100 }, () => redis.send("GET", ["x"])));
    expect(refused.every((outcome) => outcome.status === "rejected")).toBe(true);
    expect(await redis.check()).toBe(false);
    proxy.heal();
    await until(() => redis.check());
  });

  test("the heartbeat detects a silent server", async () => {
    const redis = await open();
    const generation = await redis.send("GET", [redis.generationKey]);
    proxy.mode = "hang";
    await Bun.sleep(400);
    proxy.heal();
    await until(() => redis.check());
    expect(await redis.send("GET", [redis.generationKey])).not.toBe(generation);
  });

  test("a start without Redis continues and connects later", async () => {
    proxy.sever();
    const redis = await open();
    expect(await redis.check()).toBe(false);
    proxy.heal();
    await until(() => redis.check());
  });

  test("each connection asks the Sentinels for the master, and the most of them decide", async () => {
    const other = await startProxyTo(URL_OF_SERVER);
    let master = proxy;
    const sentinels = [() => master.port, () => master.port, () => 1].map(startSentinel);
    try {
      const hosts = ["127.0.0.1:1", ...sentinels.map(({ port }) => `127.0.0.1:${port}`)];
      const url = URL_OF_SERVER.replace("redis:", "redis+sentinel:").replace(
        /(\/\/(?:[^@]*@)?).*/,
        `$1${hosts.join(",")}/main/0`,
      );
      const redis = await open(url);
      expect(await redis.check()).toBe(true);
      expect(other.sent).toBe(0);
      master = other;
      proxy.sever();
      await until(() => redis.check());
      expect(other.sent).toBeGreaterThan(0);
    } finally {
      for (const sentinel of sentinels) sentinel.stop(true);
      other.stop();
    }
  });

  test("a refused command ends the connection", async () => {
    const redis = await open();
    await expect(redis.send("NONSENSE", [])).rejects.toMatchObject({ kind: "unavailable" });
    await until(() => redis.check());
  });
});

test("the log names the server without its password", () => {
  expect(redisAddress("redis://user:p%40ss@cache.example:6380/2")).toBe("cache.example:6380");
  expect(redisAddress("rediss://:secret@[::1]:6379")).toBe("[::1]:6379");
  expect(redisAddress("redis+unix:///run/redis.sock")).toBe("/run/redis.sock");
  expect(redisAddress("redis+sentinel://:secret@s1,s2:26380/main/1")).toBe("s1,s2:26380/main/1");
  expect(redisAddress("nonsense")).toBe("unknown");
});

test("the error for an invalid URL omits its password", async () => {
  const opening = openRedis({ url: "redis://:secret@h/x", instance: "i", logger: silentLogger });
  await expect(opening).rejects.toMatchObject({ kind: "invalid" });
  await expect(opening).rejects.not.toThrow("secret");
});

test("combined buses tell the workers whether the shared cache is clean, and stop together", async () => {
  const log: unknown[] = [];
  const bus = (name: string, isTaken: boolean) => ({
    publish: async ({ isCleaned }: ChangeMessage) => {
      log.push([name, isCleaned]);
      return isTaken;
    },
    subscribe: () => () => void log.push(`${name} stops`),
    listenOn: async () => {},
  });
  await combineBuses(bus("nodes", true), bus("workers", true)).publish(news([]));
  const joined = combineBuses(bus("nodes", false), bus("workers", true));
  await joined.publish(news([]));
  joined.subscribe(async () => {})();
  expect(log).toEqual([
    ["nodes", false],
    ["workers", true],
    ["nodes", false],
    ["workers", false],
    "nodes stops",
    "workers stops",
  ]);
});
