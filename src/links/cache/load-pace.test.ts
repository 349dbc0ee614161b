import { expect, test } from "bun:test";
import { createLoadPace } from "./load-pace.ts";

function open() {
  const state = { time: 0, asked: 0, rests: [] as number[] };
  const pace = createLoadPace({
    asked: () => state.asked,
    now: () => state.time,
    async sleep(ms) {
      state.rests.push(ms);
      state.time += ms;
    },
  });
  const work = (ms: number, requests: number) => {
    state.time += ms;
    state.asked += requests;
    return pace.rest();
  };
  return { state, work };
}

test("a load rests longer than it worked, but only while redirects ask", async () => {
  const { state, work } = open();
  await work(3, 1);
  await work(2, 40);
  await work(4, 0);
  await work(1, 1);
  expect(state.rests).toEqual([7.5, 5, 2.5]);
});

test("a rest after a long pause of the process is short", async () => {
  const { state, work } = open();
  await work(60_000, 1);
  expect(state.rests).toEqual([20]);
});
