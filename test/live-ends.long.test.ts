/** Live views of the real program end with their account, session, password or token, on every worker and node. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { serverUrl } from "../src/platform/db/fresh.test-support.ts";
import { startCluster } from "./support/cluster.ts";
import { driveClient } from "./support/drive.ts";
import { type Client, clientOf, PASSWORD, signIn, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";

type Servers = {
  client: Client;
  /** Of the other node, if there is one. */
  elsewhere: string;
  url: string;
  cli(args: readonly string[], stdin?: string): Promise<string>;
  remove(): Promise<void>;
};

const KINDS: Record<"SQLite, two workers" | "PostgreSQL, two nodes", () => Promise<Servers>> = {
  "SQLite, two workers": async () => {
    const { installation, server, client } = await startSignedIn({ WAYMARK__SERVER__WORKERS: "2" });
    const { run: cli, remove } = installation;
    return { client, url: server.url, elsewhere: server.url, cli, remove };
  },
  "PostgreSQL, two nodes": async () => {
    const shape = { dialect: "postgres", redisUrl: "", nodes: 2, workers: 1, links: [] } as const;
    const { nodes, cli, remove } = await startCluster(shape);
    const [first, second] = nodes;
    return { client: first!.client(), url: first!.url(), elsewhere: second!.url(), cli, remove };
  },
};

/** A check of every half minute alone would let about 28 more through. Times are long on a busy machine. */
const MOST_AFTERWARDS = 6;
/** More than all buffers between two programs hold. */
const FILE_BYTES = 64 * 1024 * 1024;

function largeFile(): Uint8Array<ArrayBuffer> {
  const content = crypto.getRandomValues(new Uint8Array(65_536));
  const whole = new Uint8Array(FILE_BYTES);
  for (let at = 0; at < whole.length; at += content.length) whole.set(content, at);
  return whole;
}

/** Reads the stream in the background and counts its events, one a second. */
async function watch(url: string, { token }: Client) {
  const headers = { Authorization: `Bearer ${token}`, Connection: "close" };
  const response = await fetch(url, { keepalive: false, headers });
  expect(response.status).toBe(200);
  const seen = { events: 0, isOver: false };
  const read = async () => {
    for await (const chunk of response.body!)
      seen.events += new TextDecoder().decode(chunk).split("\n\n").length - 1;
    seen.isOver = true;
  };
  // The end of the server resets a stream that still runs.
  read().catch(() => undefined);
  await until(() => seen.events >= 3);
  return seen;
}

