/**
 * Several nodes of one installation: real programs on one database and one Redis, each behind proxies that can be cut.
 */
import type { DialectName, Fresh } from "../../src/platform/db/fresh.test-support.ts";
import { createMigrated } from "../../src/platform/db/schema-copy.test-support.ts";
import { startProxyTo, startTcpProxy, type TcpProxy } from "../../src/lib/tcp-proxy.test-support.ts";
import { childrenOf, endInTurn, killOneWorker } from "./processes.ts";
import { type Client, PASSWORD, signIn } from "./session.ts";
import { type Installation, install, type RunningWaymark, type Settings } from "./waymark.ts";

export const HEALTH_TOKEN = "health-token-of-the-test";

export type Node = {
  readonly name: string;
  /** Changes at each start. */
  url(): string;
  /** Its own proxy to the database. */
  readonly database: TcpProxy;
  /** Its own proxy to Redis. */
  readonly redis: TcpProxy;
  isUp(): boolean;
  log(): string;
  /** A client of this node with the cluster's one session. */
  client(): Client;
  /** Sends SIGKILL to every process of the node. */
  kill(): Promise<void>;
  /** Runs a command with the node's settings and program. Returns its output. */
  cli(args: readonly string[]): Promise<string>;
  /** Sends SIGKILL to one worker, which the node replaces. */
  killWorker(): void;
  /** Ends the node in the way whose turn it is (`processes.ts`). */
  endInTurn(round: number, mostMs: number): Promise<void>;
  /** To every process of the node. */
  signal(signal: NodeJS.Signals): void;
  /** With further settings until its end. From then on `program` runs the node, if given. */
  start(more?: Settings, program?: string): Promise<void>;
  /** Resolves when it has ended by itself. */
  ended(): Promise<void>;
  /** Sends SIGTERM. Returns the exit code. */
  stop(): Promise<number>;
};

export type Cluster = {
  nodes: readonly Node[];
  /** Without a proxy. */
  databaseUrl: string;
  /** Runs a command with the first node's settings, without the proxies. */
  cli(args: readonly string[], stdin?: string): Promise<string>;
  remove(): Promise<void>;
};

export type ClusterOptions = {
  dialect: DialectName;
  /** Empty: no Redis. */
  redisUrl: string;
  nodes: number;
  workers: number;
  /** The replica of the nodes, by the database's URL. */
  replicaOf?: (databaseUrl: string) => string;
  /** The links at the start, as CSV lines `code,target`. */
  links: readonly string[];
  /** Run-time settings. */
  config?: Readonly<Record<string, string>>;
  /** Start-up settings of every node and of the commands. */
  settings?: Settings;
  /** Of each node alone, and not of the commands. */
  nodeSettings?: (at: number) => Settings;
  /** Runs the nodes. Default: this version. */
  program?: string;
  /** A migrated database that `remove` drops. Default: a new one. */
  fresh?: Fresh;
  /** Where the nodes reach the proxies. */
  addresses?: { database: string; redis: string };
};

