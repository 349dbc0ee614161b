import { expect, test } from "bun:test";
import { NO_REFUSALS, createDetailGate } from "./gate.ts";

function setUp({ rate = 1, mostPending = 3 } = {}) {
  const drawn: number[] = [];
  let written = 0;
  const gate = createDetailGate({
    written: () => written,
    sampleRate: () => rate,
    random: () => drawn.shift() ?? 0.5,
    mostPending,
  });
  const record = (times = 1) => {
    for (let at = 0; at < times; at++) if (gate.refusal() === null) written += 1;
  };
  return { gate, drawn, record };
}

const balance = ({
  recorded,
  logged,
  pending,
  dropped,
}: ReturnType<ReturnType<typeof createDetailGate>["stats"]>) =>
  recorded - logged - pending - Object.values(dropped).reduce((sum, count) => sum + count, 0);

test("details beyond the bound are dropped as full until some are settled", () => {
  const { gate, record } = setUp();
  record(5);
  expect(gate.stats()).toMatchObject({ recorded: 5, pending: 3, dropped: { full: 2 } });
  gate.settled({ logged: 1, stopped: 1, deleted: 0, refused: NO_REFUSALS }, false);
  record(3);
  expect(gate.stats()).toEqual({
    recorded: 8,
    logged: 1,
    pending: 3,
    dropped: { full: 3, disconnected: 0, sampled_out: 0, signal: 0, stopped: 1, link_deleted: 0 },
  });
  expect(balance(gate.stats())).toBe(0);
});

test("details left by other processes take no room and enter the books once settled", () => {
  const { gate, record } = setUp();
  gate.settled({ logged: 7, stopped: 1, deleted: 2, refused: { ...NO_REFUSALS, full: 5 } }, true);
  record(3);
  expect(gate.stats()).toMatchObject({ recorded: 18, logged: 7, pending: 3, dropped: { full: 5 } });
  expect(balance(gate.stats())).toBe(0);
});

test("a sample takes draws below the rate; 0 takes none, 1 takes all without drawing", () => {
  const sampled = setUp({ rate: 0.25, mostPending: 100 });
  sampled.drawn.push(0.24, 0.25, 0.99, 0);
  sampled.record(4);
  expect(sampled.gate.stats()).toMatchObject({ recorded: 4, pending: 2, dropped: { sampled_out: 2 } });
  const none = setUp({ rate: 0 });
  none.drawn.push(0);
  none.record();
  expect(none.gate.stats()).toMatchObject({ pending: 0, dropped: { sampled_out: 1 } });
  const all = setUp({ rate: 1 });
  all.drawn.push(1);
  all.record();
  expect(all.gate.stats().pending).toBe(1);
  expect(all.drawn).toEqual([1]);
});