/** Reads nothing but the beginning until `restAfterCut`, which resolves with the bytes in all when the connection ends. */
async function slowResponse(url: string, path: string, authorization: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const begun = new Promise<Buffer>((resolve) => socket.once("data", resolve));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${authorization}\r\n\r\n`);
  const head = await begun;
  socket.pause();
  expect(head.toString("latin1")).toStartWith("HTTP/1.1 200");
  let bytes = head.length;
  const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()).on("error", () => {}));
  return {
    async restAfterCut(): Promise<number> {
      // A tenth of a megabyte at a time, so that the server is still sending when it asks.
      socket.on("data", (piece) => {
        bytes += piece.length;
        socket.pause();
        setTimeout(() => socket.resume(), 20);
      });
      socket.resume();
      await ended;
      return bytes;
    },
  };
}

for (const [name, start] of Object.entries(KINDS)) {
  const onPostgres = name.startsWith("PostgreSQL");
  describe.skipIf(onPostgres && serverUrl("postgres") === undefined)(name, () => {
    let servers: Servers;
    beforeAll(async () => {
      servers = await start();
    }, 120_000);
    afterAll(() => servers?.remove());

    /** All streams of this client end after the change, and no others. */
    async function endsAfter(client: Client, path: string, change: () => Promise<unknown>): Promise<void> {
      const { url, elsewhere } = servers;
      const streams = await Promise.all([url, elsewhere, elsewhere].map((at) => watch(at + path, client)));
      const bystander = await watch(url + path, servers.client);
      await change();
      const before = streams.map(({ events }) => events);
      await until(() =>
        streams.every(({ isOver, events }, at) => isOver || events > before[at]! + MOST_AFTERWARDS),
      );
      expect(streams.map(({ isOver }) => isOver)).toEqual([true, true, true]);
      expect(bystander.isOver).toBe(false);
    }

    async function newAccount(username: string, role: string) {
      const made = await servers.client.call("POST", "/users", { username, password: PASSWORD, role });
      expect(made.status).toBe(201);
      return { path: `/users/${made.body.data.id}`, client: await signIn(servers.url, PASSWORD, username) };
    }

    test.concurrent("an account is disabled", async () => {
      const { path, client } = await newAccount("disabled", "admin");
      await endsAfter(client, "/admin/v1/analytics/live", () =>
        servers.client.call("PATCH", path, { disabled: true }),
      );
    });

    test.concurrent("a session is signed out", async () => {
      const { client } = await newAccount("leaving", "user");
      await endsAfter(client, "/folders/live", () => client.call("POST", "/auth/logout"));
    });

    test.concurrent("a password is changed by a command", async () => {
      const { client } = await newAccount("changed", "user");
      await endsAfter(client, "/folders/live", () =>
        servers.cli(["users", "passwd", "changed", "--stdin"], `${PASSWORD} 2`),
      );
    });

    test.concurrent("an administrator becomes an editor, who is left with an API token", async () => {
      const { path, client } = await newAccount("demoted", "admin");
      const made = await client.call("POST", "/tokens", { name: "viewer", scopes: ["analytics:read"] });
      await endsAfter(clientOf(servers.url, made.body.data.token), "/admin/v1/analytics/live", () =>
        servers.client.call("PATCH", path, { role: "editor" }),
      );
    });

    test.concurrent("an account leaves a team", async () => {
      const { client } = await newAccount("member", "editor");
      const members = [{ account: "member", role: "viewer" }];
      const made = await servers.client.call("POST", "/teams", { name: "leaving", members });
      await endsAfter(client, "/admin/v1/analytics/live", () =>
        servers.client.call("PATCH", `/teams/${made.body.data.id}`, { members: [] }),
      );
    });

    async function expireToken(): Promise<void> {
      const { client } = await newAccount("expiring", "editor");
      const expires_at = new Date(Date.now() + 7_000).toISOString();
      const body = { name: "viewer", scopes: ["analytics:read"], expires_at };
      const made = await client.call("POST", "/tokens", body);
      await endsAfter(clientOf(servers.url, made.body.data.token), "/admin/v1/analytics/live", () =>
        until(() => Date.now() > Date.parse(expires_at)),
      );
    }
    // Expiry needs no change feed, so one database is enough.
    if (!name.startsWith("PostgreSQL")) test.concurrent("a token expires", expireToken);

    test.concurrent("what is still being sent is cut: a download, an archive and WebDAV", async () => {
      const { path, client } = await newAccount("loader", "user");
      const made = await client.call("POST", "/tokens", { name: "dav", scopes: ["files:read"] });
      const drive = driveClient(servers.url, client.token);
      const folder = await drive.folder("large");
      const { body } = await drive.upload("file", largeFile(), { folder: String(folder) });
      const basic = `Basic ${Buffer.from(`loader:${made.body.data.token}`).toString("base64")}`;
      const bearer = `Bearer ${client.token}`;
      const answers = await Promise.all([
        slowResponse(servers.url, `/files/${body.data.id}/download`, bearer),
        slowResponse(servers.url, `/folders/${folder}/archive`, bearer),
        slowResponse(servers.url, "/admin/dav/files/large/file", basic),
      ]);
      await servers.client.call("PATCH", path, { disabled: true });
      for (const answer of answers) expect(await answer.restAfterCut()).toBeLessThan(FILE_BYTES);
    });

    test.concurrent("what visitors load is cut when its share or its password ends", async () => {
      const drive = driveClient(servers.url, servers.client.token);
      const folder = await drive.folder("shared");
      const { body } = await drive.upload("file", largeFile(), { folder: String(folder) });
      const share = async (path: string, input = {}) =>
        (await drive.call("POST", `${path}/share`, input)).body.data.code as string;
      const [one, all, kept] = [
        await share(`/files/${body.data.id}`),
        await share(`/folders/${folder}`),
        await share(`/files/${body.data.id}`),
      ];
      const answers = await Promise.all([
        slowResponse(servers.url, `/${one}`, ""),
        slowResponse(servers.url, `/${all}?archive=1`, ""),
      ]);
      const other = await slowResponse(servers.url, `/${kept}`, "");
      await drive.call("DELETE", `/shares/${one}`);
      await drive.call("PATCH", `/shares/${all}`, { password: "a long password" });
      for (const answer of answers) expect(await answer.restAfterCut()).toBeLessThan(FILE_BYTES);
      const bytes = await Promise.race([other.restAfterCut(), Bun.sleep(1_500).then(() => "goes on")]);
      expect(bytes).toBe("goes on");
    });

    test.concurrent("a token is revoked by a command", async () => {
      const body = { name: "viewer", scopes: ["analytics:read"] };
      const made = await servers.client.call("POST", "/tokens", body);
      const client = clientOf(servers.url, made.body.data.token);
      const id = String(made.body.data.id);
      await endsAfter(client, "/admin/v1/analytics/live", () => servers.cli(["tokens", "revoke", id]));
    });
  });
}
