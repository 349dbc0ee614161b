/** The bound on events of sign-ins: a flood can't fill the disk, and nothing of it is lost without a word. */
import { expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import type { EventRecord } from "../../lib/event.ts";
import { createSignInEvents } from "./sign-in-events.ts";

function setUp() {
  const clock = { time: 0, now: () => clock.time };
  const recorded: EventRecord[] = [];
  const record = async (_: unknown, events: readonly EventRecord[]) => void recorded.push(...events);
  const database = {} as Database;
  const { succeeded, failed } = createSignInEvents({ database, record, clock });
  const attempt = { username: "ann", address: "192.0.2.1", via: "api" } as const;
  return {
    clock,
    recorded,
    fail: async (times: number) => {
      for (let at = 0; at < times; at++) await failed(attempt);
    },
    succeed: async (times: number) => {
      for (let at = 0; at < times; at++) await succeeded(database.write, attempt);
    },
  };
}

test("60 failures are recorded at once, then one a minute, which reports how many were left out", async () => {
  const { clock, recorded, fail } = setUp();
  await fail(500);
  expect(recorded).toHaveLength(60);
  expect(recorded[59]!.after).toEqual({ address: "192.0.2.1" });
  clock.time += 59_999;
  await fail(10);
  expect(recorded).toHaveLength(60);
  clock.time += 1;
  await fail(10);
  expect(recorded).toHaveLength(61);
  expect(recorded[60]!.after).toEqual({ address: "192.0.2.1", omitted: 450 });
  clock.time += 60_000;
  await fail(1);
  expect(recorded[61]!.after).toEqual({ address: "192.0.2.1", omitted: 9 });
});

test("an hour of peace allows 60 again, and no more", async () => {
  const { clock, recorded, fail } = setUp();
  await fail(60);
  clock.time += 24 * 3_600_000;
  await fail(500);
  expect(recorded).toHaveLength(120);
});

test("successes have a bound of their own: 1,000 at once, then one in ten seconds", async () => {
  const { clock, recorded, fail, succeed } = setUp();
  await fail(200);
  await succeed(1_500);
  expect(recorded.filter(({ action }) => action === "sign_in.success")).toHaveLength(1_000);
  clock.time += 10_000;
  await succeed(2);
  expect(recorded.at(-1)).toMatchObject({ action: "sign_in.success", after: { omitted: 500 } });
});

test("a clock that goes back gives no more", async () => {
  const { clock, recorded, fail } = setUp();
  clock.time = 3_600_000;
  await fail(100);
  clock.time = 0;
  await fail(100);
  expect(recorded).toHaveLength(60);
});
