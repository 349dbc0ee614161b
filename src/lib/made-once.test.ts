import { expect, test } from "bun:test";
import { madeOnce } from "./made-once.ts";

test("what was made stays; a failure does not", async () => {
  let calls = 0;
  const get = madeOnce(async () => {
    calls++;
    if (calls === 1) throw new Error("not yet");
    return calls;
  });
  await expect(get()).rejects.toThrow("not yet");
  expect(await Promise.all([get(), get()])).toEqual([2, 2]);
  expect(await get()).toBe(2);
});
