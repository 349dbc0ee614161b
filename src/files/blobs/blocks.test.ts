import { expect, test } from "bun:test";
import { dispose } from "../../lib/disposable-bytes.ts";
import { createBlocks } from "./hashes.ts";

/** Takes blocks until `take` waits. */
async function takeAll(lender: ReturnType<ReturnType<typeof createBlocks>["open"]>) {
  const taken = [];
  for (;;) {
    const next = lender.take();
    const isWaiting = await Promise.race([next.then(() => false), Bun.sleep(5).then(() => true)]);
    if (isWaiting) return { taken, next };
    taken.push(await next);
  }
}

const sizes = (taken: readonly { memory: Uint8Array }[]) => taken.map(({ memory }) => memory.byteLength);
const [LARGE, SMALL] = [1024 * 1024, 256 * 1024];

test("one upload gets five large blocks, and each further upload two small ones", async () => {
  const blocks = createBlocks();
  const { taken } = await takeAll(blocks.open());
  expect(sizes(taken)).toEqual([LARGE, LARGE, LARGE, LARGE, LARGE]);
  for (let i = 0; i < 30; i++) {
    expect(sizes((await takeAll(blocks.open())).taken)).toEqual([SMALL, SMALL]);
  }
});

test("a block returns when both readers are done, and goes to the waiting upload", async () => {
  const { taken, next } = await takeAll(createBlocks().open());
  const { bytes, release } = taken[3]!.lend(10);
  expect(bytes.byteLength).toBe(10);
  release();
  dispose(bytes);
  dispose(bytes);
  expect((await next).memory).toBe(taken[3]!.memory);
});

test("blocks that a closed upload still holds do not block other uploads", async () => {
  const blocks = createBlocks();
  const first = blocks.open();
  await takeAll(first);
  first.close();
  expect((await takeAll(blocks.open())).taken.length).toBe(5);
});

test("garbage collection returns bytes that no reader disposed of", async () => {
  const lender = createBlocks().open();
  const { taken, next } = await takeAll(lender);
  for (const { lend } of taken) lend(10).release();
  for (let i = 0; i < 50; i++) {
    Bun.gc(true);
    await Bun.sleep(1);
  }
  expect(taken.map(({ memory }) => memory)).toContain((await next).memory);
});
