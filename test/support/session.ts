/** A signed-in API client over HTTP. */
import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { BUILT, type Installation, install, type RunningWaymark, type Settings } from "./waymark.ts";

export const PASSWORD = "correct horse battery";

export type Envelope = {
  code: number;
  message: string;
  error?: string;
  // oxlint-disable-next-line no-explicit-any -- tests read answers of many shapes
  data?: any;
  pagination?: { page: number; page_size: number; total: number; total_pages: number };
};

export type Answer = { status: number; headers: Headers; body: Envelope };

export type Client = {
  readonly token: string;
  /** A call below {admin}/v1 with a JSON body. */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** A raw request below {admin}/v1 with the bearer token. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

/** Sends again while other tests have used up the tries of this address. */
export async function whenAllowed<A extends Pick<Response, "status" | "headers">>(
  send: () => Promise<A>,
): Promise<A> {
  const answer = await send();
  if (answer.status !== 429) return answer;
  await Bun.sleep(Number(answer.headers.get("retry-after")) * 1000);
  return whenAllowed(send);
}

export async function signIn(url: string, password = PASSWORD, username?: string): Promise<Client> {
  const body = JSON.stringify(username === undefined ? { password } : { username, password });
  const headers = { "Content-Type": "application/json" };
  const login = `${url}/admin/v1/auth/login`;
  const response = await whenAllowed(() => fetch(login, { method: "POST", headers, body }));
  if (response.status !== 200) throw new Error(`login answered ${response.status}: ${await response.text()}`);
  const cookie = response.headers.getSetCookie().find((line) => line.startsWith("svc_access="));
  return clientOf(url, /^svc_access=([^;]+)/.exec(cookie ?? "")![1]!);
}

/** With the access token of a session, or an API token. */
export function clientOf(url: string, token: string): Client {
  const authorised = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${token}`);
    return fetch(`${url}/admin/v1${path}`, { ...init, headers });
  };
  return {
    token,
    fetch: authorised,
    async call(method, path, body) {
      const init: RequestInit = { method };
      if (body !== undefined) {
        init.body = JSON.stringify(body);
        init.headers = { "Content-Type": "application/json" };
      }
      const answer = await authorised(path, init);
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Envelope };
    },
  };
}

/** The database of the first one that a run of tests made. */
const KEPT = BUILT && join(dirname(BUILT), "with-password.db");

/**
 * A fresh installation with the admin password set. Those on SQLite begin with a copy where they can, which takes a
 * twentieth of the processor time.
 */
export async function installWithPassword(settings: Settings = {}): Promise<Installation> {
  const installation = install(settings);
  const file = join(installation.dataDir, "waymark.db");
  const isOrdinary = ["DATABASE__URL", "DATA__DIR"].every(
    (name) => settings[`WAYMARK__${name}`] === undefined,
  );
  const isCopied = KEPT !== undefined && isOrdinary;
  if (isCopied && existsSync(KEPT)) {
    copyFileSync(KEPT, file);
    const database = new Database(file);
    // Copies have names of their own in storages.
    database.run("update instance set uuid = ?", [crypto.randomUUID()]);
    database.close();
    return installation;
  }
  await installation.run(["reset-password", "--stdin"], PASSWORD);
  if (isCopied) {
    copyFileSync(file, `${KEPT}.${process.pid}`);
    renameSync(`${KEPT}.${process.pid}`, KEPT);
  }
  return installation;
}

/** A fresh installation with the admin password set, running, and a signed-in client. */
export async function startSignedIn(
  settings: Settings = {},
): Promise<{ installation: Installation; server: RunningWaymark; client: Client }> {
  const installation = await installWithPassword(settings);
  const server = await installation.serve();
  return { installation, server, client: await signIn(server.url) };
}
