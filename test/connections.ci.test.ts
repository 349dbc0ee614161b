/** More connections than the process may have open files: it refuses the rest, stays whole, and recovers. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { installWithPassword, signIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";
import { post } from "./support/wire-instance.ts";

const OPEN_FILES = 240;
const MANY = 200;
const HEALTH_TOKEN = "token-of-monitors";

let installation: Installation;
let server: RunningWaymark;
const sockets: Socket[] = [];

beforeAll(async () => {
  installation = await installWithPassword();
  await installation.cli(["links", "add", "https://example.com/", "--code", "a"]);
  await installation.cli(["config", "set", "api.health_token", HEALTH_TOKEN]);
});
afterAll(() => installation.remove());
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop();
});

type Client = { socket: Socket; text: string; isClosed: boolean };

function open(send: string): Client {
  const { hostname, port } = new URL(server.url);
  const client: Client = { socket: connect(Number(port), hostname), text: "", isClosed: false };
  sockets.push(client.socket);
  client.socket.setEncoding("latin1");
  client.socket.on("data", (data) => (client.text += String(data)));
  client.socket.on("close", () => (client.isClosed = true));
  client.socket.on("error", () => {});
  client.socket.write(send);
  return client;
}

/** More come and stay, until one is refused. */
async function refusal(begun: string): Promise<Client> {
  const clients: Client[] = [];
  const isRefused = ({ text }: Client) => text.startsWith("HTTP/1.1 503");
  await until(() => clients.push(open(begun)) > 0 && clients.some(isRefused));
  return clients.find(isRefused)!;
}

const visit = async (): Promise<number> => {
  const answer = await fetch(`${server.url}/a`, { redirect: "manual", headers: { Connection: "close" } });
  return answer.status;
};
const metric = async (name: string): Promise<number> => {
  const headers = { Authorization: `Bearer ${HEALTH_TOKEN}`, Connection: "close" };
  const text = await (await fetch(`${server.url}/health/metrics`, { headers })).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
};

describe.skipIf(process.platform !== "linux")("with few open files", () => {
  test.each(["1", "2"])(
    "%s workers refuse what is too much, serve the rest, and recover",
    async (workers) => {
      server = await installation.serve({ WAYMARK__SERVER__WORKERS: workers }, { openFiles: OPEN_FILES });
      expect(await visit()).toBe(307);
      const { token } = await signIn(server.url);
      // A body that doesn't end holds its connection.
      const begun = post(`Authorization: Bearer ${token}\r\n`, "Content-Length: 2\r\n", "{");
      const clients = Array.from({ length: MANY * Number(workers) }, () => open(begun));
      await until(() => server.log().includes("half of the files"));
      const refused = await refusal(begun);
      expect(refused.text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n(?:.*\r\n)*Retry-After: 1\r\n/i);
      await until(() => refused.isClosed);
      // Who came in time is served.
      for (const { socket } of clients) socket.write("}");
      await until(() => clients.filter(({ text }) => text.startsWith("HTTP/1.1 4")).length > 20);
      for (const { socket } of clients) socket.destroy();
      await until(async () => (await visit().catch(() => 0)) === 307);
      // A worker that is still full refuses to tell.
      await until(async () => (await metric("svc_http_connections_refused_total").catch(() => 0)) > 0);
      await until(
        async () =>
          (await metric("svc_process_open_files_limit").catch(() => 0)) === OPEN_FILES * Number(workers),
      );
      expect(server.log()).not.toContain('"level":"error"');
      expect(server.process.exitCode).toBeNull();
    },
  );

  test("connections on which nothing happens make room for those that ask", async () => {
    server = await installation.serve({}, { openFiles: OPEN_FILES });
    for (const text of ["", "GET /a HTTP/1.1\r\nHost: a\r\n", "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"]) {
      for (let count = 0; count < MANY; count++) open(text);
      await until(async () => (await visit().catch(() => 0)) === 307);
    }
    await until(() => server.log().includes("half of the files"));
  });
});
