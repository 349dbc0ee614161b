/**
 * HTTP/1.1 on the sockets of the runtime. Its own server makes a Request, its headers and a Response for each redirect,
 * which together cost more than the redirect, and drops the length of every stream (bench/redirect.ts).
 */
import { appError } from "../../lib/errors.ts";
import { addressGroup } from "../../lib/ip-address.ts";
import type { Arrival } from "./arrival.ts";
import { Connection } from "./connection.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import type { ConnectionOwner, WireSocket } from "./connection-owner.ts";
import type { ServerCertificates } from "./server-certificates.ts";
import { createUnreadResponses } from "./unread-responses.ts";
import { createWaitingClients } from "./waiting-clients.ts";

export type Peers = {
  /** Returns null on a unix socket. */
  requestIP(request: Request | Arrival): { address: string } | null;
  /**
   * Ends the connection in this many seconds, even during the response. 0: lets the client be silent during the
   * request.
   */
  timeout(request: Request, seconds: number): void;
  /** False when its response has left as a whole, or its client. */
  isResponding(request: Request): boolean;
  /** Ask during the request: whether the response leaves as a whole, once it has left or the client has. */
  responded(request: Request): Promise<boolean>;
  /** Ends the connection at once. Does nothing after the response. */
  cutResponse(request: Request): void;
};

export type WireServer = Peers & {
  /** 0 on a unix socket. */
  readonly port: number;
  /** Descriptor of the listening socket. */
  readonly descriptor: number;
  /** Without those handled in place. */
  readonly pendingRequests: number;
  /** From now on each response ends its connection. */
  leave(): void;
  /** Closes connections that wait for another request. Returns their number. */
  closeIdleConnections(): number;
  /** Stops accepting. Resolves when requests under way are handled, at once with `isHard`. */
  stop(isHard?: boolean): Promise<void>;
};

export type WireOptions = {
  address: { hostname: string; port: number; reusePort: boolean } | { unix: string };
  /** Null: plain HTTP. */
  tls: ServerCertificates | null;
  respond(arrival: Arrival, peers: WireServer): Response | Promise<Response>;
  /** Responds to an error of `respond` and to a malformed request. */
  explain(error: unknown): Response;
  /** By default all connections are taken. */
  limit?: ConnectionLimit;
  /** That all clients together have not read of their responses. */
  mostUnread?: number;
  /** The second of all deadlines. */
  secondMs?: number;
};

/** The response for the server as a whole: `OPTIONS *`. */
const ALLOW = "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n";

/** Refused connections that get a response at the same time. */
const MOST_REFUSALS = 100;
const UNLIMITED: ConnectionLimit = { isFull: () => false, ended: () => {} };

type Socket = WireSocket & { data: Connection };

const EVENTS = {
  handshake: ({ data }: Socket) => data.deadlines.endHandshake(),
  data: ({ data }: Socket, bytes: Buffer) => data.data(bytes),
  drain: ({ data }: Socket) => data.drain(),
  end: ({ data }: Socket) => data.ended(),
  close: ({ data }: Socket) => data?.closed(),
  error: ({ data }: Socket) => data?.cut(),
};

