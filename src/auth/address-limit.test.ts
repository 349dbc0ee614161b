import { expect, test } from "bun:test";
import { createAddressBuckets, createAddressLimit } from "./address-limit.ts";

function setUp(generationSize = 1000) {
  const time = { now: 1_000_000 };
  const buckets = createAddressBuckets({ clock: { now: () => time.now }, generationSize });
  /** How many of `tries` attempts pass. */
  const passed = (tries: number, address = "192.0.2.1") =>
    Array.from({ length: tries }).filter(() => buckets.tryNow(address) === 0).length;
  return { time, buckets, passed };
}

test("five attempts pass at once, then one a second", () => {
  const { time, passed } = setUp();
  expect(passed(20)).toBe(5);
  time.now += 999;
  expect(passed(20)).toBe(0);
  time.now += 1;
  expect(passed(20)).toBe(1);
  time.now += 3000;
  expect(passed(20)).toBe(3);
  time.now += 3_600_000;
  expect(passed(20)).toBe(5);
});

test("a refusal sends the wait and does not extend it", async () => {
  const { time, buckets, passed } = setUp();
  passed(500);
  await expect(createAddressLimit(buckets.tryNow).take("192.0.2.1")).rejects.toThrow(
    expect.objectContaining({ name: "RateLimitExceeded", details: { retryAfterSeconds: 1 } }),
  );
  time.now += 1000;
  expect(passed(1)).toBe(1);
});

test("each address has its own limit; an IPv6 /64 counts as one", () => {
  const { passed } = setUp();
  expect(passed(9, "192.0.2.1")).toBe(5);
  expect(passed(9, "192.0.2.2")).toBe(5);
  expect(passed(9, "2001:db8::1")).toBe(5);
  expect(passed(9, "2001:db8::ffff")).toBe(0);
  expect(passed(9, "2001:db8:0:1::1")).toBe(5);
});

test("a clock set back by an hour locks no address out", () => {
  const { time, passed } = setUp();
  passed(5);
  time.now -= 3_600_000;
  expect(passed(9)).toBe(5);
});

test("memory is bounded, and a flood of addresses does not reset a limited one", () => {
  const { buckets, passed } = setUp(100);
  let slippedIn = 0;
  for (let n = 0; n < 10_000; n++) {
    buckets.tryNow(`10.0.${n >> 8}.${n & 255}`);
    if (n % 50 === 0) slippedIn += passed(6);
  }
  expect(slippedIn).toBe(5);
  expect(buckets.size()).toBeLessThanOrEqual(201);
});
