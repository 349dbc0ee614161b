import { expect, test } from "bun:test";
import { createRpc, type Rpc, type RpcHandlers } from "./rpc.ts";

function pair(left: RpcHandlers, right: RpcHandlers, timeoutMs = 1_000): { a: Rpc; b: Rpc } {
  const a: Rpc = createRpc({
    send: (message) => b.receive(structuredClone(message)),
    handlers: left,
    timeoutMs,
  });
  const b: Rpc = createRpc({
    send: (message) => a.receive(structuredClone(message)),
    handlers: right,
    timeoutMs,
  });
  return { a, b };
}

test("both sides call each other, at the same time", async () => {
  const { a, b } = pair(
    { double: (n: number) => n * 2 },
    { shout: async (text: string) => text.toUpperCase() },
  );
  expect(await Promise.all([a.call("shout", "x"), b.call("double", 4), a.call("shout", "y")])).toEqual([
    "X",
    8,
    "Y",
  ]);
});

test("a failure, a missing handler and a silent side reject", async () => {
  const { a } = pair(
    {},
    {
      fail: () => {
        throw new Error("no luck");
      },
      hang: () => new Promise(() => {}),
    },
    20,
  );
  await expect(a.call("fail", null)).rejects.toThrow("no luck");
  await expect(a.call("toString", null)).rejects.toThrow("no toString to call");
  await expect(a.call("hang", null)).rejects.toThrow("not answered in 20 ms");
});

test("closing fails what is under way and what comes later", async () => {
  const { a } = pair({}, { hang: () => new Promise(() => {}) });
  const call = a.call("hang", null);
  a.close();
  await expect(call).rejects.toThrow("closed");
  await expect(a.call("hang", null)).rejects.toThrow("closed");
});

test("strange messages are ignored", () => {
  const { a } = pair({}, {});
  for (const message of [
    null,
    1,
    "x",
    {},
    { type: "call" },
    { type: "other", id: 1 },
    { type: "answer", id: 99 },
  ]) {
    expect(() => a.receive(message)).not.toThrow();
  }
});
