import { afterEach, expect, test } from "bun:test";
import { appError } from "../lib/errors.ts";
import type { LiveDrop } from "./live.repository.ts";
import { createLive, type Live, type LiveEvent, type Viewer } from "./live.ts";
import type { WorkerLiveStats } from "./live-clicks.ts";

const open: Live[] = [];
const dropped: LiveDrop[] = [];
afterEach(() => {
  for (const live of open.splice(0)) live.close();
});

function setUp(
  parts: () => WorkerLiveStats[],
  limits: { watchers?: number; ofAccount?: number; watchMs?: number; tickMs?: number } = {},
) {
  const polls: number[] = [];
  const clock = { time: Date.parse("2026-11-20T13:00:00Z"), now: () => (clock.time += 1000) };
  const live = createLive({
    collect: async (sinceMs) => {
      polls.push(sinceMs);
      return parts();
    },
    nameOf: (code) => ({ code, domain: null }),
    repository: {
      lastDropId: async () => 0,
      dropsAfter: async (after) => dropped.filter(({ fileId }) => fileId > after),
      codesOf: async () =>
        new Map([
          [1, "one"],
          [2, "a/b"],
        ]),
    },
    clock,
    limits: { tickMs: 5, ...limits },
  });
  open.push(live);
  return { live, polls };
}

const part = (
  worker: string,
  clicks: number,
  latest: WorkerLiveStats["latest"] = [],
  automated = 0,
): WorkerLiveStats => ({
  worker,
  clicks,
  automated,
  latest,
});

const viewer = (isAllowed = async () => true, accountId = 0): Viewer => ({ accountId, isAllowed });

async function nextEvent(events: AsyncGenerator<string, void>): Promise<LiveEvent> {
  const { value } = await events.next();
  const data = /^event: clicks\ndata: (.*)\n\n$/.exec(value as string)?.[1];
  return JSON.parse(data!) as LiveEvent;
}

test("workers are queried only while a viewer watches", async () => {
  const { live, polls } = setUp(() => []);
  await Bun.sleep(20);
  expect(polls).toEqual([]);
  const events = live.watch(viewer());
  await events.next();
  await nextEvent(events);
  await events.return();
  expect(live.watchers()).toBe(0);
  await Bun.sleep(20);
  const seen = polls.length;
  await Bun.sleep(30);
  expect(polls).toHaveLength(seen);
});

test("clicks of all workers are shown; a new or restarted worker counts from its first reply", async () => {
  const rounds = [
    [part("a", 100), part("b", 50)],
    [part("a", 130), part("b", 50), part("c", 900)],
    [part("a", 5), part("c", 910)],
  ];
  const { live } = setUp(() => rounds.shift() ?? []);
  const events = live.watch(viewer());
  await events.next();
  expect((await nextEvent(events)).clicks_per_second).toBe(0);
  expect((await nextEvent(events)).clicks_per_second).toBeGreaterThan(0);
  expect((await nextEvent(events)).clicks_per_second).toBeGreaterThan(0);
  await events.return();
});

test("shows the newest clicks in order, without clicks of deleted links", async () => {
  const at = Date.parse("2026-11-20T13:00:00Z");
  const latest = [
    part("a", 2, [{ linkId: 1, atMs: at + 5, isAutomated: true, source: "ref:a.example", values: null }]),
    part("b", 2, [
      { linkId: 2, atMs: at, isAutomated: false, source: null, values: null },
      { linkId: 9, atMs: at + 1, isAutomated: false, source: null, values: null },
    ]),
  ];
  const { live } = setUp(() => latest);
  const events = live.watch(viewer());
  await events.next();
  expect((await nextEvent(events)).latest).toEqual([
    { code: "a/b", domain: null, clicked_at: "2026-11-20T13:00:00.000Z", source: null, automated: false },
    {
      code: "one",
      domain: null,
      clicked_at: "2026-11-20T13:00:00.005Z",
      source: "ref:a.example",
      automated: true,
    },
  ]);
  await events.return();
});

test("the rate of people leaves out automated clicks", async () => {
  const rounds = [[part("a", 100, [], 60)], [part("a", 150, [], 110)], [part("a", 250, [], 110)]];
  const { live } = setUp(() => rounds.shift() ?? []);
  const events = live.watch(viewer());
  await events.next();
  expect(await nextEvent(events)).toMatchObject({ clicks_per_second: 0, human_clicks_per_second: 0 });
  const automated = await nextEvent(events);
  expect(automated.clicks_per_second).toBeGreaterThan(0);
  expect(automated.human_clicks_per_second).toBe(0);
  const human = await nextEvent(events);
  expect(human.human_clicks_per_second).toBe(human.clicks_per_second);
  expect(human.clicks_per_second).toBeGreaterThan(0);
  await events.return();
});

test("a viewer whose access has ended is cut off; a failed check cuts off nobody", async () => {
  const { live } = setUp(() => []);
  let results: (boolean | Error)[] = [true, new Error("away"), false];
  const isAllowed = async () => {
    const result = results.shift()!;
    if (result instanceof Error) throw result;
    return result;
  };
  const events = live.watch(viewer(isAllowed));
  let last = await events.next();
  while (!last.done) last = await events.next();
  expect([results.length, live.watchers()]).toEqual([0, 0]);
});

test("a change of accounts, sessions or tokens ends only the streams that are no longer allowed, at once", async () => {
  const { live } = setUp(() => []);
  let isAllowed = true;
  const [ended, kept] = [live.watch(viewer(async () => isAllowed)), live.watch(viewer())];
  for (const events of [ended, kept]) for (let n = 0; n < 3; n++) await events.next();
  isAllowed = false;
  live.recheck();
  expect([(await ended.next()).done, (await kept.next()).done]).toEqual([true, false]);
  await kept.return();
});

