import { expect, test } from "bun:test";
import { createHealth, type HealthSources } from "./health.service.ts";

const well: HealthSources = {
  clock: { now: () => 1_000 },
  storageType: "sqlite",
  cacheType: "memory",
  countLinks: async () => 7,
  databaseRefusal: () => null,
  isCacheReachable: async () => true,
  cacheRefusal: () => null,
  diskTroubles: async () => [],
  mailTrouble: async () => null,
  keyTrouble: async () => null,
  certificateTroubles: () => [],
  stagedUploads: async () => ({
    objects: 3,
    bytes: 300,
    abandonedObjects: 1,
    abandonedBytes: 100,
    countedAt: 500,
  }),
};
const away = () => Promise.reject(new Error("away"));
const report = (trouble: Partial<HealthSources>) => createHealth({ ...well, ...trouble }).report();

test("the report has the status of each part and the worst of them", async () => {
  expect(await report({})).toMatchObject({ status: "healthy", checks: { disk: { message: "" } } });
  expect(await report({ isCacheReachable: async () => false })).toMatchObject({
    status: "degraded",
    checks: {
      cache: { status: "degraded", message: expect.stringContaining("Redis does not respond") },
      disk: { status: "healthy" },
    },
  });
  expect(await report({ diskTroubles: async () => ["Full.", "Full too."] })).toMatchObject({
    status: "degraded",
    checks: { cache: { status: "healthy" }, disk: { status: "degraded", message: "Full. Full too." } },
  });
  expect(await report({ mailTrouble: async () => "Mails can't be sent." })).toMatchObject({
    status: "degraded",
    checks: { disk: { status: "healthy" }, mail: { status: "degraded", message: "Mails can't be sent." } },
  });
  expect(await report({ keyTrouble: async () => "Another key." })).toMatchObject({
    status: "degraded",
    checks: { storage: { status: "healthy" }, secret_key: { status: "degraded", message: "Another key." } },
  });
  const refused = { countLinks: away, databaseRefusal: () => "Refused.", cacheRefusal: () => "No." };
  expect(await report({ ...refused, isCacheReachable: async () => false })).toMatchObject({
    status: "unhealthy",
    checks: { storage: { message: "Refused." }, cache: { status: "degraded", message: "No." } },
  });
  expect(await report({ databaseRefusal: () => "Refused." })).toMatchObject({
    status: "degraded",
    checks: { storage: { status: "degraded", message: "Refused.", links_count: 7 } },
  });
  expect(await report({ countLinks: away, diskTroubles: async () => ["Full."] })).toMatchObject({
    status: "unhealthy",
    checks: { storage: { status: "unhealthy" }, disk: { status: "degraded" } },
  });
});

test("a hanging disk is degraded, and parallel reports share one check", async () => {
  let calls = 0;
  const health = createHealth({
    ...well,
    diskTroubles: () => {
      calls++;
      return new Promise(() => {});
    },
  });
  for (const { status, checks } of await Promise.all([health.report(), health.report()])) {
    expect([status, checks.disk.message]).toEqual([
      "degraded",
      "The disk did not respond within 2 s; check the system log.",
    ]);
  }
  expect(calls).toBe(1);
});

test("the report has the last count of unfinished uploads, also while the database is away", async () => {
  let isAway = false;
  const health = createHealth({ ...well, stagedUploads: () => (isAway ? away() : well.stagedUploads()) });
  const expected = {
    objects: 3,
    bytes: 300,
    abandoned_objects: 1,
    abandoned_bytes: 100,
    counted_at: "1970-01-01T00:00:00.500Z",
  };
  expect((await health.report()).unfinished_uploads).toEqual(expected);
  isAway = true;
  expect((await health.report()).unfinished_uploads).toEqual(expected);
  const never = await report({ stagedUploads: away });
  expect(never).toMatchObject({ status: "healthy", unfinished_uploads: { bytes: 0, counted_at: null } });
});
