import { expect, test } from "bun:test";
import { DatabaseError } from "../../platform/db/failures.ts";
import { silentLogger } from "../../lib/logger.ts";
import { systemClock } from "../../lib/clock.ts";
import { createLinkCache } from "./cache.ts";

test("a link that has just changed waits for the database, another does not", async () => {
  const away = new DatabaseError("unavailable", new Error("refused"));
  let failures = 0;
  async function* none() {}
  const cache = createLinkCache({
    maxLinks: 10,
    ttlSeconds: 0,
    rebuildSeconds: () => 0,
    findLink: async () => {
      if (failures-- > 0) throw away;
      return { id: 1, target: "https://h/new", expires_at: null };
    },
    scan: { links: none, codes: none, aliases: none, some: () => Promise.reject(away) },
    clock: systemClock,
    logger: silentLogger,
  });
  failures = 1;
  await expect(Promise.resolve(cache.find("other", 0))).rejects.toThrow();
  failures = 3;
  void cache.invalidate(["a"]);
  expect(await cache.find("a", 0)).toEqual({ id: 1, location: "https://h/new" });
  failures = Number.POSITIVE_INFINITY;
  void cache.invalidate(["a"]);
  await expect(Promise.resolve(cache.find("a", 0))).rejects.toThrow();
  cache.close();
});