test("a change is checked again after a failure, and when it came while nothing was read", async () => {
  const { live } = setUp(() => []);
  let result: boolean | Error = true;
  const events = live.watch(
    viewer(async () => {
      if (result instanceof Error) throw result;
      return result;
    }),
  );
  for (let n = 0; n < 3; n++) await events.next();
  result = new Error("away");
  live.recheck();
  expect((await events.next()).done).toBe(false);
  result = false;
  expect((await events.next()).done).toBe(true);
});

test("files in drop boxes are announced once, to the owner of the box only, even if ids come out of order", async () => {
  const { live } = setUp(() => []);
  const [mine, other] = [live.watch(viewer(undefined, 7)), live.watch(viewer(undefined, 8))];
  for (const events of [mine, other]) await events.next();
  await mine.next();
  const file = (fileId: number): LiveDrop => ({
    fileId,
    accountId: 7,
    folderId: 3,
    key: "box",
    name: `file ${fileId}`,
    size: 1,
    sender: "0123456789abcdef",
    senderName: "Anna",
    at: Date.parse("2026-11-20T13:00:00Z"),
  });
  const texts = { mine: "", other: "" };
  for (const id of [12, 11]) {
    dropped.push(file(id));
    const has = () => texts.mine.includes(`"file_id":${id}`);
    while (!has()) texts.mine += (await mine.next()).value as string;
    texts.other += (await other.next()).value as string;
  }
  for (let n = 0; n < 3; n++) texts.mine += (await mine.next()).value as string;
  const dropEvents = texts.mine.split("\n\n").filter((event) => event.startsWith("event: drop\n"));
  expect(dropEvents.map((event) => JSON.parse(event.split("data: ")[1]!))).toMatchObject([
    { code: "box", file_id: 12, folder_id: 3, sender: "0123456789ab", sender_name: "Anna", size: 1 },
    { file_id: 11 },
  ]);
  expect(texts.other).not.toContain("event: drop");
  for (const events of [mine, other]) await events.return();
});

test("a viewer of drop boxes only gets no clicks, and the workers are not queried", async () => {
  const { live, polls } = setUp(() => []);
  const events = live.watchDrops(viewer(undefined, 7));
  let text = "";
  for (let n = 0; n < 5; n++) text += (await events.next()).value as string;
  expect([text.includes("event: clicks"), polls, live.watchers()]).toEqual([false, [], 1]);
  const both = live.watch(viewer());
  await both.next();
  expect((await nextEvent(both)).clicks_per_second).toBe(0);
  await both.return();
  await events.return();
  expect(live.watchers()).toBe(0);
});

test("an account has a bound of its own, on each kind of stream", async () => {
  const { live } = setUp(() => [], { ofAccount: 2 });
  const refused = { name: "RateLimitExceeded", details: { retryAfterSeconds: 5 } };
  for (const watch of [live.watch, live.watchDrops]) {
    const [first, second] = [watch(viewer()), watch(viewer())];
    for (const events of [first, second]) await events.next();
    await expect(watch(viewer()).next()).rejects.toMatchObject(refused);
    expect((await watch(viewer(undefined, 7)).next()).value).toStartWith(":");
    await first.return();
    expect((await watch(viewer()).next()).value).toStartWith(":");
  }
});

test("a viewer who leaves between two seconds frees the place at once", async () => {
  const { live } = setUp(() => [], { ofAccount: 1, tickMs: 60_000 });
  for (let visit = 0; visit < 3; visit++) {
    const events = live.watch(viewer());
    await events.next();
    void events.next();
    await Bun.sleep(1);
    void events.return();
  }
  expect(live.watchers()).toBe(0);
});

test("whoever takes all places gives them up to others, until all have as many", async () => {
  const { live } = setUp(() => [], { watchers: 4, ofAccount: 4 });
  const greedy = Array.from({ length: 4 }, () => live.watch(viewer(undefined, 1)));
  for (const events of greedy) await events.next();
  const others = [live.watch(viewer(undefined, 2)), live.watch(viewer(undefined, 2))];
  for (const events of others) expect((await events.next()).value).toStartWith(":");
  const isOver = async (events: AsyncGenerator<string, void>) => (await events.next()).done;
  expect(await Promise.all([...greedy, ...others].map(isOver))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(live.watchers()).toBe(4);
  for (const accountId of [1, 2]) {
    const further = live.watch(viewer(undefined, accountId));
    await expect(further.next()).rejects.toMatchObject({ name: "ServiceUnavailable" });
  }
  expect((await live.watch(viewer(undefined, 3)).next()).value).toStartWith(":");
});

test("a filter by what the account does not reach any more ends the stream; a database that is away does not", async () => {
  const { live } = setUp(() => []);
  let error = appError("ServiceUnavailable", "away");
  const filter = () => Promise.reject(error);
  const events = live.watch({ ...viewer(), filter });
  await events.next();
  expect((await events.next()).value).toBe(": no news\n\n");
  error = appError("LinkNotFound", "gone");
  let last = await events.next();
  while (!last.done) last = await events.next();
  expect(live.watchers()).toBe(0);
});

test("a second without a response is skipped; the time limit and a stop end the stream", async () => {
  let fails = true;
  const { live } = setUp(
    () => {
      if (fails) throw new Error("away");
      return [];
    },
    { watchMs: 200 },
  );
  const events = live.watch(viewer());
  await events.next();
  expect((await events.next()).value).toStartWith(": ");
  fails = false;
  let last = await events.next();
  while (!last.done) last = await events.next();
  expect(live.watchers()).toBe(0);
  const other = live.watch(viewer());
  await other.next();
  const waiting = other.next();
  live.close();
  await waiting;
  expect((await other.next()).done).toBe(true);
});
