import { expect, test } from "bun:test";
import { createReadQueue } from "./read-queue.ts";

const LARGE = 1024 * 1024;

/** Returns how many have resolved. */
function watch(waits: readonly Promise<void>[]): () => number {
  let through = 0;
  for (const wait of waits) void wait.then(() => through++);
  return () => through;
}

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

test("an upload does not wait while few bytes are held", () => {
  const queue = createReadQueue();
  queue.hold(64 * 1024);
  expect(queue.isFree()).toBe(true);
});

test("uploads wait while many bytes are held, then read one at a time", async () => {
  const queue = createReadQueue();
  const letGo = queue.hold(LARGE);
  expect(queue.isFree()).toBe(false);
  const through = watch([queue.wait(), queue.wait(), queue.wait()]);
  for (let i = 0; i < 5; i++) await turnOfTheLoop();
  expect(through()).toBe(0);

  letGo();
  await Promise.resolve();
  expect(through()).toBe(1);
  const letGoNext = queue.hold(LARGE);
  for (let i = 0; i < 5; i++) await turnOfTheLoop();
  expect(through()).toBe(1);

  letGoNext();
  await Promise.resolve();
  queue.hold(64 * 1024);
  await Promise.resolve();
  expect(through()).toBe(3);
});

test("a reader without bytes does not block the queue", async () => {
  const queue = createReadQueue();
  const letGo = queue.hold(LARGE);
  const through = watch(Array.from({ length: 10 }, () => queue.wait()));
  letGo();
  for (let i = 0; i < 20; i++) await turnOfTheLoop();
  expect(through()).toBe(10);
  expect(queue.isFree()).toBe(true);
});
