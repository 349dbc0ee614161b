import { expect, test } from "bun:test";
import { createWaitingClients } from "./waiting-clients.ts";

test("the oldest connection of the client with the most comes first", () => {
  const waiting = createWaitingClients<string>();
  for (const name of ["b1", "a1", "a2", "c1", "a3", "b2"]) waiting.add(name, name[0]!);
  const order: string[] = [];
  for (let next = waiting.next(); next !== undefined; next = waiting.next()) {
    order.push(next);
    waiting.delete(next);
  }
  expect(order).toEqual(["a1", "b1", "a2", "c1", "b2", "a3"]);
});

test("a connection that waits no more leaves its place to the next one", () => {
  const waiting = createWaitingClients<string>();
  for (const name of ["a1", "a2", "b1"]) waiting.add(name, name[0]!);
  waiting.delete("a1");
  waiting.delete("a1");
  waiting.add("b2", "b");
  expect(waiting.next()).toBe("b1");
  for (const name of ["b1", "b2", "a2"]) waiting.delete(name);
  expect(waiting.next()).toBeUndefined();
  waiting.add("a1", "a");
  expect(waiting.next()).toBe("a1");
});
