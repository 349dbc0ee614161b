import { expect, test } from "bun:test";
import { until } from "../../../test/support/until.ts";
import { createLastingResponses } from "./lasting-responses.ts";

function respondWith(isAllowed: () => Promise<boolean>) {
  const state = { isUnderWay: true, checks: 0, cuts: 0 };
  const response = {
    isStillAllowed() {
      state.checks += 1;
      return isAllowed();
    },
    isUnderWay: () => state.isUnderWay,
    cut: () => void state.cuts++,
  };
  return { state, response };
}

test("a response is cut once its caller is no longer allowed, others go on", async () => {
  const lasting = createLastingResponses({ checkMs: 5 });
  let isAllowed = true;
  const [ending, kept] = [respondWith(async () => isAllowed), respondWith(async () => true)];
  for (const { response } of [ending, kept]) lasting.add(response);
  await until(() => ending.state.checks > 2);
  expect(ending.state.cuts).toBe(0);
  isAllowed = false;
  await until(() => ending.state.cuts > 0);
  const before = kept.state.checks;
  await until(() => kept.state.checks > before + 2);
  expect([ending.state.cuts, kept.state.cuts, lasting.size()]).toEqual([1, 0, 1]);
  kept.state.isUnderWay = false;
  await until(() => lasting.size() === 0);
});

test("a response that has left is not checked; a failed check cuts nothing", async () => {
  const lasting = createLastingResponses({ checkMs: 5 });
  const [sent, unknown] = [
    respondWith(async () => false),
    respondWith(() => Promise.reject(new Error("away"))),
  ];
  sent.state.isUnderWay = false;
  for (const { response } of [sent, unknown]) lasting.add(response);
  await until(() => unknown.state.checks > 2);
  expect([sent.state.checks, sent.state.cuts, unknown.state.cuts, lasting.size()]).toEqual([0, 0, 0, 1]);
});

test("a check that takes long is not repeated meanwhile", async () => {
  const lasting = createLastingResponses({ checkMs: 5 });
  const slow = Promise.withResolvers<boolean>();
  const [waiting, later] = [respondWith(() => slow.promise), respondWith(async () => true)];
  lasting.add(waiting.response);
  await until(() => waiting.state.checks === 1);
  lasting.add(later.response);
  await Bun.sleep(50);
  expect([waiting.state.checks, later.state.checks]).toEqual([1, 0]);
  slow.resolve(true);
  await until(() => later.state.checks > 0);
  waiting.state.isUnderWay = false;
  later.state.isUnderWay = false;
});
