/** `waymark serve`: one process, or a supervisor and several workers on one port. */
import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { createAddressBuckets } from "../auth/address-limit.ts";
import { type App, createApp } from "./app.ts";
import { createSupervisor, WorkerStartError } from "../platform/cluster/supervisor.ts";
import { createWorkerChannel } from "../platform/cluster/worker-channel.ts";
import { type AdminApi, type SpawnWorker, STOP_MS } from "../platform/cluster/worker-process.ts";
import type { RoomContext } from "../platform/room-shape.ts";
import type { Env } from "../platform/settings/env.ts";
import type { ServerCertificates } from "../platform/wire/server-certificates.ts";
import { systemClock } from "../lib/clock.ts";
import { readServerPair } from "../lib/certificate.ts";
import { appError, messageOf } from "../lib/errors.ts";
import { createLogger, type Logger } from "../lib/logger.ts";
import { ownCommand } from "../lib/own-command.ts";
import { programName } from "../lib/program-name.ts";
import { noteServerAddress } from "../lib/server-address.ts";
import { VERSION } from "../lib/version.ts";
import { findMisspelledVariables } from "./settings.ts";
import { DRAIN_MS, openCertificates, type ServedApp, startServer } from "./server.ts";

type ServeOptions = { port?: string; workerPort?: string };

/** Another source of what a server serves, which a room adds with options of its own. */
type Source = { envOf(env: Env, options: object): Env; prepare(options: object): Promise<string | null> };

export async function addServeCommand(program: Command, context: RoomContext): Promise<void> {
  const serve = program
    .command("serve")
    .option("--port <number>", "port to listen on, instead of server.port; 0 picks a free one");
  const sources = await context.extend<Source>("serve", serve);
  serve
    .addOption(new Option("--worker-port <port>", "run as worker of a parent process").hideHelp())
    .action(async (options: ServeOptions) => {
      const settings = sources.reduce((env, source) => source.envOf(env, options), context.env());
      const env = withPort(settings, options.port);
      const logger = await createLogger(env.logging);
      if (options.workerPort !== undefined) {
        // The channel to the parent would keep the process alive, even after a failed start.
        return serveAsWorker(env, logger, Number(options.workerPort)).finally(() => process.disconnect?.());
      }
      for (const sentence of findMisspelledVariables()) logger.warn(sentence);
      for (const source of sources) {
        const sentence = await source.prepare(options);
        if (sentence !== null) logger.info(sentence);
      }
      const count = env.server.workers === "auto" ? availableParallelism() : env.server.workers;
      if (count === 1) return serveAlone(env, logger);
      if (env.server.unixSocket !== null) {
        throw appError(
          "BadRequest",
          "A unix socket allows one worker only: set server.workers to 1, or use a port.",
        );
      }
      return superviseWorkers(env, logger, count);
    });
}

async function serveAlone(env: Env, logger: Logger): Promise<void> {
  const signalled = nextStop(["SIGTERM", "SIGINT"]);
  const certificates = await openCertificates(env.server);
  process.on("SIGHUP", () => {
    if (certificates !== null) reloadCertificate(certificates);
    logger.info(
      "SIGHUP opens the log file and the certificate of server.tls_cert again; a reload of settings needs server.workers of 2 or more",
    );
  });
  const stopping = abortedBy(signalled);
  const open = () => createApp(env, { logger, stopping, serverCertificates: certificates, onRenew: renew });
  let app = await open();
  let renewing: Promise<unknown> | null = null;

  function renew(): void {
    renewing ??= takeTurns()
      .catch((err: unknown) =>
        logger.error({ err }, "the server can't open its database anew; the former workers stay"),
      )
      .finally(() => (renewing = null));
  }
  /** Requests under way end with the former app. */
  async function takeTurns(): Promise<void> {
    const former = app;
    app = await open();
    logger.info("a new worker answers, with the settings and the place of the database of now");
    former.endStreams();
    await Promise.race([signalled, Bun.sleep(DRAIN_MS)]);
    await former.close();
  }

  function reloadCertificate(served: ServerCertificates): void {
    const { tlsCert, tlsKey } = env.server;
    if (tlsCert === null || tlsKey === null) return;
    try {
      served.setCommon(readServerPair(tlsCert, tlsKey));
      app.serverCertificateReloaded();
      logger.info(`new connections get the certificate that ${tlsCert} has now`);
    } catch (error) {
      logger.error(`The former certificate stays in use: ${messageOf(error)}`);
    }
  }

  try {
    const responders = inTurn(() => app);
    const server = await startServer(env.server, responders, { certificates });
    const { openSetUp } = app;
    await announce(logger, env, { address: server.address, workers: 1, adminApi: app.adminApi(), openSetUp });
    logger.info({ signal: await signalled }, "stopping: completing requests and storing clicks");
    await server.stop();
  } finally {
    await renewing;
    await app.close();
  }
  logger.info("stopped");
}

/** Responds with the app that is the newest at each request. */
const inTurn = (newest: () => App): ServedApp => ({
  respond: (arrival, server) => newest().respond(arrival, server),
  plainHttp: newest().plainHttp && ((arrival) => newest().plainHttp!(arrival)),
  explain: (error) => newest().explain(error),
  connectionLimit: newest().connectionLimit,
  listens: (servers) => newest().listens(servers),
  endStreams: () => newest().endStreams(),
});

