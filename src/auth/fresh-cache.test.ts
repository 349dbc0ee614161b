import { expect, test } from "bun:test";
import { createFreshCache } from "./fresh-cache.ts";
import type { SessionOwner } from "./sessions/session.ts";

function setUp(generationSize = 10) {
  const time = { now: 0 };
  const reads: string[] = [];
  const state = { away: false, revokedAt: null as number | null, hold: null as Promise<void> | null };
  const find = async (id: string): Promise<SessionOwner | null> => {
    reads.push(id);
    const { away, revokedAt } = state;
    await state.hold;
    if (away) throw new Error("away");
    const session = { id, accountId: 1, createdAt: 0, expiresAt: 1e12, refreshId: "r", previousId: null };
    const client = { address: null, browser: null, os: null, signedInBy: null };
    return { session: { ...session, ...client, rotatedAt: null, revokedAt }, account: null };
  };
  const cache = createFreshCache({ find, clock: { now: () => time.now }, generationSize });
  return { time, reads, state, cache };
}

test("a session is read once a minute", async () => {
  const { time, reads, cache } = setUp();
  await Promise.all([cache.get("a"), cache.get("a")]);
  time.now = 59_999;
  await cache.get("a");
  expect(reads).toHaveLength(1);
  time.now = 60_000;
  await cache.get("a");
  expect(reads).toHaveLength(2);
  time.now = -3_600_000;
  await cache.get("a");
  expect(reads).toHaveLength(3);
});

test("dropped sessions are read again, all after *", async () => {
  const { reads, cache } = setUp();
  for (const id of ["a", "b", "c"]) await cache.get(id);
  cache.drop(["a", "unknown"]);
  for (const id of ["a", "b", "c"]) await cache.get(id);
  expect(reads).toEqual(["a", "b", "c", "a"]);
  cache.drop(["*"]);
  for (const id of ["a", "b", "c"]) await cache.get(id);
  expect(reads).toHaveLength(7);
});

test("a read during which the session changed is not kept", async () => {
  const { state, cache } = setUp();
  const held = Promise.withResolvers<void>();
  state.hold = held.promise;
  const early = cache.get("a");
  state.revokedAt = 5;
  cache.drop(["a"]);
  const late = cache.get("a");
  held.resolve();
  expect((await early)?.session.revokedAt).toBeNull();
  expect((await late)?.session.revokedAt).toBe(5);
  expect((await cache.get("a"))?.session.revokedAt).toBe(5);
});

test("a failed read is not kept", async () => {
  const { state, cache } = setUp();
  state.away = true;
  expect(cache.get("a")).rejects.toThrow("away");
  state.away = false;
  await Promise.resolve();
  expect((await cache.get("a"))?.session.id).toBe("a");
});

test("the cache is bounded and keeps used sessions", async () => {
  const { reads, cache } = setUp(10);
  for (let n = 0; n < 200; n++) {
    await cache.get(`session-${n}`);
    await cache.get("busy");
    expect(cache.size()).toBeLessThanOrEqual(20);
  }
  expect(reads.filter((id) => id === "busy")).toHaveLength(1);
});
