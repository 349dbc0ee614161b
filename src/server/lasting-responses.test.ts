import { expect, test } from "bun:test";
import { until } from "../../test/support/until.ts";
import { createLastingResponses } from "./lasting-responses.ts";

function respondWith(isAllowed: () => Promise<boolean>) {
  const state = { isUnderWay: true, asked: 0, cuts: 0 };
  const answer = {
    isStillAllowed() {
      state.asked += 1;
      return isAllowed();
    },
    isUnderWay: () => state.isUnderWay,
    cut: () => void state.cuts++,
  };
  return { state, answer };
}

test("an answer is cut once its caller is no longer allowed, others go on", async () => {
  const lasting = createLastingResponses({ checkMs: 5 });
  let isAllowed = true;
  const [ending, kept] = [respondWith(async () => isAllowed), respondWith(async () => true)];
  for (const { answer } of [ending, kept]) lasting.add(answer);
  await until(() => ending.state.asked > 2);
  expect(ending.state.cuts).toBe(0);
  isAllowed = false;
  await until(() => ending.state.cuts > 0);
  const before = kept.state.asked;
  await until(() => kept.state.asked > before + 2);
  expect([ending.state.cuts, kept.state.cuts, lasting.size()]).toEqual([1, 0, 1]);
  kept.state.isUnderWay = false;
  await until(() => lasting.size() === 0);
});

test("an answer that has left is not asked about; a failed check cuts nothing", async () => {
  const lasting = createLastingResponses({ checkMs: 5 });
  const [sent, unknown] = [
    respondWith(async () => false),
    respondWith(() => Promise.reject(new Error("away"))),
  ];
  sent.state.isUnderWay = false;
  for (const { answer } of [sent, unknown]) lasting.add(answer);
  await until(() => unknown.state.asked > 2);
  expect([sent.state.asked, sent.state.cuts, unknown.state.cuts, lasting.size()]).toEqual([0, 0, 0, 1]);
});
