import { expect, test } from "bun:test";
import { createReadQueue } from "./read-queue.ts";

const LARGE = 1024 * 1024;

/** How many of these have been let through by now. */
function watch(waits: readonly Promise<void>[]): () => number {
  let through = 0;
  for (const wait of waits) void wait.then(() => through++);
  return () => through;
}

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

test("nobody waits while little is held", () => {
  const queue = createReadQueue();
  queue.hold(64 * 1024);
  expect(queue.isFree()).toBe(true);
});

test("while much is held nobody reads on; then one after the other, as long as each brings little", async () => {
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

test("one who reads nothing at once holds up nobody", async () => {
  const queue = createReadQueue();
  const letGo = queue.hold(LARGE);
  const through = watch(Array.from({ length: 10 }, () => queue.wait()));
  letGo();
  for (let i = 0; i < 20; i++) await turnOfTheLoop();
  expect(through()).toBe(10);
  expect(queue.isFree()).toBe(true);
});
