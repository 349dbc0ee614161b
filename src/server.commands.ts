/** `waymark serve`: one process, or a parent with several workers on one port. */
import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { createAddressBuckets } from "./auth/login/address-limit.ts";
import { createApp } from "./app.ts";
import type { CommandContext } from "./cli/command.ts";
import { createSupervisor, type SpawnWorker, STOP_MS, WorkerStartError } from "./cluster/supervisor.ts";
import { createWorkerChannel } from "./cluster/worker-channel.ts";
import type { Env } from "./env.ts";
import { systemClock } from "./lib/clock.ts";
import { appError } from "./lib/errors.ts";
import { createLogger, type Logger } from "./lib/logger.ts";
import { programName } from "./lib/program-name.ts";
import { VERSION } from "./lib/version.ts";
import { startServer } from "./server.ts";

type ServeOptions = { workerPort?: string };

export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command("serve")
    .description("run the server until SIGTERM or SIGINT; SIGHUP reloads workers one after another")
    .addOption(new Option("--worker-port <port>", "be a worker of a parent process").hideHelp())
    .action(async ({ workerPort }: ServeOptions) => {
      const env = context.env();
      const logger = await createLogger(env.logging);
      if (workerPort !== undefined) {
        // The channel to the parent would keep the process alive, also after a start that failed.
        return serveAsWorker(env, logger, Number(workerPort)).finally(() => process.disconnect?.());
      }
      const count = env.server.workers === "auto" ? availableParallelism() : env.server.workers;
      if (count === 1) return serveAlone(env, logger);
      if (env.server.unixSocket !== null) {
        throw appError(
          "BadRequest",
          "A unix socket takes one worker: set server.workers to 1, or use a port.",
        );
      }
      return superviseWorkers(env, logger, count);
    });
}

async function serveAlone(env: Env, logger: Logger): Promise<void> {
  const signalled = nextStop(["SIGTERM", "SIGINT"]);
  process.on("SIGHUP", () =>
    logger.warn("a reload needs server.workers of 2 or more; restart to take up new settings"),
  );
  const app = await createApp(env, { logger, stopping: abortedBy(signalled) });
  try {
    const server = await startServer(env.server, app);
    announce(logger, server.address, env, 1);
    if (!app.isAdminEnabled()) {
      logger.info(`The admin API is off until a password is set: run '${programName()} reset-password'`);
    }
    logger.info({ signal: await signalled }, "stopping: finishing running requests and storing clicks");
    await server.stop();
  } finally {
    await app.close();
  }
  logger.info("stopped");
}

/** Stops on SIGTERM, which the parent sends, and when the parent is gone; a terminal's SIGINT is the parent's. */
async function serveAsWorker(env: Env, logger: Logger, port: number): Promise<void> {
  const { promise: orphaned, resolve: onLost } = Promise.withResolvers<string>();
  const worker = createWorkerChannel(() => {
    onLost("parent is gone");
    // What doesn't end in this time is ended by the parent, as long as there is one.
    setTimeout(() => process.exit(1), STOP_MS).unref();
  });
  for (const ignored of ["SIGINT", "SIGHUP"] as const) process.on(ignored, () => {});
  const stopped = Promise.race([nextStop(["SIGTERM"]), orphaned]);
  const app = await createApp(env, { logger, worker, stopping: abortedBy(stopped) });
  try {
    const server = await startServer({ ...env.server, port }, app, { sharePort: true });
    try {
      const info = { address: server.address, port: server.port, startValues: app.startValues() };
      await worker.ready(info).catch((error: unknown) => {
        // Without a parent `stopped` says so.
        if (process.connected) throw error;
      });
      logger.debug({ reason: await stopped }, "worker stops");
    } finally {
      // Left open it would take connections from whoever shares the port, and answer nothing.
      await server.stop();
    }
  } finally {
    await app.close();
  }
}

async function superviseWorkers(env: Env, logger: Logger, count: number): Promise<void> {
  const signalled = nextStop(["SIGTERM", "SIGINT"]);
  const supervisor = createSupervisor({
    count,
    spawn: createSpawn(env.server.port),
    logger,
    takeLoginTry: createAddressBuckets({ clock: systemClock }).tryNow,
  });
  const starting = supervisor.start();
  // A start may wait for its database for a minute; signals are heard meanwhile.
  const stopped = signalled.then((signal) => {
    logger.info({ signal }, "stopping the workers: finishing running requests and storing clicks");
    return supervisor.stop();
  });
  let reloading: Promise<unknown> = starting.catch(() => undefined);
  process.on("SIGHUP", () => (reloading = reloading.then(supervisor.reload)));
  try {
    announce(logger, await starting, env, count);
  } catch (error) {
    // The worker has said why.
    if (error instanceof WorkerStartError) process.exitCode = error.exitCode;
    else throw error;
    return;
  }
  await stopped;
  logger.info("stopped");
}

/** Starts this program again as a worker, with the same arguments. */
const createSpawn =
  (firstPort: number): SpawnWorker =>
  ({ port, onMessage, onExit }) => {
    const isCompiled = Bun.main.startsWith("/$bunfs/");
    const program = isCompiled ? [process.execPath] : [process.execPath, "--no-env-file", Bun.main];
    const own = process.argv.slice(2);
    return Bun.spawn([...program, ...own, "--worker-port", String(port ?? firstPort)], {
      stdio: ["ignore", "inherit", "inherit"],
      ipc: onMessage,
      onExit: (_process, exitCode, signal) =>
        onExit(exitCode === null ? `signal ${signal}` : `exit code ${exitCode}`, exitCode),
    });
  };

function announce(logger: Logger, address: string, env: Env, workers: number): void {
  logger.info({ version: VERSION, address, data: env.data.dir, workers }, `Waymark listens on ${address}`);
}

/** Aborted when the promise is fulfilled. */
function abortedBy(stopped: Promise<unknown>): AbortSignal {
  const controller = new AbortController();
  void stopped.then(() => controller.abort());
  return controller.signal;
}

/** The first of these signals; a second one ends the process at once. */
function nextStop(signals: readonly NodeJS.Signals[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let isStopping = false;
  for (const signal of signals) {
    process.on(signal, () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      resolve(signal);
    });
  }
  return promise;
}
