import { expect, test } from "bun:test";
import { createLoadPace } from "./loading.ts";

function open() {
  const state = { time: 0, rests: [] as number[] };
  const counts = { tableHits: 0, tableMisses: 0, lookups: 0 };
  const pace = createLoadPace({
    counts,
    now: () => state.time,
    async sleep(ms) {
      state.rests.push(ms);
      state.time += ms;
    },
  });
  const work = (ms: number, requests: number, lookups = 0) => {
    state.time += ms;
    counts.tableHits += requests - lookups;
    counts.tableMisses += lookups;
    counts.lookups += lookups;
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
  expect(state.rests).toEqual([12, 8, 4]);
});

test("a load rests still longer while the database is asked for many links", async () => {
  const { state, work } = open();
  await work(2, 100, 26);
  await work(2, 100, 25);
  await work(1, 1, 1);
  await work(1, 3, 0);
  await work(4, 0, 0);
  expect(state.rests).toEqual([16, 8, 8, 4]);
});

test("a rest after a long pause of the process is short", async () => {
  const { state, work } = open();
  await work(60_000, 1);
  expect(state.rests).toEqual([20]);
});