/** Starts all nodes, with the password set and a session that every node accepts. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const fresh = options.fresh ?? (await createMigrated(options.dialect));
  const direct = install({ ...options.settings, WAYMARK__DATABASE__URL: fresh.url });
  const cli = direct.run;
  await cli(["reset-password", "--stdin"], PASSWORD);
  for (const [key, value] of Object.entries({ "api.health_token": HEALTH_TOKEN, ...options.config }))
    await cli(["config", "set", key, value]);
  await cli(["links", "import", "-"], `code,target\n${options.links.join("\n")}\n`);

  const session = { token: "" };
  const made = await Promise.all(
    Array.from({ length: options.nodes }, (_, at) => makeNode(at, options, fresh.url, session)),
  );
  const nodes = made.map(({ node }) => node);
  await Promise.all(nodes.map((node) => node.start()));
  session.token = (await signIn(nodes[0]!.url())).token;
  return {
    nodes,
    databaseUrl: fresh.url,
    cli,
    async remove() {
      await Promise.all(made.map(({ remove }) => remove()));
      await direct.remove();
      await fresh.drop();
    },
  };
}

async function makeNode(
  at: number,
  { redisUrl, workers, replicaOf, settings: shared, nodeSettings, program, addresses }: ClusterOptions,
  databaseUrl: string,
  session: { token: string },
): Promise<{ node: Node; remove(): Promise<void> }> {
  // A file has no server; then nothing passes the proxy.
  const proxyTo = (url: string, address?: string) =>
    url.startsWith("sqlite:") ? startTcpProxy("127.0.0.1", 9) : startProxyTo(url, address);
  const database = await proxyTo(databaseUrl, addresses?.database);
  const redis = await proxyTo(redisUrl || databaseUrl, addresses?.redis);
  const settings: Settings = {
    ...shared,
    WAYMARK__DATABASE__URL: database.through(databaseUrl),
    WAYMARK__DATABASE__POOL_SIZE: "4",
    ...(replicaOf && { WAYMARK__DATABASE__REPLICA_URL: replicaOf(databaseUrl) }),
    WAYMARK__SERVER__WORKERS: String(workers),
    ...(redisUrl === ""
      ? {}
      : { WAYMARK__CACHE__TYPE: "redis", WAYMARK__CACHE__REDIS_URL: redis.through(redisUrl) }),
    ...nodeSettings?.(at),
  };
  const installations: Installation[] = [install(settings, program)];
  let running: RunningWaymark | null = null;
  let logged = "";
  const forget = () => {
    logged += running?.log() ?? "";
    running = null;
  };
  const node: Node = {
    name: `node ${at}`,
    database,
    redis,
    url: () => running!.url,
    isUp: () => running !== null,
    log: () => logged + (running?.log() ?? ""),
    client: () => clientOf(node.url(), session.token),
    async kill() {
      const { process: parent, kill } = running!;
      const children = childrenOf(parent.pid);
      forget();
      for (const pid of [parent.pid, ...children]) process.kill(pid, "SIGKILL");
      await kill();
    },
    cli: (args) => installations[0]!.run(args),
    async endInTurn(round, mostMs) {
      await endInTurn(running!, round, mostMs);
      forget();
    },
    killWorker: () => void killOneWorker(running!),
    signal(signal) {
      const { pid } = running!.process;
      for (const each of [pid, ...childrenOf(pid)]) process.kill(each, signal);
    },
    async start(more, other) {
      if (other !== undefined)
        installations.unshift(
          install({ WAYMARK__DATA__DIR: installations.at(-1)!.dataDir, ...settings }, other),
        );
      running = await installations[0]!.serve(more);
    },
    async ended() {
      await running?.process.exited;
      forget();
    },
    async stop() {
      const code = await running!.stop();
      forget();
      return code;
    },
  };
  const remove = async () => {
    for (const pid of running === null ? [] : childrenOf(running.process.pid)) process.kill(pid, "SIGKILL");
    for (const installation of installations) await installation.remove();
    database.stop();
    redis.stop();
  };
  return { node, remove };
}

/** Like signIn's client, but on another node with the first node's token; each request has its own connection. */
function clientOf(url: string, token: string): Client {
  const authorised: Client["fetch"] = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${token}`);
    headers.set("Connection", "close");
    return fetch(`${url}/admin/v1${path}`, { ...init, headers, keepalive: false });
  };
  return {
    token,
    fetch: authorised,
    async call(method, path, body) {
      const answer = await authorised(path, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: { "Content-Type": "application/json" },
      });
      return { status: answer.status, headers: answer.headers, body: await answer.json() };
    },
  };
}

/** The answer to a visit on its own connection, so that the kernel picks a worker each time. */
export async function visit(node: Node, code: string): Promise<{ status: number; target: string | null }> {
  const answer = await fetch(`${node.url()}/${code}`, {
    redirect: "manual",
    keepalive: false,
    headers: { Connection: "close" },
  });
  await answer.arrayBuffer();
  return { status: answer.status, target: answer.headers.get("location") };
}

/** The status of the health report and of its parts. */
export async function health(node: Node) {
  const answer = await fetch(`${node.url()}/health`, {
    keepalive: false,
    headers: { Authorization: `Bearer ${HEALTH_TOKEN}`, Connection: "close" },
  });
  const { code, data } = (await answer.json()) as {
    code: number;
    data: {
      status: string;
      checks: Record<"storage" | "cache" | "disk" | "mail", { status: string; message?: string }>;
    };
  };
  return {
    http: answer.status,
    code,
    status: data.status,
    storage: data.checks.storage.status,
    cache: data.checks.cache.status,
    said: `${data.checks.disk.message}${data.checks.mail.message}`,
  };
}
