import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../db/database.ts";
import { createHttpApp } from "../http/app.ts";
import { appError } from "../../lib/errors.ts";
import { silentLogger } from "../../lib/logger.ts";
import { configEndpoints } from "./config.routes.ts";
import { HASH, openConfig, openFileDb } from "./config.test-support.ts";
import { CONFIG_KEYS } from "./definitions.ts";
import { CONNECTION } from "../http/app.test-support.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-config-"));
let database: Database;
beforeAll(async () => {
  database = await openFileDb(join(folder, "routes.db"));
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await database.write.deleteFrom("settings").execute();
  await database.write.deleteFrom("settings_history").execute();
});

const SECRET = "an-unmistakable-secret-".repeat(2);

// oxlint-disable-next-line no-explicit-any -- responses of many shapes
type Envelope = { code: number; error?: string; data?: any };

/** The mounted endpoints, called by the administrator `ann`, or without an account. */
async function serve() {
  const opened = openConfig(database, { startup: true, generateToken: () => SECRET });
  const config = await opened.start();
  const app = createHttpApp({
    tables: [
      {
        prefix: "/v1",
        endpoints: configEndpoints({ config, requireFactor: async () => {} }),
        guard: () => (c) => {
          if (c.req.header("authorization") !== "ann") throw appError("Unauthorized", "Sign in.");
          c.set("account", { id: 1, username: "ann", role: "admin", via: "panel" });
        },
      },
    ],
    gates: [],
    cors: () => ({ enabled: false }) as never,
    newRequestId: () => "test",
    logger: silentLogger,
  });
  const call = async (method: string, path: string, body?: unknown, authorization = "ann") => {
    const init: RequestInit = { method, headers: { authorization } };
    if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body);
    const response = await app.fetch(new Request(`http://localhost/v1/config${path}`, init), CONNECTION);
    const text = await response.text();
    expect(text).not.toContain(config.get("api.jwt_secret"));
    return {
      status: response.status,
      text,
      ...(JSON.parse(text) as Envelope),
    };
  };
  return { ...opened, config, call };
}

test("only administrators have access", async () => {
  const { call, config } = await serve();
  for (const entry of configEndpoints({ config, requireFactor: async () => {} })) {
    expect(entry.access).toBe("admin");
    const path = entry.path.slice("/config".length).replace(":key", "api.cookie_secure");
    expect((await call(entry.method, path, {}, "nobody")).status).toBe(401);
  }
});

