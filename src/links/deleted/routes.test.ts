import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { openDatabase } from "../../db/database.ts";
import { migrateUp } from "../../db/migrate.ts";
import type { HttpEnv } from "../../http/endpoint.ts";
import { failureResponse, toAppError } from "../../http/errors.ts";
import { type Guard, type HttpApp, mountEndpoints, mountRefusals } from "../../http/mount.ts";
import { silentLogger } from "../../lib/logger.ts";
import { linkEndpoints } from "../links.routes.ts";
import { type LinksRoom, openLinks, TARGET } from "../links.test-support.ts";
import { CONNECTION } from "../../http/app.test-support.ts";

// oxlint-disable-next-line no-explicit-any -- answers have many shapes
type Answer = { status: number; text: string; body: any };

const guard: ReturnType<Guard> = (c, next) => {
  c.set("account", { id: 0, username: "admin", role: "admin", via: "panel" });
  return next();
};

const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
let room: LinksRoom;
let app: HttpApp;

beforeAll(async () => {
  const database = await openDatabase(
    { url: `sqlite:${join(folder, "test.db")}`, poolSize: 1 },
    { threads: false, logger: silentLogger },
  );
  await migrateUp(database, { logger: silentLogger });
  room = await openLinks(database);
  const endpoints = linkEndpoints({ links: room.links, now: room.clock.now });
  app = new Hono<HttpEnv>();
  app.onError((error) => failureResponse(toAppError(error)));
  mountEndpoints(app, "/v1", endpoints, () => guard);
  mountRefusals(app, [{ prefix: "/v1", endpoints }]);
});
afterAll(async () => {
  await room.database.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => room.clear());

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const raw = typeof body === "string" ? body : JSON.stringify(body);
  const init = body === undefined ? { method } : { method, body: raw };
  const response = await app.request(`/v1${path}`, init, CONNECTION);
  const text = await response.text();
  return { status: response.status, text, body: text === "" ? undefined : JSON.parse(text) };
}

const create = (body: object) => call("POST", "/links", { target: TARGET, ...body });
const codes = async (query: string) =>
  (await call("GET", `/links${query}`)).body.data.map((link: { code: string }) => link.code);
/** Status, code and name of a failure. */
const failure = ({ status, body }: Answer) => [status, body.code, body.error];

describe("deleted links", () => {
  test("are listed in pages and put back once, with a code that is free", async () => {
    for (const code of ["a", "b", "c"]) {
      await create({ code, password: "secret" });
      await call("DELETE", `/links/${code}`);
    }
    const first = await call("GET", "/links/deleted?limit=2");
    expect(first.body.data.map(({ code }: { code: string }) => code)).toEqual(["c", "b"]);
    expect(first.body.data[0]).toMatchObject({
      id: expect.any(Number),
      password: "[REDACTED]",
      click_count: 0,
      deleted_at: "2026-11-20T13:00:00.000Z",
      deleted_by: "admin",
    });
    expect(first.text).not.toContain("argon2");
    const cursor = first.body.next_cursor;
    const second = await call("GET", `/links/deleted?limit=2&cursor=${cursor}`);
    expect(second.body.data).toHaveLength(1);
    expect(second.body.next_cursor).toBeNull();
    const { id } = second.body.data[0];
    await create({ code: "a" });
    const path = `/links/deleted/${id}/restore`;
    expect(failure(await call("POST", path, {}))).toEqual([409, 3001, "LinkAlreadyExists"]);
    expect(await call("POST", path, { code: "d" })).toMatchObject({
      status: 200,
      body: { data: { code: "d", target: TARGET, short_url: expect.stringMatching(/\/d$/) } },
    });
    expect(failure(await call("POST", path, { code: "e" }))).toEqual([409, 1009, "Conflict"]);
    expect(await codes("?sort=code")).toEqual(["a", "d"]);
  });

  test.each([
    ["GET", "/links/deleted?cursor=%21", 400, 1000],
    ["GET", "/links/deleted?cursor=W10", 400, 1000],
    ["POST", "/links/deleted/0/restore", 404, 3000],
    ["POST", "/links/deleted/99999999999999999999/restore", 404, 3000],
    ["POST", "/links/deleted/4711/restore", 404, 3000],
  ])("%s %s is refused", async (method, path, status, code) => {
    const answer = await call(method, path, method === "POST" ? {} : undefined);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test("reserve their path", async () => {
    expect(failure(await create({ code: "deleted" }))).toEqual([400, 3008, "LinkReservedCode"]);
    expect((await create({ code: "deleted/1" })).status).toBe(201);
    expect((await call("GET", "/links/deleted/1")).body.data.code).toBe("deleted/1");
  });
});
