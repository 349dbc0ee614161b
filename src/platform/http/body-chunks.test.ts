import { expect, test } from "bun:test";
import type { AppError } from "../../lib/errors.ts";
import { bodyChunks } from "./body-chunks.ts";

/** A body that sends a byte every `everyMs` and never ends. */
function dripping(everyMs: number): Request {
  let timer: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(1));
      timer = setInterval(() => controller.enqueue(new Uint8Array(1)), everyMs);
    },
    cancel: () => clearInterval(timer),
  });
  return new Request("http://localhost/", { method: "POST", body });
}

async function outcome(request: Request, times: Parameters<typeof bodyChunks>[1]): Promise<[number, string]> {
  let bytes = 0;
  try {
    for await (const chunk of bodyChunks(request, times)) bytes += chunk.byteLength;
  } catch (error) {
    return [bytes, (error as AppError).message];
  }
  return [bytes, "whole"];
}

test("a body is given up when its client sends nothing", async () => {
  expect(await outcome(dripping(60_000), { stallMs: 20 })).toEqual([1, "The body arrives too slowly."]);
});

test("a body is given up when its client sends too slowly", async () => {
  const [bytes, message] = await outcome(dripping(1), { stallMs: 60_000, sendMs: 50 });
  expect([bytes > 0, message]).toEqual([true, "The body arrives too slowly."]);
});

test("a body that arrives in time is read completely", async () => {
  const request = new Request("http://localhost/", { method: "POST", body: "hello" });
  expect(await outcome(request, { stallMs: 60_000, sendMs: 60_000 })).toEqual([5, "whole"]);
});
