import { expect, test } from "bun:test";
import { AppError, appError } from "./errors.ts";
import { createRpc, type Rpc } from "./rpc.ts";

type Left = { double(n: number): number };
type Right = {
  shout(text: string): Promise<string>;
  fail(name: string): void;
  hang(): Promise<void>;
  note(text: string): void;
};

function pair(timeoutMs = 1_000) {
  const noted: string[] = [];
  const right: Right = {
    shout: async (text) => text.toUpperCase(),
    fail: (name) => {
      if (name === "named") throw appError("Conflict", "taken");
      if (name === "coded") throw Object.assign(new Error("locked"), { code: "SQLITE_BUSY" });
      throw new Error(name);
    },
    hang: () => new Promise(() => {}),
    note: (text) => void noted.push(text),
  };
  const left: Left = { double: (n) => n * 2 };
  const a: Rpc<Right> = createRpc<Right>({
    send: (message) => b.receive(JSON.parse(JSON.stringify(message))),
    handlers: left,
    timeoutMs,
  });
  const sent: unknown[] = [];
  const b: Rpc<Left> = createRpc<Left>({
    send: (message) => {
      sent.push(message);
      a.receive(JSON.parse(JSON.stringify(message)));
    },
    handlers: right,
  });
  return { a, b, noted, sent };
}

test("both sides call each other at the same time", async () => {
  const { a, b } = pair();
  expect(await Promise.all([a.call("shout", "x"), b.call("double", 4), a.call("shout", "y")])).toEqual([
    "X",
    8,
    "Y",
  ]);
});

test("tell runs the handler and returns nothing", async () => {
  const { a, noted, sent } = pair();
  a.notify("note", "first");
  await a.call("shout", "x");
  expect(noted).toEqual(["first"]);
  expect(sent).toHaveLength(1);
});

test("a missing handler and a silent side reject", async () => {
  const { a } = pair(20);
  await expect(a.call("toString" as "hang", undefined)).rejects.toThrow("no toString to call");
  await expect(a.call("hang", undefined)).rejects.toThrow("not answered in 20 ms");
  const { b } = pair(20);
  await expect(b.call("missing" as "double", 1, 10)).rejects.toThrow("no missing to call");
});

test("the caller sets the timeout, the channel makes its error", async () => {
  const a: Rpc<Right> = createRpc<Right>({
    send: () => {},
    handlers: {},
    onTimeout: (method, timeoutMs) => appError("ServiceUnavailable", `${method} ${timeoutMs}`),
  });
  await expect(a.call("hang", undefined, 10)).rejects.toMatchObject({
    name: "ServiceUnavailable",
    message: "hang 10",
  });
});

test("a failure keeps its type: AppError, or an error with its code", async () => {
  const { a } = pair();
  const failureOf = (name: string) => a.call("fail", name).catch((error: unknown) => error);
  expect(await failureOf("named")).toBeInstanceOf(AppError);
  expect(await failureOf("named")).toMatchObject({ name: "Conflict", message: "taken", code: 1009 });
  expect(await failureOf("coded")).toMatchObject({ message: "locked", code: "SQLITE_BUSY" });
  expect(await failureOf("plain")).toMatchObject({ message: "plain" });
});

test("closing fails running and later calls with its reason", async () => {
  const { a } = pair();
  const call = a.call("hang", undefined);
  a.close(new Error("the thread ended"));
  a.close();
  await expect(call).rejects.toThrow("the thread ended");
  await expect(a.call("hang", undefined)).rejects.toThrow("the thread ended");
});

test("foreign messages are ignored", () => {
  const { a } = pair();
  for (const message of [
    null,
    1,
    "x",
    {},
    { type: "call" },
    { type: "other", id: 1 },
    { type: "reply", id: 99 },
  ]) {
    expect(() => a.receive(message)).not.toThrow();
  }
});
