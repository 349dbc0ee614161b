/** Test support: the endpoints over HTTP on a file database, mounted as in the server, as an administrator. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { openDatabase } from "../db/database.ts";
import { migrateUp } from "../db/migrate.ts";
import { CONNECTION } from "../http/app.test-support.ts";
import type { HttpEnv } from "../http/endpoint.ts";
import { failureResponse, toAppError } from "../http/errors.ts";
import { type Guard, mountEndpoints, mountRefusals } from "../http/mount.ts";
import { silentLogger } from "../lib/logger.ts";
import { linkEndpoints } from "./links.routes.ts";
import { openLinks, TARGET } from "./links.test-support.ts";

// oxlint-disable-next-line no-explicit-any -- answers have many shapes
export type Answer = { status: number; text: string; body: any };

const guard: ReturnType<Guard> = (c, next) => {
  c.set("account", { id: 0, username: "admin", role: "admin", via: "panel" });
  return next();
};

export type LinksApi = Awaited<ReturnType<typeof openLinksApi>>;

export async function openLinksApi() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const database = await openDatabase(
    { url: `sqlite:${join(folder, "test.db")}`, poolSize: 1 },
    { threads: false, logger: silentLogger },
  );
  await migrateUp(database, { logger: silentLogger });
  const room = await openLinks(database);
  const endpoints = linkEndpoints({ links: room.links, now: room.clock.now });
  const app = new Hono<HttpEnv>();
  app.onError((error) => failureResponse(toAppError(error)));
  mountEndpoints(app, "/v1", endpoints, () => guard);
  mountRefusals(app, [{ prefix: "/v1", endpoints }]);

  async function call(method: string, path: string, body?: unknown): Promise<Answer> {
    const raw = typeof body === "string" ? body : JSON.stringify(body);
    const init = body === undefined ? { method } : { method, body: raw };
    const response = await app.request(`/v1${path}`, init, CONNECTION);
    const text = await response.text();
    return { status: response.status, text, body: text === "" ? undefined : JSON.parse(text) };
  }

  return {
    room,
    app,
    call,
    create: (body: object) => call("POST", "/links", { target: TARGET, ...body }),
    codes: async (query: string): Promise<string[]> =>
      (await call("GET", `/links${query}`)).body.data.map((link: { code: string }) => link.code),
    async close() {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Status, code and name of a failure. */
export const failure = ({ status, body }: Answer) => [status, body.code, body.error];
