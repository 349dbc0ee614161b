/**
 * Bun's client reconnects, but loses subscriptions and blocks callers. So each connection is a client of its own,
 * discarded at the first problem: a closed socket, a failed command, one slower than a second, a missed heartbeat. The
 * next follows after 50 ms to 5 s; the pause doubles until a connection outlives a heartbeat. Each connection asks the
 * Sentinels of the URL, if it names some, for the master.
 */
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { RedisClient } from "bun";
import { appError, messageOf } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { throwTimeout, withTimeout } from "../../lib/timeout.ts";

const REFUSALS: readonly [RegExp, (account: string) => string][] = [
  [
    /^WRONGPASS|^ERR .*(invalid password|called without any password)/i,
    (account) => `refused the password of ${account}`,
  ],
  [/^NOAUTH/, () => "asks for a password, and cache.redis_url has none"],
  [/^NOPERM/, (account) => `does not let ${account} run the commands that Waymark needs`],
  [
    /^ERR .*DB index|^ERR .*SELECT is not allowed/i,
    () => "does not have the database that cache.redis_url names",
  ],
];

const CERTIFICATE = /certificat|self.signed|altname/i;
const LONGEST = 300;

/** A sentence without the password; null if it is another reply, or the server is away. */
function explainRedisReply(url: string, reply: string): string | null {
  const user = URL.parse(url)?.username ?? "";
  const account = user === "" ? "the default account" : `the account '${decodeURIComponent(user)}'`;
  const stated = reply.replaceAll(/\s+/g, " ").slice(0, LONGEST);
  const refusal = REFUSALS.find(([pattern]) => pattern.test(reply))?.[1](account);
  const advice = reply.startsWith("NOPERM")
    ? "Allow them with ACL SETUSER, or set another account in cache.redis_url."
    : "Correct cache.redis_url.";
  if (refusal !== undefined) return `Redis ${refusal} (${stated}). ${advice}`;
  if (CERTIFICATE.test(reply))
    return `The certificate of Redis was refused (${stated}). Give it one of an authority that this machine trusts, for the host in cache.redis_url.`;
  return null;
}

/**
 * Finds out why a Redis server refuses the connection; null if it doesn't, or sends nothing within that time. Bun's
 * client only reports that the connection was closed, so the greeting is sent again by hand.
 */
async function findRedisRefusal(url: string, timeoutMs: number): Promise<string | null> {
  const parsed = URL.parse(url);
  if (parsed === null || !/^(redis|rediss|valkey|valkeys):$/.test(parsed.protocol)) return null;
  const reply = await greet(parsed, timeoutMs);
  return explainRedisReply(url, reply);
}

/** The first line, without the mark of an error; the reason of a failed connection. */
function greet({ protocol, hostname, port, username, password }: URL, timeoutMs: number): Promise<string> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const at = { host, port: Number(port || 6379) };
  const { promise, resolve } = Promise.withResolvers<string>();
  const greeting = ["HELLO", "3"];
  if (password !== "")
    greeting.push("AUTH", decodeURIComponent(username) || "default", decodeURIComponent(password));
  const send = () => socket.write(encodeCommand(greeting));
  const socket: Socket = /^(rediss|valkeys):$/.test(protocol)
    ? connectTls({ ...at, ...(isIP(host) === 0 && { servername: host }) }, send)
    : connectPlain(at, send);
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (part: string) => {
    text += part;
    if (text.includes("\n") || text.length > LONGEST) resolve(text.split("\r\n", 1)[0]!.replace(/^-/, ""));
  });
  socket.on("error", (error: Error & { code?: string }) => resolve(`${error.code ?? ""} ${error.message}`));
  socket.on("close", () => resolve(""));
  const timer = setTimeout(() => resolve(""), timeoutMs);
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}

