import { expect, test } from "bun:test";
import { DatabaseError } from "../db/failures.ts";
import { type Logger, silentLogger } from "../../lib/logger.ts";
import { createPolling } from "./changes.ts";

const away = () => new DatabaseError("unavailable", new Error("gone"));

test("polling continues after a failure, with housekeeping after each success", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const log: string[] = [];
  const polling = createPolling({
    logger: silentLogger,
    read: async () => {
      log.push("read");
      if (log.length === 2) throw away();
    },
    afterwards: async () => {
      log.push("afterwards");
      if (log.length === 4) resolve();
    },
  });
  await polling.start();
  await promise;
  await polling.stop();
  expect(log).toEqual(["read", "read", "read", "afterwards"]);
});

test("an outage is logged once, as it begins, and its end", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const logged: string[] = [];
  let reads = 0;
  const polling = createPolling({
    logger: {
      ...silentLogger,
      warn: (_fields: unknown, message: string) => void logged.push(message),
      info: (_fields: unknown, message: string) => void logged.push(message),
    } as Logger,
    read: async () => {
      reads += 1;
      logged.push(`read ${reads}`);
      if (reads === 2 || reads === 3) throw away();
    },
    afterwards: async () => resolve(),
  });
  await polling.start();
  await promise;
  await polling.stop();
  expect(logged).toEqual([
    "read 1",
    "read 2",
    "the change feed can't be read",
    "read 3",
    "read 4",
    "the change feed can be read again",
  ]);
});

test("a start that can't read rejects and may be repeated", async () => {
  let reads = 0;
  const polling = createPolling({
    logger: silentLogger,
    read: async () => {
      reads += 1;
      if (reads === 1) throw away();
    },
    afterwards: async () => {},
  });
  await expect(polling.start()).rejects.toMatchObject({ kind: "unavailable" });
  await polling.start();
  await polling.stop();
  expect(reads).toBe(2);
});

test("readings never overlap, and stop waits for the running one", async () => {
  let running = 0;
  let most = 0;
  let done = 0;
  const polling = createPolling({
    logger: silentLogger,
    read: async () => {
      running += 1;
      most = Math.max(most, running);
      await Bun.sleep(5);
      running -= 1;
      done += 1;
    },
    afterwards: async () => {},
  });
  for (let i = 0; i < 4; i++) void polling.poll();
  await polling.stop();
  expect([most, done]).toEqual([1, 4]);
});
