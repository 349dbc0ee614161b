import { expect, test } from "bun:test";
import { inPortions } from "./portions.ts";

/** Removes numbers; the bad ones fail. */
async function remove(count: number, bad: ReadonlySet<number>, isLasting = () => true) {
  const left = new Set(Array.from({ length: count }, (_, n) => n));
  const aside = new Set<number>();
  let runs = 0;
  await inPortions<number>({
    most: 100,
    isLasting,
    async run(limit, tries) {
      runs++;
      const some = [...left.difference(aside)].slice(0, limit);
      tries(some);
      if (some.some((n) => bad.has(n))) throw new Error("bad");
      for (const n of some) left.delete(n);
      return some.length > 0;
    },
    setAside: (n) => void aside.add(n),
  });
  return { left: [...left], aside: [...aside], runs };
}

test("everything goes in full portions", async () => {
  expect(await remove(1_000, new Set())).toEqual({ left: [], aside: [], runs: 11 });
});

test("items that fail are set aside, and the others go", async () => {
  const bad = new Set([0, 1, 57, 500, 999]);
  const { left, aside, runs } = await remove(1_000, bad);
  expect([left, aside]).toEqual([[...bad], [...bad]]);
  expect(runs).toBeLessThan(80);
});

test("a failure that concerns everything ends the work", async () => {
  expect(remove(1_000, new Set([3]), () => false)).rejects.toThrow("bad");
});
