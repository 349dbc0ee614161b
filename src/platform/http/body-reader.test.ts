import { expect, test } from "bun:test";
import { dispose } from "../../lib/disposable-bytes.ts";
import { createBodyReader } from "./body-reader.ts";

const KIB = 1024;

/** A body in chunks of these sizes, which counts the requested ones. */
function bodyOf(...sizes: number[]) {
  const state = { pulled: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const size = sizes[state.pulled++];
        if (size === undefined) controller.close();
        else controller.enqueue(new Uint8Array(size));
      },
    },
    { highWaterMark: 0 },
  );
  return { body, state };
}

function fakeQueue() {
  const seen = { held: 0, waits: 0 };
  return {
    seen,
    isFree: () => seen.held === 0,
    wait: async () => void seen.waits++,
    hold(bytes: number) {
      seen.held += bytes;
      return () => void (seen.held -= bytes);
    },
  };
}

async function sizesOf(reader: ReturnType<typeof createBodyReader>): Promise<number[]> {
  const sizes: number[] = [];
  for (;;) {
    await reader.turn();
    const bytes = await reader.read();
    if (bytes === null) return sizes;
    sizes.push(bytes.byteLength);
  }
}

test("the read after a large chunk starts at once", async () => {
  const { body, state } = bodyOf(1_000, 300 * KIB, 1_000, 1_000);
  const reader = createBodyReader(body, new Headers(), undefined);
  await reader.read();
  expect(state.pulled).toBe(1);
  await reader.read();
  expect(state.pulled).toBe(3);
  expect(await sizesOf(reader)).toEqual([1_000, 1_000]);
});

test("the first chunk of a long body counts as large; it is held until it is disposed or the next one is read", async () => {
  const { body, state } = bodyOf(1_000, 2_000, 3_000);
  const queue = fakeQueue();
  const reader = createBodyReader(body, new Headers({ "content-length": "1000000" }), queue);
  const first = await reader.read();
  expect([state.pulled, queue.seen.held]).toEqual([2, 256 * KIB]);
  dispose(first!);
  expect([first!.byteLength, queue.seen.held]).toEqual([0, 0]);
  await reader.read();
  expect(queue.seen.held).toBe(2_000);
  await reader.turn();
  expect(queue.seen.held).toBe(0);
  await reader.read();
  reader.close();
  reader.close();
  expect(queue.seen.held).toBe(0);
});

test("a long body waits for its turn, a short one does not", async () => {
  const queue = fakeQueue();
  queue.hold(1);
  const long = createBodyReader(bodyOf(1_000).body, new Headers(), queue);
  await long.turn();
  expect(queue.seen.waits).toBe(1);
  const short = createBodyReader(bodyOf(1_000).body, new Headers({ "content-length": "1000" }), queue);
  expect(await sizesOf(short)).toEqual([1_000]);
  expect(queue.seen).toEqual({ held: 1, waits: 1 });
});

test("a failure rejects the read that reaches it", async () => {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (controller.desiredSize === 1) controller.enqueue(new Uint8Array(300 * KIB));
      controller.error(new Error("cut off"));
    },
  });
  const reader = createBodyReader(body, new Headers(), undefined);
  await Bun.sleep(0);
  expect(reader.read()).rejects.toThrow("cut off");
});
