import { afterEach, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App } from "./app.ts";
import { loadEnv } from "./env.ts";
import { startServer } from "./server.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-server-"));
const serve = spyOn(Bun, "serve");
afterEach(() => {
  serve.mockRestore();
  rmSync(folder, { recursive: true, force: true });
});

const app = {
  fetch: () => new Response("here"),
  onError: () => new Response("failed"),
  limitConnections: () => ({ close: () => {} }),
  endStreams: () => {},
} as unknown as App;

test("a unix socket has the same idle timeout as a port", async () => {
  for (const processEnv of [
    { WAYMARK__SERVER__PORT: "0" },
    { WAYMARK__SERVER__UNIX_SOCKET: join(folder, "w.sock") },
  ]) {
    const server = await startServer(loadEnv({ cwd: folder, processEnv }).server, app);
    await server.stop();
  }
  expect(serve.mock.calls.map(([options]) => (options as { idleTimeout?: number }).idleTimeout)).toEqual([
    120, 120,
  ]);
});
