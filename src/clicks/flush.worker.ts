/** The flush thread. Its messages are in flush.thread.ts. */
import pino from "pino";
import { type Database, openDatabase } from "../platform/db/database.ts";
import { systemClock } from "../lib/clock.ts";
import { createRpc, type RpcMessage } from "../lib/rpc.ts";
import { lowerThreadPriority } from "../lib/thread-priority.ts";
import { type ClicksRepository, createClicksRepository } from "./flush/repository.ts";
import { createDetailsParser } from "./details/details.ts";
import { createAdoption } from "./flush/adoption.ts";
import type { DetailSettings, FlushCalls, FlushEvents } from "./flush.thread.ts";
import {
  createPace,
  type Pace,
  createFlushSchedule,
  type FlushSchedule,
  type FlushTrigger,
} from "./flush/schedule.ts";
import type { SourceState } from "./flush/source.ts";
import { createFlusher, type Flusher } from "./flush/flush.ts";
import { createGeo } from "./details/geo.ts";
import type { Place } from "./rollups/dimensions.ts";

const NO_PLACES: ReadonlyMap<string, Place> = new Map();
const SWEEP_EVERY_MS = 10_000;
const PRUNE_EVERY_MS = 24 * 3600_000;
const ROWS_KEPT_MS = 30 * 24 * 3600_000;

type Running = {
  database: Database;
  flusher: Flusher;
  pace: Pace;
  schedule: FlushSchedule;
  setDetails(settings: DetailSettings): void;
  begin(): void;
  stop(): void;
};

async function start(request: Parameters<FlushCalls["start"]>[0]): Promise<Running> {
  lowerThreadPriority();
  const logger = pino(
    {
      level: request.logLevel,
      base: null,
      timestamp: false,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => rpc.notify("log", line) },
  );
  const database = await openDatabase(
    { ...request.database, poolSize: 1 },
    { threads: false, guarded: true, logger },
  );
  const repository = createClicksRepository(database);
  const geo = createGeo(request.geo, { clock: systemClock, logger });
  let settings = request.details;
  const pace = createPace();
  const flusher = createFlusher({
    repository,
    instance: request.instance,
    journalDir: request.journalDir,
    clock: systemClock,
    logger,
    onSettled: (settled) => rpc.notify("settled", settled),
    parser: createDetailsParser({
      places: async (addresses) => (settings.locates ? geo.lookupMany(addresses) : NO_PLACES),
      addresses: () => settings.addresses,
    }),
    mostLogRows: () => settings.mostLogRows,
    rest: pace.rest,
  });
  for (const source of request.sources) addOwn(flusher, source);
  const adoption = createAdoption({ ...request, logger, add: flusher.add });
  const prune = createPruning(repository);
  const flush = async (trigger: FlushTrigger): Promise<void> => {
    await flushAndReport(flusher, trigger);
    await prune();
  };
  const schedule = createFlushSchedule({
    intervalMs: request.intervalMs,
    flush,
    now: () => performance.now(),
  });
  let sweeping: ReturnType<typeof setInterval> | undefined;
  const begin = () => {
    adoption.sweep();
    sweeping = setInterval(adoption.sweep, SWEEP_EVERY_MS);
    schedule.start();
  };
  const stop = () => {
    schedule.stop();
    clearInterval(sweeping);
  };
  const setDetails = (changed: DetailSettings) => void (settings = changed);
  return { database, flusher, pace, schedule, setDetails, begin, stop };
}

const addOwn = (flusher: Flusher, source: SourceState): void =>
  flusher.add(source, () => rpc.notify("retired", source.path));

async function flushAndReport(flusher: Flusher, trigger: FlushTrigger): Promise<void> {
  const startedAt = performance.now();
  const durationMs = () => performance.now() - startedAt;
  try {
    const done = await flusher.flush();
    rpc.notify("flushed", { trigger, status: "success", durationMs: durationMs(), ...done });
  } catch (error) {
    rpc.notify("flushed", { trigger, status: "failed", durationMs: durationMs(), clicks: 0, links: 0 });
    throw error;
  }
}

/** Once a day. Never fails a flush. */
function createPruning(repository: ClicksRepository): () => Promise<void> {
  let next = 0;
  return async () => {
    const now = systemClock.now();
    if (now < next) return;
    next = now + PRUNE_EVERY_MS;
    await repository.forgetBefore(now - ROWS_KEPT_MS).catch(() => {});
  };
}

/** Calls wait here for the start, in order. */
let running: Promise<Running>;

const calls: FlushCalls = {
  async start(request) {
    running = start(request);
    await running;
  },
  begin: async () => (await running).begin(),
  add: async (source) => addOwn((await running).flusher, source),
  seal: async (path) => (await running).flusher.seal(path),
  due: async () => (await running).schedule.due(),
  setInterval: async (ms) => (await running).schedule.setInterval(ms),
  setDetails: async (settings) => (await running).setDetails(settings),
  async flush() {
    const { pace, schedule } = await running;
    await pace.hurry(schedule.flushNow);
  },
  pendingLinks: async () => (await running).flusher.pendingLinks(),
  async close() {
    const { stop, pace, schedule, database } = await running;
    stop();
    await pace.hurry(schedule.flushNow).finally(() => database.close());
  },
};

const rpc = createRpc<FlushEvents>({ send: (message) => postMessage(message), handlers: calls });
self.addEventListener("message", ({ data }: MessageEvent<RpcMessage>) => rpc.receive(data));
