import { expect, test } from "bun:test";
import { appError } from "../../lib/errors.ts";
import type { PolicyCache } from "./drivers.ts";
import { createStandings } from "./standing.ts";

function open(probe: () => Promise<void>, driverType = "local") {
  let now = 1_000_000;
  let written = 0;
  const policy = { id: 1, name: "local", driverType, isDefault: true };
  const standings = createStandings({
    policies: { list: async () => [policy] } as unknown as PolicyCache,
    drivers: { verify: async () => ({}) as never },
    probe: () => {
      written++;
      return probe();
    },
    clock: { now: () => now },
  });
  return {
    trouble: async () => (await standings())[0]!.trouble,
    later: (ms: number) => void (now += ms),
    written: () => written,
  };
}

test.each([
  ["local", 4],
  ["s3", 1],
])("a storage (%s) is written seldom, however often it is checked", async (driverType, perMinute) => {
  const { trouble, later, written } = open(async () => {}, driverType);
  for (let at = 0; at < 60; at++) {
    expect(await trouble()).toBeNull();
    later(1_000);
  }
  expect(written()).toBe(perMinute);
  later(600_000);
  expect(await trouble()).toBeNull();
  expect(written()).toBe(perMinute + 1);
});

test("trouble explains what to run, and is looked at again two seconds later", async () => {
  let isFull = true;
  const { trouble, later } = open(async () => {
    const cause = Object.assign(new Error("full"), { code: "ENOSPC", path: "/data/files/x" });
    if (isFull) throw appError("StorageUnavailable", "The storage is full.", { cause });
  });
  expect(await trouble()).toBe("There is no room left for /data/files/x; free some space and try again.");
  isFull = false;
  later(1_000);
  expect(await trouble()).toContain("no room");
  later(1_000);
  expect(await trouble()).toBeNull();
});

test("a storage that hangs is in trouble, and one write waits for it at a time", async () => {
  const { trouble, later, written } = open(() => new Promise(() => {}));
  for (let at = 0; at < 2; at++) {
    expect(await trouble()).toContain("did not respond");
    later(60_000);
  }
  expect(written()).toBe(1);
});
