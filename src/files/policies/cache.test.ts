import { expect, test } from "bun:test";
import { createPolicyCache } from "./drivers.ts";
import type { StoredPolicy } from "./repository.ts";

function setUp(...ids: number[]) {
  const stored = ids.map((id) => ({ id }) as StoredPolicy);
  const at = { reads: 0, stored };
  const cache = createPolicyCache({
    list: () => {
      at.reads++;
      return Promise.resolve([...stored]);
    },
  });
  return { at, cache };
}

test("finds a policy that another node made after the policies were read", async () => {
  const { at, cache } = setUp(1);
  expect((await cache.find(1)).id).toBe(1);
  at.stored.push({ id: 2 } as StoredPolicy);
  expect((await cache.find(2)).id).toBe(2);
  expect((await cache.find(1)).id).toBe(1);
  expect(at.reads).toBe(2);
});

test("reads the policies again for an unknown one, unless they were just read", async () => {
  const { at, cache } = setUp(1);
  await expect(cache.find(2)).rejects.toThrow("There is no such storage policy.");
  expect(at.reads).toBe(1);
  const both = [cache.find(2), cache.find(3)];
  for (const one of await Promise.allSettled(both)) expect(one.status).toBe("rejected");
  expect(at.reads).toBe(2);
});
