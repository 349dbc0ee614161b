import { expect, test } from "bun:test";
import { createTurns } from "./read-queue.ts";

const LARGE = 1024 * 1024;

/** How many of these have been let through by now. */
function watch(waits: readonly Promise<void>[]): () => number {
  let through = 0;
  for (const wait of waits) void wait.then(() => through++);
  return () => through;
}

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

test("nobody waits while little is held", () => {
  const turns = createTurns();
  turns.hold(64 * 1024);
  expect(turns.isFree()).toBe(true);
});

test("while much is held nobody reads on; then one after the other, as long as each brings little", async () => {
  const turns = createTurns();
  const letGo = turns.hold(LARGE);
  expect(turns.isFree()).toBe(false);
  const through = watch([turns.wait(), turns.wait(), turns.wait()]);
  for (let i = 0; i < 5; i++) await turnOfTheLoop();
  expect(through()).toBe(0);

  letGo();
  await Promise.resolve();
  expect(through()).toBe(1);
  const letGoNext = turns.hold(LARGE);
  for (let i = 0; i < 5; i++) await turnOfTheLoop();
  expect(through()).toBe(1);

  letGoNext();
  await Promise.resolve();
  turns.hold(64 * 1024);
  await Promise.resolve();
  expect(through()).toBe(3);
});

test("one who reads nothing at once holds up nobody", async () => {
  const turns = createTurns();
  const letGo = turns.hold(LARGE);
  const through = watch(Array.from({ length: 10 }, () => turns.wait()));
  letGo();
  for (let i = 0; i < 20; i++) await turnOfTheLoop();
  expect(through()).toBe(10);
  expect(turns.isFree()).toBe(true);
});
