import { beforeEach, expect, test } from "bun:test";
import { silentLogger } from "../lib/logger.ts";
import { createConnectionLimit } from "./connection-limit.ts";

const LIMIT = 800;

let openFiles: number;
let now: number;
let waiting: number;
let calls: string[];
let warnings: string[];

const socket = {
  descriptor: 3,
  pause: () => void calls.push("pause"),
  resume: () => void calls.push("resume"),
  refuse(most: number, answer: Uint8Array | null) {
    const count = Math.min(most, waiting);
    waiting -= count;
    if (count > 0) calls.push(`refuse ${count} ${answer === null ? "mutely" : "with 503"}`);
    return count;
  },
  setBacklog: (length: number) => void calls.push(`backlog ${length}`),
  endSilent: (from: number, to: number) => void calls.push(`silent ${from}-${to}`),
};

function create({ isPlain = true, limit = LIMIT } = {}) {
  return createConnectionLimit({
    socket,
    limit,
    openFiles: () => openFiles,
    isPlain,
    closeIdle: () => void calls.push("close idle"),
    logger: {
      ...silentLogger,
      warn: (...args: unknown[]) => void warnings.push(String(args.at(-1))),
    } as never,
    now: () => now,
  });
}

beforeEach(() => {
  [openFiles, now, waiting, calls, warnings] = [0, 0, 0, [], []];
});

/** The actions of the next check. */
function checked(limit: ReturnType<typeof create>, passedMs = 20): string[] {
  calls.length = 0;
  now += passedMs;
  limit.check();
  return [...calls];
}

test("below half of the limit connections are accepted", () => {
  const limit = create();
  openFiles = LIMIT / 2 - 1;
  expect(checked(limit)).toEqual([]);
  expect(warnings).toEqual([]);
});

test("at half of the limit it pauses, refuses new connections and closes idle ones", () => {
  const limit = create();
  openFiles = LIMIT / 2;
  expect(checked(limit)).toEqual(["pause"]);
  expect(warnings).toHaveLength(1);
  waiting = 230;
  expect(checked(limit)).toEqual(["refuse 200 with 503", "silent 0-500", "close idle"]);
  expect(checked(limit)).toEqual(["refuse 30 with 503", "silent 500-1000"]);
  expect(checked(limit)).toEqual(["silent 0-500"]);
  expect(checked(limit, 2_000)).toEqual(["silent 500-1000", "close idle"]);
  expect(limit.refused()).toBe(230);
});

test("it accepts again when an eighth is free, and logs it", () => {
  const limit = create();
  openFiles = LIMIT;
  checked(limit);
  openFiles = 350;
  expect(checked(limit)).not.toContain("resume");
  openFiles = 349;
  waiting = 5;
  expect(checked(limit)).toEqual(["resume"]);
  expect(waiting).toBe(5);
  expect(checked(limit)).toEqual([]);
  expect(warnings.map((text) => text.slice(0, 11))).toEqual(["half of the", "connections"]);
});

test("connections that come and go at the bound do not fill the log", () => {
  const limit = create();
  for (let round = 0; round < 100; round++) {
    openFiles = LIMIT;
    checked(limit);
    openFiles = 0;
    checked(limit);
  }
  expect(warnings).toHaveLength(2);
  openFiles = LIMIT;
  checked(limit, 10_000);
  expect(warnings).toHaveLength(3);
});

test("behind TLS a connection is refused without an answer", () => {
  const limit = create({ isPlain: false });
  openFiles = Number.POSITIVE_INFINITY;
  checked(limit);
  waiting = 1;
  expect(checked(limit)).toContain("refuse 1 mutely");
});

test("files that are open at the start do not count", () => {
  openFiles = LIMIT / 2;
  const limit = create();
  expect(checked(limit)).toEqual([]);
  openFiles = (LIMIT * 3) / 4;
  expect(checked(limit)).toEqual(["pause"]);
});

test("a small limit gets a short queue", () => {
  create();
  create({ limit: 4_096 });
  create({ limit: 1_000_000 });
  expect(calls).toEqual(["backlog 100"]);
});

test("slow counting runs less often", () => {
  let counts = 0;
  const limit = createConnectionLimit({
    socket,
    limit: LIMIT,
    openFiles: () => {
      counts++;
      now += 2;
      return 0;
    },
    isPlain: true,
    closeIdle: () => {},
    logger: silentLogger,
    now: () => now,
  });
  for (let check = 0; check < 50; check++) checked(limit);
  expect(counts).toBeWithin(8, 12);
});