const encodeCommand = (words: readonly string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;

const SENTINEL_URL =
  /^(?<scheme>rediss?)\+sentinel:\/\/(?<credentials>[^@/]*@)?(?<hosts>[^@/]+)\/(?<name>[^/]+)(?:\/(?<database>\d+))?$/;
const MOST_SENTINELS = 16;

/** Servers of Redis Sentinel to ask for the master of a name, which changes with each failover. */
type Sentinels = {
  scheme: string;
  credentials: string;
  hosts: string[];
  name: string;
  database: string;
};

/**
 * Null for other URLs.
 * @throws BadRequest for an invalid one
 */
function sentinelsOf(url: string): Sentinels | null {
  if (!/^rediss?\+sentinel:/.test(url)) return null;
  const parts = SENTINEL_URL.exec(url)?.groups;
  const hosts = parts?.["hosts"]?.split(",") ?? [];
  if (parts === undefined || hosts.includes("") || hosts.length > MOST_SENTINELS)
    throw appError(
      "BadRequest",
      `cache.redis_url can't be used: write redis+sentinel://user:password@host:26379,host:26379/NAME/0 with the name that the Sentinels have for the master, and at most ${MOST_SENTINELS} hosts.`,
    );
  const { scheme = "", credentials = "", name = "", database = "0" } = parts;
  return {
    scheme,
    credentials,
    name: decodeURIComponent(name),
    database,
    hosts: hosts.map((host) => (/:\d+$/.test(host) ? host : `${host}:26379`)),
  };
}

/** The URL of the server that most Sentinels call the master. Takes at most that long. */
async function findMaster(sentinels: Sentinels, timeoutMs: number): Promise<string> {
  const { scheme, credentials, hosts, database } = sentinels;
  const counts = new Map<string, number>();
  const ask = async (host: string) => {
    // Sentinels have the password of the servers or none, and refuse one that they don't have.
    const attempts = [...new Set(["", credentials])].map((some) =>
      askSentinel(`${scheme}://${some}${host}`, sentinels.name, timeoutMs),
    );
    const master = await Promise.any(attempts).catch(() => null);
    if (master !== null) counts.set(master, (counts.get(master) ?? 0) + 1);
  };
  await Promise.all(hosts.map(ask));
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  if (most === undefined)
    throw new Error(`no Sentinel of ${hosts.join(",")} knows a master ${sentinels.name}`);
  return `${scheme}://${credentials}${most[0]}/${database}`;
}

async function askSentinel(url: string, name: string, timeoutMs: number): Promise<string> {
  const options = { connectionTimeout: timeoutMs, autoReconnect: false, enableOfflineQueue: false };
  const client = new RedisClient(url, options);
  const asking = async () => {
    await client.connect();
    return (await client.send("SENTINEL", ["get-master-addr-by-name", name])) as [string, string] | null;
  };
  try {
    const master = await withTimeout(timeoutMs, asking(), throwTimeout);
    if (master === null) throw new Error(`it knows no master ${name}`);
    const [host, port] = master;
    return `${host.includes(":") ? `[${host}]` : host}:${port}`;
  } finally {
    client.close();
  }
}

const LIMITS = { connectMs: 2_000, commandMs: 1_000, heartbeatMs: 2_000, longestPauseMs: 5_000 };
export type RedisLimits = typeof LIMITS;

const FIRST_PAUSE_MS = 50;

type Options = {
  url: string;
  purpose: string;
  /** On rejection the connection is discarded. */
  prepare?: (client: RedisClient) => Promise<unknown>;
  logger: Logger;
  limits?: Partial<RedisLimits>;
};

/** @throws BadRequest for an invalid URL */
export function connectRedis({ url, purpose, prepare, logger, limits }: Options) {
  const { connectMs, commandMs, heartbeatMs, longestPauseMs } = { ...LIMITS, ...limits };
  const report = createReport(logger, { purpose, redis: redisAddress(url) });
  const { promise: attempted, resolve: onAttempted } = Promise.withResolvers<void>();
  const sentinels = sentinelsOf(url);
  let active: RedisClient | null = null;
  let isReady = false;
  let isClosed = false;
  let failures = 0;
  /** Why the server lets nobody in, since the last connection that was established. */
  let refusal: string | null = null;
  /** The URL, or that of the master. */
  let server = url;
  let next: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    if (sentinels === null) return use(openClient(url, connectMs), url);
    findMaster(sentinels, connectMs)
      .then((master) => isClosed || use(openClient(master, connectMs), master))
      .catch((error: unknown) => lose(null, error));
  }

  function use(client: RedisClient, master: string): void {
    server = master;
    active = client;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
    client.onclose = (error) => lose(client, error);
    withTimeout(connectMs + commandMs, establish(client), throwTimeout).then(
      () => {
        if (client !== active) return;
        isReady = true;
        refusal = null;
        report.came();
        onAttempted();
        next = later(beat, heartbeatMs);
      },
      (error: unknown) => lose(client, error),
    );
  }

  async function establish(client: RedisClient): Promise<void> {
    await client.connect();
    // A wrong password shows with the first command.
    const [role] = sentinels === null ? await client.send("PING", []) : await client.send("ROLE", []);
    if (sentinels !== null && role !== "master")
      throw new Error("the Sentinels name a server that is no master");
    await prepare?.(client);
  }

  /** The client is null before the master is known. */
  function lose(client: RedisClient | null, error: unknown): void {
    if (client !== active) return;
    active = null;
    const wasReady = isReady;
    isReady = false;
    clearTimeout(next);
    client?.close();
    onAttempted();
    if (isClosed) return;
    void reportLoss(error, wasReady);
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** failures, longestPauseMs);
    failures++;
    // Spreads the return of many processes.
    next = later(connect, pause * (0.75 + 0.5 * Math.random()));
  }

  /** A connection that was never established may have been refused. */
  async function reportLoss(error: unknown, wasReady: boolean): Promise<void> {
    const stated = explainRedisReply(server, messageOf(error));
    const found = stated ?? (wasReady ? null : await findRedisRefusal(server, commandMs));
    if (isClosed || isReady) return;
    refusal = found;
    if (found === null) report.went(error);
    else report.refused(found);
  }

  /** Rejects with ServiceUnavailable at once while Redis is away. After another rejection the command may have run. */
  async function send(command: string, args: readonly string[]): Promise<unknown> {
    const client = active;
    if (client === null || !isReady) throw away();
    try {
      return await withTimeout(commandMs, client.send(command, [...args]), throwTimeout);
    } catch (error) {
      lose(client, error);
      throw appError("ServiceUnavailable", `Redis did not execute ${command}.`, { cause: error });
    }
  }

  async function beat(): Promise<void> {
    const isAlive = await check();
    if (!isAlive || isClosed) return;
    failures = 0;
    next = later(beat, heartbeatMs);
  }

  /** True if Redis responds within a second. Never rejects. */
  const check = (): Promise<boolean> =>
    send("PING", []).then(
      () => true,
      () => false,
    );

  connect();
  return {
    send,
    isReady: (): boolean => isReady,
    /** Why the server refuses connections, for whoever runs it; null if it does not. */
    refusal: (): string | null => refusal,
    check,
    /** Resolves after the first attempt. */
    attempted: (): Promise<void> => attempted,
    close(): void {
      isClosed = true;
      clearTimeout(next);
      if (active !== null) lose(active, null);
    },
  };
}

