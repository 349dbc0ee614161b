import { expect, test } from "bun:test";
import { createShareEnds } from "./share-ends.ts";

const DAY = 86_400_000;
const NOW = Date.parse("2026-11-20T12:00:00Z");

test("a first look goes back a week, later ones some minutes, none before the webhook", async () => {
  let now = NOW;
  const looked: { from: number; to: number }[] = [];
  const ends = createShareEnds({
    repository: {
      expired: async ({ after, to }: { after: { endedAt: number }; to: number }) => {
        looked.push({ from: after.endedAt, to });
        return [];
      },
    } as never,
    write: () => Promise.reject(new Error("nothing ended")),
    record: async () => {},
    isSubscribed: () => true,
    codeOf: (key) => key,
    clock: { now: () => now },
  });
  const { signal } = new AbortController();
  await ends.look(0, signal);
  // Too soon.
  await ends.look(0, signal);
  now += 10_000;
  await ends.look(0, signal);
  now += 10_000;
  await ends.look(now - 60_000, signal);
  expect(looked).toEqual([
    { from: NOW - 7 * DAY, to: NOW },
    { from: NOW - 300_000, to: NOW + 10_000 },
    { from: NOW - 40_000, to: NOW + 20_000 },
  ]);
});
