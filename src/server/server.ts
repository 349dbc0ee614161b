import { chmodSync, lstatSync, rmSync } from "node:fs";
import { connect } from "node:net";
import type { App } from "./app.ts";
import type { PlainHttp } from "../platform/room-shape.ts";
import { type Env, servesHttps } from "../platform/settings/env.ts";
import { readServerPair } from "../lib/certificate.ts";
import { appError, messageOf } from "../lib/errors.ts";
import type { ConnectionLimit } from "../platform/wire/connection-limit.ts";
import type { ServerCertificates } from "../platform/wire/server-certificates.ts";
import { startWireServer, type WireServer } from "../platform/wire/wire-server.ts";

/** A stop cuts requests that take longer. */
export const DRAIN_MS = 10_000;

export type ServedApp = Pick<
  App,
  "respond" | "plainHttp" | "explain" | "connectionLimit" | "listens" | "endStreams"
>;

/** The certificate of `server.tls_cert`, or none yet with `server.acme`; null: plain HTTP. @throws BadRequest naming the file and what to do */
export async function openCertificates(settings: Env["server"]): Promise<ServerCertificates | null> {
  if (!servesHttps(settings)) return null;
  const { tlsCert, tlsKey } = settings;
  // A server without TLS does not load it.
  const { createServerCertificates } = await import("../platform/wire/server-certificates.ts");
  return createServerCertificates(
    tlsCert === null || tlsKey === null ? null : readServerPair(tlsCert, tlsKey),
  );
}

type Listening = {
  /** Null: plain HTTP. */
  certificates: ServerCertificates | null;
  sharePort?: boolean;
};

/** @throws Conflict when port or socket is in use, BadRequest when listening fails */
export async function startServer(
  settings: Env["server"],
  app: ServedApp,
  { certificates, sharePort = false }: Listening,
) {
  if (settings.unixSocket !== null) await clearStaleSocket(settings.unixSocket);
  const server = listen(settings, app, { certificates, sharePort });
  const servers = [server];
  try {
    if (app.plainHttp !== undefined) servers.push(listenPlain(settings, app, app.plainHttp, sharePort));
  } catch (error) {
    void server.stop(true);
    throw error;
  }
  if (settings.unixSocket !== null) chmodSync(settings.unixSocket, 0o660);
  app.listens(servers);
  return {
    /** As a URL, or `unix:PATH`. */
    address: settings.unixSocket === null ? originOf(settings, server.port) : `unix:${settings.unixSocket}`,
    /** 0 on a unix socket. */
    port: server.port,
    /** Stops accepting, waits ten seconds for running requests, then cuts them. */
    async stop(): Promise<void> {
      const stop = (isHard = false) => Promise.all(servers.map((one) => one.stop(isHard)));
      const cut = setTimeout(() => void stop(true), DRAIN_MS);
      const stopped = stop();
      app.endStreams();
      await stopped;
      clearTimeout(cut);
      if (settings.unixSocket !== null) rmSync(settings.unixSocket, { force: true });
    },
  };
}

function listenPlain(settings: Env["server"], app: ServedApp, respond: PlainHttp, sharePort: boolean) {
  const place = { ...settings, port: settings.httpPort, portSetting: "server.http_port" };
  const connectionLimit = app.connectionLimit.forServer();
  return listen(place, { explain: app.explain, respond, connectionLimit }, { certificates: null, sharePort });
}

type Place = Pick<Env["server"], "host" | "port" | "unixSocket"> & {
  /** By default server.port. */
  portSetting?: string;
};

function listen(
  settings: Place,
  app: Pick<ServedApp, "respond" | "explain"> & { connectionLimit: ConnectionLimit },
  { certificates: tls, sharePort: reusePort }: Required<Listening>,
): WireServer {
  const { host: hostname, port, unixSocket } = settings;
  const address = unixSocket === null ? { hostname, port, reusePort } : { unix: unixSocket };
  try {
    const { respond, explain, connectionLimit: limit } = app;
    return startWireServer({ address, tls, respond, explain, limit });
  } catch (error) {
    throw listenFailure(settings, error);
  }
}

function originOf(settings: Env["server"], port: number): string {
  const { host } = settings;
  const name = host.includes(":") ? `[${host}]` : host;
  return `${servesHttps(settings) ? "https" : "http"}://${name}:${port}`;
}

/** Explains what to do about a refused port or socket. */
export function listenFailure(
  { host, port, unixSocket, portSetting = "server.port" }: Place,
  cause: unknown,
): Error {
  const code = (cause as { code?: string }).code ?? "";
  const place = unixSocket ?? `${host}:${port}`;
  const setting = unixSocket === null ? portSetting : "server.unix_socket";
  if (code === "EADDRINUSE") {
    const message = `${place} is in use; stop the program that listens there or change ${setting}.`;
    return appError("Conflict", message, { cause });
  }
  return appError(
    "BadRequest",
    `Can't listen on ${place}: ${reasonOf(code, { port, unixSocket, setting }, cause)}`,
    {
      cause,
    },
  );
}

type Refused = { port: number; unixSocket: string | null; setting: string };

function reasonOf(code: string, { port, unixSocket, setting }: Refused, cause: unknown): string {
  if (unixSocket !== null) {
    if (code === "EACCES") return "this account may not write into its folder. Change server.unix_socket.";
    if (code === "ENOENT") return "its folder does not exist. Make it, or change server.unix_socket.";
  } else if (code === "EACCES" && port < 1024) {
    return (
      "only root may use ports below 1024. " +
      `Run 'sudo setcap cap_net_bind_service=+ep ${process.execPath}', ` +
      "or give a systemd unit AmbientCapabilities=CAP_NET_BIND_SERVICE and the same CapabilityBoundingSet, " +
      `or set ${setting} to 1024 or more and let a proxy answer on this port.`
    );
  } else if (code === "EADDRNOTAVAIL") {
    return "this machine does not have the address. Set server.host to an address of this machine, or to 0.0.0.0 for all.";
  } else if (code === "" && messageOf(cause).startsWith("Failed to listen")) {
    return "the host is not found. Set server.host to an address of this machine.";
  }
  return messageOf(cause);
}

/** Removes the socket file of a killed process. @throws Conflict when it is in use or not a socket */
async function clearStaleSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket())
    throw appError("Conflict", `${path} exists and is not a socket; set server.unix_socket to another path.`);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const probe = connect(path, () => resolve(true)).on("error", () => resolve(false));
  const isAlive = await promise;
  probe.destroy();
  if (isAlive)
    throw appError(
      "Conflict",
      `${path} is in use; stop the program that listens there or change server.unix_socket.`,
    );
  rmSync(path);
}
