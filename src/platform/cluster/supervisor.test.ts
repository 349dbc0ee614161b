/** Workers that end at bad moments, without real processes. */
import { expect, test } from "bun:test";
import { until } from "../../../test/support/until.ts";
import { type Logger, silentLogger } from "../../lib/logger.ts";
import { createRpc } from "../../lib/rpc.ts";
import { createSupervisor } from "./supervisor.ts";
import type { ParentCalls, SpawnWorker, WorkerProcess } from "./worker-process.ts";

type FakeWorker = { index: number; ready(): void; die(): void; fail(): void };

const READY = {
  address: "http://here",
  port: 1,
  startValues: {},
  adminApi: { prefix: "/admin", isEnabled: false, panel: null, publicUrl: "" },
};

/** Workers that listen and end on request. */
function createFakes() {
  const alive = new Set<FakeWorker>();
  const spawned: FakeWorker[] = [];
  const reopened: number[] = [];
  let refusals = 0;
  const spawn: SpawnWorker = ({ index, onMessage, onExit }) => {
    if (refusals > 0) {
      refusals -= 1;
      throw Object.assign(new Error("no more processes"), { code: "EAGAIN" });
    }
    const rpc = createRpc<ParentCalls>({
      send: (message) => queueMicrotask(() => onMessage(message)),
      handlers: { steerAway: () => true, leave: () => null },
      timeoutMs: 60_000,
    });
    const end = (description: string, exitCode: number | null): void => {
      if (!alive.delete(worker)) return;
      rpc.close();
      onExit(description, exitCode);
    };
    const worker: FakeWorker = {
      index,
      ready: () => void rpc.call("ready", READY).catch(() => {}),
      die: () => end("signal SIGKILL", null),
      fail: () => end("exit code 5", 5),
    };
    alive.add(worker);
    spawned.push(worker);
    const kill: WorkerProcess["kill"] = (signal) =>
      signal === "SIGHUP" ? reopened.push(index) : end("exit code 0", 0);
    return { send: (message) => rpc.receive(message), kill };
  };
  return {
    alive,
    spawned,
    spawn,
    reopened,
    refuse: (times: number) => void (refusals = times),
    async nth(count: number): Promise<FakeWorker> {
      await until(() => spawned.length >= count);
      return spawned[count - 1]!;
    },
  };
}

async function startTwo() {
  const fakes = createFakes();
  const supervisor = createSupervisor({
    count: 2,
    spawn: fakes.spawn,
    logger: silentLogger,
    takeLoginTry: () => 0,
    renew() {},
  });
  const started = supervisor.start();
  for (const count of [1, 2]) (await fakes.nth(count)).ready();
  await started;
  return { fakes, supervisor };
}

const indexes = (workers: Iterable<FakeWorker>): number[] => [...workers].map(({ index }) => index).sort();

test("a worker that dies while its successor starts gets no second successor", async () => {
  const { fakes, supervisor } = await startTwo();
  const reloading = supervisor.reload();
  const successor = await fakes.nth(3);
  fakes.spawned[0]!.die();
  successor.ready();
  (await fakes.nth(4)).ready();
  await reloading;
  // The reload rests for longer, so a restarted worker would be there by now.
  expect(indexes(fakes.alive)).toEqual([0, 1]);
  await supervisor.stop();
});

test("a worker that a signal ends during the start is named and started again", async () => {
  const fakes = createFakes();
  const said: string[] = [];
  const logger = { ...silentLogger, error: (_facts: object, text: string) => said.push(text) };
  const supervisor = createSupervisor({
    count: 2,
    spawn: fakes.spawn,
    logger: logger as unknown as Logger,
    takeLoginTry: () => 0,
    renew() {},
  });
  const started = supervisor.start();
  (await fakes.nth(1)).die();
  (await fakes.nth(2)).ready();
  (await fakes.nth(3)).die();
  (await fakes.nth(4)).ready();
  expect(await started).toEqual(READY);
  expect(indexes(fakes.alive)).toEqual([0, 1]);
  expect(said).toEqual(Array(2).fill("a worker ended (signal SIGKILL); starting a new one"));
  await supervisor.stop();
});

test("a stop ends a start that waits for a worker's next try; an exit of the worker ends it too", async () => {
  const start = () => {
    const fakes = createFakes();
    const deps = { count: 1, spawn: fakes.spawn, logger: silentLogger, takeLoginTry: () => 0, renew() {} };
    const supervisor = createSupervisor(deps);
    return { fakes, supervisor, started: supervisor.start().catch((error: Error) => error.message) };
  };
  const waiting = start();
  (await waiting.fakes.nth(1)).die();
  await waiting.supervisor.stop();
  expect(await waiting.started).toBe("a worker ended (signal SIGKILL) before it listened");
  const refused = start();
  (await refused.fakes.nth(1)).fail();
  expect(await refused.started).toBe("a worker ended (exit code 5) before it listened");
  expect(refused.fakes.spawned).toHaveLength(1);
});

test("a worker that dies before its turn in a reload is replaced once", async () => {
  const { fakes, supervisor } = await startTwo();
  const reloading = supervisor.reload();
  const successor = await fakes.nth(3);
  fakes.spawned[1]!.die();
  (await fakes.nth(4)).ready();
  successor.ready();
  await reloading;
  expect(indexes(fakes.alive)).toEqual([0, 1]);
  await supervisor.stop();
});

test("if a worker and its successor both end, the worker is started again", async () => {
  const { fakes, supervisor } = await startTwo();
  const reloading = supervisor.reload();
  const successor = await fakes.nth(3);
  fakes.spawned[0]!.die();
  successor.die();
  await reloading;
  (await fakes.nth(4)).ready();
  expect(indexes(fakes.alive)).toEqual([0, 1]);
  await supervisor.stop();
});

test("the supervisor retries a worker that can't be spawned for lack of resources", async () => {
  const { fakes, supervisor } = await startTwo();
  fakes.refuse(2);
  fakes.spawned[0]!.die();
  (await fakes.nth(3)).ready();
  expect(indexes(fakes.alive)).toEqual([0, 1]);
  fakes.refuse(1);
  await supervisor.reload();
  // The one that stays opens its log file again.
  expect(fakes.reopened).toContain(1);
  expect(indexes(fakes.alive)).toEqual([0, 1]);
  await supervisor.stop();
});
