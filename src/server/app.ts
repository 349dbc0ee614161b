/** The server: all rooms, their jobs and metrics, and what handles requests. */
import { createResponder } from "./http.ts";
import { openRooms } from "./open.ts";
import { beginRooms, type House, type StartedRoom } from "./rooms.ts";
import type { AdminApi } from "../platform/cluster/worker-process.ts";
import { createRepeats } from "../platform/cluster/repeats.ts";
import type { WorkerChannel } from "../platform/cluster/worker-channel.ts";
import { RESTART_NOW } from "../platform/config/config.service.ts";
import type { Core } from "../platform/core.ts";
import { isUnavailable } from "../platform/db/failures.ts";
import { movedTo } from "../platform/db/move-switch.ts";
import { registerCertificateMetrics } from "../platform/health/http-metrics.ts";
import { startProcessMetrics } from "../platform/health/process-metrics.ts";
import { standingFields } from "../platform/http/context.ts";
import { failureResponse, toAppError } from "../platform/http/errors.ts";
import { createJobRunner, registerJobMetrics } from "../platform/jobs/runner.ts";
import type { Env } from "../platform/settings/env.ts";
import { createConnectionLimit } from "../platform/wire/connection-limit.ts";
import type { ServerCertificates } from "../platform/wire/server-certificates.ts";
import type { WireServer } from "../platform/wire/wire-server.ts";
import type { Logger } from "../lib/logger.ts";

export type App = Awaited<ReturnType<typeof createApp>>;

type AppOptions = {
  logger: Logger;
  /** Null or absent: the server speaks plain HTTP. */
  serverCertificates?: ServerCertificates | null;
  /** Set in a worker process. */
  worker?: WorkerChannel;
  /** Cancels waiting for the database. */
  stopping?: AbortSignal;
  /** Another app takes the place of this one. Called on request, and until the end if the database moves. */
  onRenew?: () => void;
};

/** @throws ServiceUnavailable when the database is away, BadRequest when the data folder is unusable */
export async function createApp(env: Env, options: AppOptions) {
  const { logger, worker } = options;
  const begun = beginRooms();
  const { house, rooms, close } = await openRooms<House>(env, { ...options, isServer: true, begun }).catch(
    (error: unknown) => {
      begun.terminate();
      throw error;
    },
  );
  const { registry, auth, config, certificates } = house;
  const repeats = createRepeats(house);
  const jobs = startJobs(house, rooms, repeats);
  const moves = watchMoves(house, options.onRenew);
  house.changes.subscribe("restarts", (keys) => {
    if (keys.includes(RESTART_NOW)) options.onRenew?.();
  });
  registerJobMetrics(registry, jobs);
  for (const room of rooms) room.metrics?.(registry);
  const processMetrics = startProcessMetrics(registry);
  registerCertificateMetrics(registry, certificates);
  return {
    respond: createResponder({ house, rooms, repeats }),
    /** What `server.http_port` responds; undefined: nothing listens there. */
    plainHttp: rooms.find(({ plainHttp }) => plainHttp !== undefined)?.plainHttp,
    /** The response to an error of `respond`. */
    explain(error: unknown): Response {
      const response = failureResponse(toAppError(error));
      const standing = Object.entries(standingFields(crypto.randomUUID()));
      for (const [name, value] of standing) response.headers.set(name, value);
      return response;
    },
    connectionLimit: createConnectionLimit({ registry, logger }),
    /** Call it with the servers that call `respond` and `plainHttp`. */
    listens: (servers: readonly WireServer[]): void => worker?.on({ servers }),
    adminApi: (): AdminApi => ({
      prefix: config.get("routes.admin_prefix"),
      isEnabled: auth.isAdminEnabled(),
      publicUrl: config.get("features.public_url"),
      panel: config.get("features.enable_admin_panel") ? config.get("routes.frontend_prefix") : null,
    }),
    serverCertificateReloaded: house.serverCertificateReloaded,
    /** The secret of a new one-time address; null when a password is set. */
    openSetUp: auth.openSetUp,
    clickStats: house.clicks.stats,
    /** The settings for workers that start later; see `Config.startValues`. */
    startValues: config.startValues,
    /** Call it when no more requests are accepted. */
    endStreams: house.live.close,
    /** Call it after the last request. Flushes the clicks. */
    async close(): Promise<void> {
      processMetrics.close();
      moves.close();
      await jobs.stop();
      await close();
    },
  };
}

function startJobs(house: House, rooms: readonly StartedRoom[], repeats: ReturnType<typeof createRepeats>) {
  const { events, leases, changes, config, clock, logger } = house;
  const ofRooms = rooms.flatMap((room) => room.jobs ?? []);
  const retention = events.retentionJob(() => config.get("events.retention_days"));
  const runner = createJobRunner({ leases, jobs: [retention, repeats.job, ...ofRooms], clock, logger });
  runner.start();
  for (const { name, soonAfter } of ofRooms) {
    for (const topic of [soonAfter ?? []].flat()) changes.subscribe(topic, () => runner.soon(name));
  }
  return runner;
}

const ASK_AGAIN_MS = 5_000;

/** Looks where the database is when the change feed reports that a move switches, and at the start. */
function watchMoves({ changes, database, logger }: Core, onMoved = (): void => {}): { close(): void } {
  let asking: ReturnType<typeof setInterval> | undefined;
  let [hasNews, isLooking, isClosed] = [false, false, false];
  const look = async (): Promise<void> => {
    hasNews = true;
    if (isLooking) return;
    isLooking = true;
    while (hasNews && asking === undefined && !isClosed) {
      hasNews = false;
      try {
        if ((await movedTo(database)) === null || isClosed) continue;
        asking = setInterval(onMoved, ASK_AGAIN_MS);
        onMoved();
      } catch (error) {
        if (isClosed) break;
        if (!isUnavailable(error)) logger.error({ err: error }, "the move of the database can't be followed");
        hasNews = true;
        await Bun.sleep(ASK_AGAIN_MS / 5);
      }
    }
    isLooking = false;
  };
  const leave = changes.subscribe("moves", () => void look());
  void look();
  return {
    close() {
      isClosed = true;
      leave();
      clearInterval(asking);
    },
  };
}