/** Stops on SIGTERM, which the parent sends, and when the parent is gone. The parent handles SIGINT of a terminal. */
async function serveAsWorker(env: Env, logger: Logger, port: number): Promise<void> {
  const { promise: orphaned, resolve: onLost } = Promise.withResolvers<string>();
  const worker = createWorkerChannel(() => {
    onLost("parent is gone");
    // The parent kills a worker that takes longer, while there is a parent.
    setTimeout(() => process.exit(1), STOP_MS).unref();
  });
  for (const ignored of ["SIGINT", "SIGHUP"] as const) process.on(ignored, () => {});
  const stopped = Promise.race([nextStop(["SIGTERM"]), orphaned]);
  const certificates = await openCertificates(env.server);
  const stopping = abortedBy(stopped);
  const renewing = { worker, onRenew: worker.renew };
  const app = await createApp(env, { logger, stopping, serverCertificates: certificates, ...renewing });
  try {
    const server = await startServer({ ...env.server, port }, app, { certificates, sharePort: true });
    try {
      const { address, port: bound } = server;
      const info = { address, port: bound, startValues: app.startValues(), adminApi: app.adminApi() };
      await worker.ready(info).catch((error: unknown) => {
        // Without a parent, `stopped` resolves.
        if (process.connected) throw error;
      });
      logger.debug({ reason: await stopped }, "worker stops");
    } finally {
      // A listening socket would accept connections without responding.
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
    renew() {
      renewing ??= (reloading = reloading.then(supervisor.reload)).finally(() => (renewing = null));
    },
  });
  let renewing: Promise<unknown> | null = null;
  const starting = supervisor.start();
  // A start may wait a minute for its database.
  const stopped = signalled.then((signal) => {
    logger.info({ signal }, "stopping the workers: completing requests and storing clicks");
    return supervisor.stop();
  });
  let reloading: Promise<unknown> = starting.catch(() => undefined);
  process.on("SIGHUP", () => (reloading = reloading.then(supervisor.reload)));
  try {
    const { openSetUp } = supervisor;
    await announce(logger, env, { ...(await starting), workers: count, openSetUp });
  } catch (error) {
    // The worker has logged the reason.
    if (error instanceof WorkerStartError) process.exitCode = error.exitCode;
    else throw error;
    return;
  }
  await stopped;
  logger.info("stopped");
}

/** Starts a process of this program with the same arguments. */
const createSpawn =
  (firstPort: number): SpawnWorker =>
  ({ port, onMessage, onExit }) => {
    const own = process.argv.slice(2);
    return Bun.spawn([...ownCommand(), ...own, "--worker-port", String(port ?? firstPort)], {
      stdio: ["ignore", "inherit", "inherit"],
      ipc: onMessage,
      onExit: ({ signalCode }, exitCode) =>
        onExit(signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`, exitCode),
    });
  };

/** @throws BadRequest */
function withPort(env: Env, text: string | undefined): Env {
  if (text === undefined) return env;
  if (env.server.unixSocket !== null) {
    throw appError("BadRequest", "--port and server.unix_socket exclude each other; set only one of them.");
  }
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw appError("BadRequest", "--port must be a whole number from 0 to 65535.");
  }
  return { ...env, server: { ...env.server, port: Number(text) } };
}

type Started = {
  address: string;
  workers: number;
  adminApi: AdminApi;
  /** The secret of a one-time address. */
  openSetUp(): Promise<string | null>;
};

/** Scripts read the field `address`. */
async function announce(logger: Logger, env: Env, started: Started): Promise<void> {
  const { address, workers, adminApi } = started;
  noteServerAddress(env.data.dir, address);
  const origin = address.startsWith("unix:") ? "" : address;
  const share = workers === 1 ? "" : ` with ${workers} workers`;
  logger.info(
    { version: VERSION, address, data: env.data.dir, workers },
    `Waymark ${VERSION} listens on ${address}${share}.`,
  );
  if (env.isSuccessor) return;
  const panel = adminApi.panel === null ? "" : ` Panel: ${origin}${adminApi.panel}/`;
  logger.info(`API: ${origin}${adminApi.prefix}/v1, shown at …/v1/docs.${panel}`);
  if (adminApi.isEnabled) return logger.info("The admin API is on.");
  await announceSetUp(logger, env, started);
}

/** Browsers keep no secure cookies of such a host. */
const EVERY_HOST = /\/\/(?:0\.0\.0\.0|\[::\])(?=:)/;

/** The only place that shows the secret, and on the terminal only: a log file may be kept. */
async function announceSetUp(logger: Logger, env: Env, { address, adminApi, openSetUp }: Started) {
  const off = "The admin API is off until a password is set: ";
  const command = `run '${programName()} reset-password'.`;
  const isSeen = logger.isLevelEnabled("info");
  const secret = adminApi.panel === null || !isSeen ? null : await openSetUp().catch(() => null);
  if (secret === null) return logger.info(off + command);
  const listening = address.startsWith("unix:") ? "" : address.replace(EVERY_HOST, "//localhost");
  const origin = adminApi.publicUrl || listening;
  const invitation = `${off}open ${origin}${adminApi.panel}/set-up#${secret} within an hour, or ${command}`;
  if (env.logging.file === null) return logger.info(invitation);
  logger.info(off + command);
  process.stderr.write(`${invitation}\n`);
}

/** Aborts when the promise is fulfilled. */
function abortedBy(stopped: Promise<unknown>): AbortSignal {
  const controller = new AbortController();
  void stopped.then(() => controller.abort());
  return controller.signal;
}

/** A terminal sends Ctrl-C to this process, and `npm start` forwards it again. */
const SAME_SIGNAL_MS = 1_000;

/** Resolves with the first signal. A later one ends the process at once. */
function nextStop(signals: readonly NodeJS.Signals[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let firstAt: number | null = null;
  for (const signal of signals) {
    process.on(signal, () => {
      const now = performance.now();
      firstAt ??= now;
      if (now - firstAt > SAME_SIGNAL_MS) process.exit(130);
      resolve(signal);
    });
  }
  return promise;
}
