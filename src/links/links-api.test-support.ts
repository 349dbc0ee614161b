/** Test support: endpoints over HTTP on a file database, mounted as in the server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "../platform/db/database.ts";
import { createMigratedFile } from "../platform/db/schema-copy.test-support.ts";
import { createHttpApp } from "../platform/http/app.ts";
import { CONNECTION, CORS_OFF } from "../platform/http/app.test-support.ts";
import type { Caller, Endpoint, HttpConnection } from "../platform/http/endpoint.ts";
import { silentLogger } from "../lib/logger.ts";
import { linkEndpoints } from "./links.routes.ts";
import { openLinks, TARGET } from "./links.test-support.ts";

// oxlint-disable-next-line no-explicit-any -- responses have many shapes
export type ApiResponse = { status: number; text: string; body: any };

export type MountedApi = Awaited<ReturnType<typeof mountApi>>;

const ADMIN: Caller = { id: 0, username: "admin", role: "admin", via: "panel" };
const PREFIX = "/v1";

/** The endpoints that `make` returns for a migrated database. The caller is the administrator, except within `as`. */
export async function mountApi(
  make: (database: Database) => Promise<readonly Endpoint[]>,
  connection: HttpConnection = CONNECTION,
) {
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const file = join(folder, "test.db");
  await createMigratedFile(file);
  const database = await openDatabase(
    { url: `sqlite:${file}`, poolSize: 1 },
    { threads: false, logger: silentLogger },
  );
  const endpoints = await make(database);
  let caller = ADMIN;
  const app = createHttpApp({
    tables: [{ prefix: PREFIX, endpoints, guard: () => (c) => c.set("account", caller) }],
    gates: [],
    cors: () => CORS_OFF,
    newRequestId: () => "1",
    logger: silentLogger,
  });

  /** Sends the path unchanged. */
  const ask = async (path: string, init?: RequestInit): Promise<Response> =>
    app.fetch(new Request(`http://localhost${PREFIX}${path}`, init), connection);

  return {
    database,
    ask,

    async call(method: string, path: string, body?: unknown): Promise<ApiResponse & { headers: Headers }> {
      const raw = typeof body === "string" ? body : JSON.stringify(body);
      return readResponse(await ask(path, body === undefined ? { method } : { method, body: raw }));
    },

    async as<T>(other: Caller, run: () => Promise<T>): Promise<T> {
      caller = other;
      return run().finally(() => (caller = ADMIN));
    },

    async close() {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function readResponse(response: Response): Promise<ApiResponse & { headers: Headers }> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get("Content-Type")?.startsWith("application/json") === true;
  return { status, headers, text, body: isJson && text !== "" ? JSON.parse(text) : undefined };
}

export type LinksApi = Awaited<ReturnType<typeof openLinksApi>>;

/** Those of links. */
export async function openLinksApi() {
  let room!: Awaited<ReturnType<typeof openLinks>>;
  const api = await mountApi(async (database) => {
    room = await openLinks(database);
    return linkEndpoints({ links: room.links, now: room.clock.now });
  });
  return {
    ...api,
    room,
    create: (body: object) => api.call("POST", "/links", { target: TARGET, ...body }),
    codes: async (query: string): Promise<string[]> =>
      (await api.call("GET", `/links${query}`)).body.data.map((link: { code: string }) => link.code),
  };
}

/** Status, code and name of a failure. */
export const failure = ({ status, body }: ApiResponse) => [status, body.code, body.error];
