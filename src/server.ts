/** One listening process: Bun.serve with its limits, and the orderly way out. */
import { chmodSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import type { Server } from "bun";
import type { App } from "./app.ts";
import type { Env } from "./env.ts";
import { appError, messageOf } from "./lib/errors.ts";

/**
 * Seconds without a byte after which a connection is cut; slow heads fall under it as well. An answer's writes count,
 * and between two of them the system sends what it has buffered, some megabytes: with half a minute downloads of less
 * than 300 KB/s were cut (the runtime goes back to this value at each write, whatever a request had set for itself).
 */
const IDLE_TIMEOUT_S = 120;
/** How long a stop waits for running requests before it cuts them. */
const DRAIN_MS = 10_000;

export type RunningServer = {
  /** Where it listens, as a person would type it. */
  readonly address: string;
  /** 0 on a unix socket. */
  readonly port: number;
  /** Stops accepting, lets running requests finish within ten seconds, then cuts them. */
  stop(): Promise<void>;
};

/** @throws Conflict when the port or socket is taken, BadRequest when it can't be listened on */
export async function startServer(
  settings: Env["server"],
  app: App,
  { sharePort = false } = {},
): Promise<RunningServer> {
  if (settings.unixSocket !== null) await clearStaleSocket(settings.unixSocket);
  const server = listen(settings, app, sharePort);
  if (settings.unixSocket !== null) chmodSync(settings.unixSocket, 0o660);
  return {
    address: settings.unixSocket === null ? server.url.origin : `unix:${settings.unixSocket}`,
    port: server.port ?? 0,
    async stop() {
      const cut = setTimeout(() => void server.stop(true), DRAIN_MS);
      const stopped = server.stop();
      app.endStreams();
      await stopped;
      clearTimeout(cut);
      if (settings.unixSocket !== null) rmSync(settings.unixSocket, { force: true });
    },
  };
}

function listen(settings: Env["server"], app: App, reusePort: boolean): Server<undefined> {
  const { host: hostname, port, unixSocket, tlsCert, tlsKey } = settings;
  const shared = {
    development: false,
    // Every body has a bound of its own, counted while it streams and answered with an envelope.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: app.fetch,
    error: app.onError,
    idleTimeout: IDLE_TIMEOUT_S,
    ...(tlsCert !== null && tlsKey !== null && { tls: { cert: readPem(tlsCert), key: readPem(tlsKey) } }),
  };
  try {
    if (unixSocket === null) return Bun.serve({ ...shared, hostname, port, reusePort });
    // Its types know no idle timeout for a unix socket; without one connections are cut after ten seconds.
    const options = { ...shared, unix: unixSocket } as Bun.Serve.Options<undefined>;
    return Bun.serve(options);
  } catch (error) {
    throw explainListen(settings, error);
  }
}

/** @throws BadRequest naming the file */
function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw appError(
      "BadRequest",
      `${path} can't be read; set server.tls_cert and server.tls_key to PEM files.`,
      { cause },
    );
  }
}

function explainListen(settings: Env["server"], cause: unknown): Error {
  const place = settings.unixSocket ?? `${settings.host}:${settings.port}`;
  if ((cause as { code?: string }).code === "EADDRINUSE") {
    const other = settings.unixSocket === null ? "server.port" : "server.unix_socket";
    return appError("Conflict", `${place} is in use; stop what listens there or set ${other} to another.`, {
      cause,
    });
  }
  const reason = messageOf(cause);
  return appError("BadRequest", `Can't listen on ${place}: ${reason}`, { cause });
}

/** Removes the socket file that a killed process left; one that answers is in use. */
async function clearStaleSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket())
    throw appError("Conflict", `${path} exists and is no socket; set server.unix_socket to another path.`);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const probe = connect(path, () => resolve(true)).on("error", () => resolve(false));
  const isAlive = await promise;
  probe.destroy();
  if (isAlive)
    throw appError(
      "Conflict",
      `${path} is in use; stop what listens there or set server.unix_socket to another.`,
    );
  rmSync(path);
}
