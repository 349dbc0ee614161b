/** Redis Sentinel: the servers to ask for the master of a name, which changes with each failover. */
import { RedisClient } from "bun";
import { appError } from "../../lib/errors.ts";
import { noAnswer, withTimeout } from "../../lib/timeout.ts";

const SENTINEL_URL =
  /^(?<scheme>rediss?)\+sentinel:\/\/(?<credentials>[^@/]*@)?(?<hosts>[^@/]+)\/(?<name>[^/]+)(?:\/(?<database>\d+))?$/;
const MOST_SENTINELS = 16;

export type Sentinels = {
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
export function sentinelsOf(url: string): Sentinels | null {
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
export async function findMaster(sentinels: Sentinels, timeoutMs: number): Promise<string> {
  const { scheme, credentials, hosts, database } = sentinels;
  const counts = new Map<string, number>();
  const ask = async (host: string) => {
    // Sentinels have the password of the servers or none, and refuse one that they don't have.
    const asked = [...new Set(["", credentials])].map((some) =>
      askSentinel(`${scheme}://${some}${host}`, sentinels.name, timeoutMs),
    );
    const master = await Promise.any(asked).catch(() => null);
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
    const master = await withTimeout(timeoutMs, asking(), noAnswer);
    if (master === null) throw new Error(`it knows no master ${name}`);
    const [host, port] = master;
    return `${host.includes(":") ? `[${host}]` : host}:${port}`;
  } finally {
    client.close();
  }
}
