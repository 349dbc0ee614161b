import { expect, test } from "bun:test";
import { createUnreadResponses } from "./unread-responses.ts";

test("beyond the bound the client that holds the most loses its oldest connections", async () => {
  const cut: string[] = [];
  const readers = new Set<
    Parameters<typeof createUnreadResponses>[0] extends Iterable<infer R> ? R : never
  >();
  const changed = createUnreadResponses(readers, 80);
  function hold(name: string, peerAddress: string | null, bytes: number): void {
    let held = bytes;
    readers.add({
      peerAddress,
      outbox: { unread: () => held },
      cut() {
        cut.push(name);
        changed(-held);
        held = 0;
      },
    });
    changed(bytes);
  }
  hold("a1", "10.0.0.1", 10);
  hold("b1", "10.0.0.2", 30);
  hold("a2", "10.0.0.1", 15);
  hold("c1", null, 0);
  hold("a3", "10.0.0.1", 25);
  await Promise.resolve();
  expect(cut).toEqual([]);
  hold("c2", null, 5);
  await Promise.resolve();
  expect(cut).toEqual(["a1", "a2"]);
  hold("d1", "2001:db8::1", 30);
  hold("d2", "2001:db8::2", 40);
  await Promise.resolve();
  expect(cut).toEqual(["a1", "a2", "d1", "d2"]);
});