function openClient(url: string, connectionTimeout: number): RedisClient {
  try {
    return new RedisClient(url, { connectionTimeout, autoReconnect: false, enableOfflineQueue: false });
  } catch (error) {
    const reason = messageOf(error);
    throw appError("BadRequest", `cache.redis_url can't be used: ${reason}`);
  }
}

function later(run: () => unknown, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, ms);
  timer.unref();
  return timer;
}

const away = () => appError("ServiceUnavailable", "Redis is away.");

/** Logs once when Redis goes away and once when it is back. */
function createReport(logger: Logger, where: { purpose: string; redis: string }) {
  let isAway = false;
  let refusal = "";
  return {
    refused(sentence: string): void {
      if (sentence !== refusal) logger.error(where, `${sentence} Continuing without it.`);
      refusal = sentence;
      isAway = true;
    },
    went(error: unknown): void {
      if (!isAway)
        logger.warn({ ...where, err: error }, "Redis is away; continuing without it and reconnecting");
      isAway = true;
    },
    came(): void {
      if (isAway) logger.info(where, "Redis is back");
      isAway = false;
      refusal = "";
    },
  };
}

/** Host and port, without credentials. */
export function redisAddress(url: string): string {
  if (url.includes("+sentinel:")) return url.replace(/^.*(?:\/\/|@)/, "");
  const parsed = URL.parse(url);
  return parsed === null ? "unknown" : parsed.host || parsed.pathname;
}
