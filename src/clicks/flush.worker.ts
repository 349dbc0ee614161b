/**
 * The flush thread: owns a database of its own, so that neither the queries nor the sorting hold the loop that
 * answers redirects. The first message starts it; see flush.messages.ts.
 */
// oxlint-disable unicorn/require-post-message-target-origin -- that is for windows; a worker has no origin
import pino from "pino";
import { type Database, openDatabase } from "../db/database.ts";
import { systemClock } from "../lib/clock.ts";
import { AppError, messageOf } from "../lib/errors.ts";
import { lowerThreadPriority } from "../lib/thread-priority.ts";
import { type ClicksRepository, createClicksRepository } from "./flush/repository.ts";
import { createDetailsParser } from "./details/details.ts";
import { createAdoption } from "./flush/adoption.ts";
import type { DetailSettings, FlushAnswer, FlushRequest, SentError } from "./flush-messages.ts";
import { createPace, type Pace } from "./flush/pace.ts";
import { createFlushSchedule, type FlushSchedule } from "./flush/schedule.ts";
import type { SourceState } from "./flush/source.ts";
import { createFlusher, type Flusher, type FlushTrigger } from "./flush/flush.ts";
import { createGeo, type Place } from "./details/geo.ts";

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

const tell = (answer: FlushAnswer): void => postMessage(answer);
const sentError = (error: unknown): SentError => ({
  name: error instanceof AppError ? error.name : "InternalServerError",
  message: messageOf(error),
});

async function start(request: FlushRequest & { type: "start" }): Promise<Running> {
  lowerThreadPriority();
  const logger = pino(
    {
      level: request.logLevel,
      base: null,
      timestamp: false,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => tell({ type: "log", line }) },
  );
  const database = await openDatabase(
    { ...request.database, poolSize: 1 },
    { threads: false, guarded: true, logger },
  );
  const repository = createClicksRepository(database);
  const instance = await repository.instance();
  const geo = createGeo(request.geo, { clock: systemClock, logger });
  let settings = request.details;
  const pace = createPace();
  const flusher = createFlusher({
    repository,
    instance,
    journalDir: request.journalDir,
    clock: systemClock,
    logger,
    onSettled: (settled) => tell({ type: "settled", settled }),
    parser: createDetailsParser(async (addresses) =>
      settings.locates ? geo.lookupMany(addresses) : NO_PLACES,
    ),
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
  tell({ type: "started", instance });
  const stop = () => {
    schedule.stop();
    clearInterval(sweeping);
  };
  const setDetails = (changed: DetailSettings) => void (settings = changed);
  return { database, flusher, pace, schedule, setDetails, begin, stop };
}

const addOwn = (flusher: Flusher, source: SourceState): void =>
  flusher.add(source, () => tell({ type: "retired", path: source.path }));

async function flushAndReport(flusher: Flusher, trigger: FlushTrigger): Promise<void> {
  const startedAt = performance.now();
  const durationMs = () => performance.now() - startedAt;
  try {
    const done = await flusher.flush();
    tell({ type: "flushed", report: { trigger, status: "success", durationMs: durationMs(), ...done } });
  } catch (error) {
    const report = { trigger, status: "failed" as const, durationMs: durationMs(), clicks: 0, links: 0 };
    tell({ type: "flushed", report });
    throw error;
  }
}

/** Removes rows whose segments are long gone; once a day, and never a reason for a flush to fail. */
function createPruning(repository: ClicksRepository): () => Promise<void> {
  let next = 0;
  return async () => {
    const now = systemClock.now();
    if (now < next) return;
    next = now + PRUNE_EVERY_MS;
    await repository.forgetBefore(now - ROWS_KEPT_MS).catch(() => {});
  };
}

/** Requests wait here for the start; promises keep their order. */
let running: Promise<Running>;

async function handle(request: FlushRequest): Promise<number | undefined> {
  if (request.type === "start") running = start(request);
  const { flusher, pace, schedule, setDetails, begin, stop, database } = await running;
  switch (request.type) {
    case "start":
      break;
    case "begin":
      begin();
      break;
    case "add":
      addOwn(flusher, request.source);
      break;
    case "seal":
      flusher.seal(request.path);
      break;
    case "due":
      schedule.due();
      break;
    case "interval":
      schedule.setInterval(request.ms);
      break;
    case "details":
      setDetails(request.settings);
      break;
    case "flush":
      await pace.hurry(schedule.flushNow);
      break;
    case "pendingLinks":
      return flusher.pendingLinks();
    case "close":
      stop();
      await pace.hurry(schedule.flushNow).finally(() => database.close());
  }
  return undefined;
}

self.addEventListener("message", async ({ data }: MessageEvent<FlushRequest>) => {
  const id = "id" in data ? data.id : null;
  try {
    const value = await handle(data);
    if (id !== null) tell({ type: "answer", id, ...(value === undefined ? {} : { value }) });
  } catch (error) {
    tell(
      id === null
        ? { type: "failed", error: sentError(error) }
        : { type: "answer", id, error: sentError(error) },
    );
  }
});
