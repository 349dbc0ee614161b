/**
 * One server for all files of a process that test the API: the runner gives those that import this one a process
 * together. Each file has codes, names and accounts of its own, counts what it made, and leaves settings as they were.
 */
import { join } from "node:path";
import { type Client, installWithPassword, PASSWORD, signIn } from "./session.ts";
import type { Installation, RunningWaymark, Settings } from "./waymark.ts";

type Running = { installation: Installation; server: RunningWaymark };

let starting: Promise<Running> | undefined;

async function start(settings?: Settings): Promise<Running> {
  const installation = await installWithPassword(settings);
  const server = await installation.serve();
  endWithThisProcess(server.process.pid, installation.dataDir);
  return { installation, server };
}

/** A test process fires no event when it ends, but its end of the pipe closes. */
function endWithThisProcess(pid: number, folder: string): void {
  const script = 'read -r _; kill -9 "$1"; rm -rf "$2"';
  Bun.spawn(["sh", "-c", script, "sh", `${pid}`, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  }).unref();
}

/**
 * As startSignedIn, or signed in as an administrator of that name, whose files are its own. The server and its folder
 * end with the process. Its log begins with this call.
 */
export async function startShared(username?: string): Promise<Running & { client: Client }> {
  return signInTo(await (starting ??= start()), username);
}

let startingWorkers: Promise<Running> | undefined;

const WITH_WORKERS = {
  WAYMARK__SERVER__WORKERS: "2",
  WAYMARK__ANALYTICS__MAXMINDDB_PATH: join(import.meta.dir, "..", "fixtures", "geo.mmdb"),
};

/** A second one, with two workers, which knows countries. */
export async function startSharedWorkers(username?: string): Promise<Running & { client: Client }> {
  return signInTo(await (startingWorkers ??= start(WITH_WORKERS)), username);
}

async function signInTo({ installation, server }: Running, username: string | undefined) {
  const begun = server.log().length;
  const admin = await signIn(server.url);
  return {
    installation: { ...installation, remove: async () => {} },
    server: { ...server, log: () => server.log().slice(begun) },
    client: username === undefined ? admin : await signInAsNew(server.url, admin, username),
  };
}

async function signInAsNew(url: string, admin: Client, username: string): Promise<Client> {
  const made = await admin.call("POST", "/users", { username, password: PASSWORD, role: "admin" });
  if (made.status !== 201) throw new Error(`${username}: ${made.body.message}`);
  return signIn(url, PASSWORD, username);
}

/** Sets them to their defaults. */
export async function resetSettings(client: Client, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const { status, body } = await client.call("DELETE", `/config/${key}`);
    if (status !== 200) throw new Error(`${key}: ${body.message}`);
  }
}