/** @throws the runtime's error if it can't listen */
export function startWireServer(options: WireOptions): WireServer {
  const { address, tls, respond, explain, limit = UNLIMITED, mostUnread, secondMs = 1_000 } = options;
  const connections = new Set<Connection>();
  const refusals = new Set<Connection>();
  const waiting = createWaitingClients<Connection>();
  const ofRequest = new WeakMap<Request, Connection>();
  let seconds = 0;
  let closedIdleAt = -1;
  let pending = 0;
  let isLeaving = false;
  let isStopping = false;
  let emptied: (() => void) | undefined;

  const unread = createUnreadResponses(connections, mostUnread);
  const owner: ConnectionOwner<Connection> = {
    scheme: tls === null ? "http" : "https",
    isUnix: "unix" in address,
    isLeaving: () => isLeaving,
    isStopping: () => isStopping,
    now: () => seconds,
    respond(arrival) {
      if (arrival.target === "*") return arrival.respondInPlace(200, ALLOW);
      try {
        const response = respond(arrival, server);
        return response instanceof Promise ? response.catch(explain) : response;
      } catch (error) {
        return explain(error);
      }
    },
    refuse: (status) => (status === 400 ? explain(malformed()) : refusal(status)),
    waits(connection, isWaiting) {
      if (isWaiting) waiting.add(connection, addressGroup(connection.peerAddress ?? ""));
      else waiting.delete(connection);
    },
    unread,
    requested: (request, connection) => void ofRequest.set(request, connection),
    begun: () => void pending++,
    done: () => void pending--,
    closed(connection) {
      connections.delete(connection);
      refusals.delete(connection);
      waiting.delete(connection);
      if (connections.size === 0) emptied?.();
    },
  };

  const socket = {
    open(opened: Socket) {
      const isRefused = !makeRoom();
      if (isRefused) limit.ended(seconds);
      // A client understands no response before the handshake.
      if (isRefused && (tls !== null || refusals.size >= MOST_REFUSALS)) return opened.terminate();
      const connection = new Connection(opened, owner);
      opened.data = connection;
      connections.add(connection);
      if (!isRefused) return;
      refusals.add(connection);
      waiting.delete(connection);
      connection.refuse(503);
    },
    ...EVENTS,
  };
  const { listener, unfollow } = listen(address, tls, socket);

  const clock = setInterval(() => {
    seconds++;
    for (const connection of connections) if (connection.deadlines.isOver()) connection.cut();
  }, secondMs);
  clock.unref();

  /**
   * At the limit a newcomer takes the place of an unfinished head or handshake: the oldest one of the client with the
   * most. Behind a proxy all clients have one address, and its heads come whole, so the oldest one is the least alive.
   * Without any, idle connections close.
   */
  function makeRoom(): boolean {
    while (limit.isFull(connections.size, seconds)) {
      const unfinished = waiting.next();
      if (unfinished !== undefined) {
        limit.ended(seconds);
        unfinished.cut();
      } else if (closedIdleAt < seconds) {
        closedIdleAt = seconds;
        closeIdleConnections();
      } else return false;
    }
    return true;
  }

  function closeIdleConnections(): number {
    const idle = [...connections].filter((connection) => connection.isIdle());
    for (const connection of idle) connection.close();
    return idle.length;
  }

  const server: WireServer = {
    port: "unix" in address ? 0 : listener.port,
    descriptor: (listener as unknown as { fd: number }).fd,
    get pendingRequests() {
      return pending;
    },
    ...peersIn(ofRequest),
    leave: () => void (isLeaving = true),
    closeIdleConnections,
    async stop(isHard = false) {
      isLeaving = true;
      isStopping = true;
      unfollow?.();
      listener.stop(false);
      if (isHard) for (const connection of connections) connection.cut();
      for (const connection of connections) if (!connection.isBusy()) connection.close();
      if (connections.size > 0) await new Promise<void>((resolve) => (emptied = resolve));
      clearInterval(clock);
    },
  };
  return server;
}

function listen(address: WireOptions["address"], tls: WireOptions["tls"], socket: object) {
  // Bun's types lack `reusePort`, `serverName`, and `data` before `open`.
  const handlers = { ...socket, ...tls?.handlers };
  const listening = { ...address, ...tls?.options(), allowHalfOpen: true, socket: handlers } as unknown;
  const listener = Bun.listen(listening as Bun.TCPSocketListenOptions<Connection>);
  return { listener, unfollow: tls?.follow(listener) };
}

const malformed = () => appError("BadRequest", "The head of the request is malformed.");

const refusal = (status: number) =>
  new Response(null, { status, ...(status === 503 && { headers: { "Retry-After": "1" } }) });

function peersIn(connections: WeakMap<Request, Connection>): Peers {
  function connectionOf(request: Request): Connection {
    const connection = connections.get(request);
    if (connection === undefined)
      throw appError("InternalServerError", "The request is not for this server.");
    return connection;
  }

  return {
    requestIP(request) {
      const peer = (request instanceof Request ? connectionOf(request) : request).peerAddress;
      return peer === null ? null : { address: peer };
    },
    timeout(request, inSeconds) {
      const { deadlines } = connectionOf(request);
      if (inSeconds === 0) deadlines.liftIdle();
      else deadlines.cutIn(inSeconds);
    },
    isResponding: (request) => connectionOf(request).isResponding(request),
    responded: (request) => connectionOf(request).responded(request),
    cutResponse(request) {
      const connection = connectionOf(request);
      if (connection.isResponding(request)) connection.cut();
    },
  };
}