describe("GET", () => {
  test("/config lists every setting, secrets masked", async () => {
    const { call, config } = await serve();
    await config.set("api.health_token", SECRET, "ann");
    await config.setAdminPasswordHash(HASH, "ann");
    const { status, code, data, text } = await call("GET", "");
    expect([status, code]).toEqual([200, 0]);
    expect(data.map((item: { key: string }) => item.key)).toEqual(CONFIG_KEYS);
    expect(data.find((item: { key: string }) => item.key === "analytics.sample_rate")).toEqual({
      key: "analytics.sample_rate",
      value: "1.0",
      value_type: "float",
      requires_restart: false,
      is_sensitive: false,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    const secrets = data.filter((item: { is_sensitive: boolean }) => item.is_sensitive);
    const masks = ["[REDACTED]", "[REDACTED]", "[REDACTED]", "", ""];
    expect(secrets.map((item: { value: string }) => item.value)).toEqual(masks);
    expect(text).not.toContain("$argon2");
    await config.reset("api.health_token", "ann");
    expect((await call("GET", "/api.health_token")).data.value).toBe("");
  });

  test("/config/schema describes each setting", async () => {
    const { call } = await serve();
    const { data } = await call("GET", "/schema");
    expect(data).toHaveLength(CONFIG_KEYS.length);
    expect(data.map((row: { order: number }) => row.order)).toEqual(CONFIG_KEYS.map((_, order) => order));
    const byKey = new Map(data.map((row: { key: string }) => [row.key, row]));
    expect(byKey.get("analytics.max_rows_action")).toEqual({
      key: "analytics.max_rows_action",
      value_type: "enum",
      default_value: "cleanup",
      description: expect.any(String),
      allowed: "one of cleanup, stop",
      minimum: null,
      maximum: null,
      unit: null,
      category: "analytics",
      enum_options: [
        { value: "cleanup", label: "cleanup", description: "Delete the oldest records." },
        { value: "stop", label: "stop", description: "Stop detailed logging." },
      ],
      requires_restart: false,
      editable: true,
      order: CONFIG_KEYS.indexOf("analytics.max_rows_action"),
      action: null,
    });
    expect(byKey.get("files.trash_days")).toMatchObject({ minimum: 1, maximum: 3650, unit: "days" });
    expect(byKey.get("utm.enable_passthrough")).toMatchObject({ category: "analytics" });
    expect(byKey.get("api.jwt_secret")).toMatchObject({
      default_value: "",
      action: "generate_token",
      editable: true,
    });
    expect(byKey.get("api.admin_token")).toMatchObject({ action: null, editable: false });
  });

  test("/config/{key} returns one setting, or 404 / 5000", async () => {
    const { call } = await serve();
    expect((await call("GET", "/features.random_code_length")).data).toMatchObject({
      value: "6",
      value_type: "int",
    });
    for (const key of ["nope", "__proto__", "api", "%00"]) {
      expect(await call("GET", `/${key}`)).toMatchObject({
        status: 404,
        code: 5000,
        error: "ConfigNotFound",
      });
    }
  });

  test("/config/{key}/history is bounded, newest first, and names the author", async () => {
    const { call } = await serve();
    for (let length = 4; length <= 34; length++) {
      await call("PUT", "/features.random_code_length", { value: String(length === 6 ? 60 : length) });
    }
    const path = "/features.random_code_length/history";
    expect((await call("GET", path)).data).toHaveLength(20);
    expect((await call("GET", `${path}?limit=1000`)).data).toHaveLength(31);
    expect((await call("GET", `${path}?limit=1`)).data).toEqual([
      {
        id: expect.any(Number),
        config_key: "features.random_code_length",
        old_value: "33",
        new_value: "34",
        changed_at: "2026-11-20T12:00:00.000Z",
        changed_by: "ann",
      },
    ]);
    expect(await call("GET", `${path}?limit=-1`)).toMatchObject({ status: 400, code: 1000 });
    expect(await call("GET", "/nope/history")).toMatchObject({ status: 404, code: 5000 });
  });
});

describe("PUT", () => {
  test("stores the canonical value, which is in force at once", async () => {
    const { call, config } = await serve();
    const { status, data } = await call("PUT", "/utm.enable_passthrough", { value: "1" });
    expect(status).toBe(200);
    expect(data).toMatchObject({
      key: "utm.enable_passthrough",
      value: "true",
      requires_restart: false,
      message: null,
    });
    expect(config.get("utm.enable_passthrough")).toBe(true);
  });

  test("shows a value as pending until a restart", async () => {
    const { call } = await serve();
    const { data } = await call("PUT", "/routes.admin_prefix", { value: "/manage" });
    expect(data).toMatchObject({ value: "/admin", pending_value: "/manage", requires_restart: true });
    expect(data.message).toContain("restart");
    expect((await call("GET", "/routes.admin_prefix")).data).toMatchObject({
      value: "/admin",
      pending_value: "/manage",
    });
  });

  test("never returns a secret", async () => {
    const { call, config } = await serve();
    const response = await call("PUT", "/api.health_token", { value: "a-new-health-token" });
    expect(response.data).toMatchObject({ value: "[REDACTED]", is_sensitive: true });
    expect(response.text).not.toContain("a-new-health-token");
    expect(config.get("api.health_token")).toBe("a-new-health-token");
  });

  test.each([
    ["api.cookie_secure", { value: "maybe" }, 400, 1000],
    ["api.cookie_secure", { value: true }, 400, 1000],
    ["api.cookie_secure", {}, 400, 1000],
    ["api.cookie_secure", "{", 400, 1000],
    ["api.cookie_secure", "[]", 400, 1000],
    ["features.default_url", { value: "x".repeat(70_000) }, 400, 1000],
    ["features.default_url", { value: "x".repeat(5_000_000) }, 413, 1013],
    ["api.health_token", { value: "[REDACTED]" }, 400, 1000],
    ["api.jwt_secret", { value: "[REDACTED]" }, 400, 1000],
    ["api.admin_token", { value: HASH }, 400, 1000],
    ["routes.health_prefix", { value: "/admin/health" }, 400, 1000],
    ["routes.health_prefix", { value: "/files" }, 400, 1000],
    ["nope", { value: "1" }, 404, 5000],
    ["schema", { value: "1" }, 405, 1006],
  ])("%s refuses an invalid value and changes nothing", async (key, body, status, code) => {
    const { call } = await serve();
    expect(await call("PUT", `/${key}`, body)).toMatchObject({ status, code });
    const rows = await database.read.selectFrom("settings").select("key").execute();
    expect(rows).toEqual([{ key: "api.jwt_secret" }]);
  });
});

test("DELETE returns to the default", async () => {
  const { call, config } = await serve();
  await call("PUT", "/click.flush_interval", { value: "9" });
  expect((await call("DELETE", "/click.flush_interval")).data).toMatchObject({ value: "5", message: null });
  expect(config.get("click.flush_interval")).toBe(5);
  expect(await call("DELETE", "/api.admin_token")).toMatchObject({ status: 400, code: 1000 });
  expect(await call("DELETE", "/nope")).toMatchObject({ status: 404, code: 5000 });
});

describe("PATCH /config", () => {
  const values = { "cors.max_age": "60", "api.cookie_same_site": "None", "click.flush_interval": null };

  test("stores several settings at once, and records who did it", async () => {
    const { call, config } = await serve();
    await call("PUT", "/click.flush_interval", { value: "9" });
    const { status, data } = await call("PATCH", "", { values });
    expect(status).toBe(200);
    expect(data.map(({ key, value }: Record<string, string>) => [key, value])).toEqual([
      ["cors.max_age", "60"],
      ["api.cookie_same_site", "None"],
      ["click.flush_interval", "5"],
    ]);
    expect(config.get("cors.max_age")).toBe(60);
    expect((await call("GET", "/cors.max_age/history")).data).toMatchObject([{ changed_by: "ann" }]);
    const events = database.read.selectFrom("events").select(["actor", "via"]);
    expect(await events.where("subject", "=", "cors.max_age").executeTakeFirst()).toEqual({
      actor: "ann",
      via: "panel",
    });
  });

  test("with dry_run it checks and stores nothing", async () => {
    const { call, config } = await serve();
    expect((await call("PATCH", "", { values, dry_run: true })).status).toBe(200);
    expect(config.get("cors.max_age")).toBe(3600);
    expect((await call("GET", "/cors.max_age/history")).data).toEqual([]);
  });

  test("stores none if one is refused, and reports for each value and item what is wrong", async () => {
    const { call, config } = await serve();
    const wrong = {
      "cors.max_age": "1",
      "click.flush_interval": "0",
      "api.trusted_proxies": '["10.0.0.1","proxy"]',
      "api.jwt_secret": "[REDACTED]",
      "api.admin_token": "x",
      nope: "1",
    };
    const response = await call("PATCH", "", { values: wrong });
    const { details } = JSON.parse(response.text) as { details: { field: string; message: string }[] };
    expect([response.status, details.map(({ field }) => field)]).toEqual([
      400,
      ["click.flush_interval", "api.trusted_proxies.1", "api.jwt_secret", "api.admin_token", "nope"],
    ]);
    expect(details[0]!.message).toBe("click.flush_interval must be a whole number from 1 to 3600.");
    expect(config.get("cors.max_age")).toBe(3600);
  });

  test("a rule of several settings names the key", async () => {
    const { call } = await serve();
    const response = await call("PATCH", "", {
      values: { "api.cookie_same_site": "None", "api.cookie_secure": "false" },
    });
    expect(JSON.parse(response.text)).toMatchObject({ details: [{ field: "api.cookie_same_site" }] });
  });
});

describe("POST", () => {
  test("/config/reload reads the stored settings again", async () => {
    const { call, config } = await serve();
    await call("PUT", "/cors.max_age", { value: "60" });
    await database.write
      .updateTable("settings")
      .set({ value: "61" })
      .where("key", "=", "cors.max_age")
      .execute();
    const { status, data } = await call("POST", "/reload");
    expect([status, data]).toEqual([200, { message: expect.any(String), duration_ms: expect.any(Number) }]);
    expect(config.get("cors.max_age")).toBe(61);
  });

  test("/config/{key}/action generates a value without storing it", async () => {
    const { call, config } = await serve();
    // This setting's own secret is SECRET too and is the expected response, so read another key.
    await config.set("api.jwt_secret", "j".repeat(40), "ann");
    expect((await call("POST", "/api.health_token/action", { action: "generate_token" })).data).toEqual({
      value: SECRET,
    });
    expect(config.get("api.health_token")).toBe("");
  });

  test("/config/{key}/execute-and-save stores a value without showing it", async () => {
    const { call, config } = await serve();
    for (const key of ["api.health_token", "api.jwt_secret"] as const) {
      const { status, text, data } = await call("POST", `/${key}/execute-and-save`, {
        action: "generate_token",
      });
      expect(status).toBe(200);
      expect(data).toMatchObject({ success: true, key, value: "[REDACTED]", requires_restart: false });
      expect(text).not.toContain(SECRET);
      expect(config.get(key)).toBe(SECRET);
    }
  });

  test.each([
    ["api.cookie_secure", { action: "generate_token" }, 400, 1000],
    ["api.admin_token", { action: "generate_token" }, 400, 1000],
    ["api.jwt_secret", { action: "rm" }, 400, 1000],
    ["api.jwt_secret", {}, 400, 1000],
    ["nope", { action: "generate_token" }, 404, 5000],
  ])("%s %p is refused by both", async (key, body, status, code) => {
    const { call } = await serve();
    expect(await call("POST", `/${key}/action`, body)).toMatchObject({ status, code });
    expect(await call("POST", `/${key}/execute-and-save`, body)).toMatchObject({ status, code });
  });
});
