import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { createOutput } from "../cli/output.ts";
import type { Database } from "../db/database.ts";
import { createEnvReader } from "../settings/env.ts";
import { addConfigCommands, generateTemplate } from "./config.commands.ts";
import { HASH, openConfig, openFileDb } from "./config.test-support.ts";
import { CONFIG_KEYS } from "./definitions.ts";

const startSettings = createEnvReader([]).settings;

const folder = mkdtempSync(join(tmpdir(), "waymark-config-"));
const file = (name: string) => join(folder, name);
let database: Database;
beforeAll(async () => {
  database = await openFileDb(file("commands.db"));
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await database.write.deleteFrom("settings").execute();
  await database.write.deleteFrom("settings_history").execute();
});

const sink = () => {
  const parts: string[] = [];
  return { write: (text: string) => parts.push(text), text: () => parts.join("") };
};

/** Runs one command like a separate process: it opens the database again. */
async function run(args: readonly string[], stdin = "") {
  const { config, start } = openConfig(database);
  await start();
  const [out, err] = [sink(), sink()];
  const context = {
    env: () => ({}) as never,
    startSettings,
    services: async () => ({ config }),
    output: createOutput(out, err),
    input: { text: async () => stdin, secret: async () => stdin, confirm: async () => false },
  };
  const program = new Command().exitOverride().configureOutput({ writeErr: err.write });
  addConfigCommands(program, context);
  const error = await program
    .parseAsync(["config", ...args], { from: "user" })
    .catch((thrown: unknown) => thrown);
  config.close();
  return { config, out: out.text(), err: err.text(), error: error instanceof Error ? error : null };
}

const refused = (name: string, message: string) => ({ name, message: expect.stringContaining(message) });

test("set stores a value, get prints it, reset returns to the default", async () => {
  expect(await run(["set", "features.random_code_length", "08"])).toMatchObject({
    out: "features.random_code_length = 8\n",
    err: "",
    error: null,
  });
  expect((await run(["get", "features.random_code_length"])).out).toBe("8\n");
  expect((await run(["reset", "features.random_code_length"])).out).toBe("features.random_code_length = 6\n");
  const { config } = await run(["list"]);
  expect(await config.history("features.random_code_length", 9)).toMatchObject([
    { newValue: "6", changedBy: "cli" },
    { newValue: "8", changedBy: "cli" },
  ]);
});

test("set announces a pending restart, and get shows the stored value", async () => {
  const { out, err } = await run(["set", "routes.admin_prefix", "/manage"]);
  expect(out).toBe("routes.admin_prefix = /manage\n");
  expect(err).toContain("next start");
  expect(JSON.parse((await run(["get", "routes.admin_prefix", "--json"])).out)).toMatchObject({
    key: "routes.admin_prefix",
    value: "/manage",
    requires_restart: true,
  });
});

test("list prints every setting or one category, as a table or JSON", async () => {
  const { out } = await run(["list"]);
  expect(out.trim().split("\n")).toHaveLength(CONFIG_KEYS.length + 1);
  expect(JSON.parse((await run(["list", "--json"])).out)).toHaveLength(CONFIG_KEYS.length);
  const cors = JSON.parse((await run(["list", "--category", "cors", "--json"])).out);
  expect(cors).toHaveLength(6);
  expect((await run(["list", "--category", "nope"])).error).toMatchObject(
    refused("BadRequest", "auth, cookie"),
  );
});

test("an unset secret reads empty, even in an export", async () => {
  expect((await run(["get", "api.health_token"])).out).toBe("\n");
  expect((await run(["list"])).out).not.toContain("[REDACTED]");
  const exported = (await run(["export"])).out;
  expect(exported).toContain('api.health_token = ""\n');
  expect(exported).not.toContain("[REDACTED]");
});

test("a secret comes from standard input or a prompt, and shows only with --show-secrets", async () => {
  await run(["set", "api.health_token", "--stdin"], "token-from-stdin");
  expect((await run(["set", "api.health_token"], "token-from-prompt")).out).not.toContain("token-from");
  expect((await run(["get", "api.health_token"])).out).toBe("[REDACTED]\n");
  expect((await run(["get", "api.health_token", "--show-secrets"])).out).toBe("token-from-prompt\n");
  for (const args of [["list"], ["list", "--json"], ["export"], ["export", "--format", "json"]]) {
    expect((await run(args)).out).not.toContain("token-from");
    expect((await run([...args, "--show-secrets"])).out).toContain("token-from-prompt");
  }
});

test.each([
  [["set", "nope", "1"], "ConfigNotFound", "nope"],
  [["get", "nope"], "ConfigNotFound", "nope"],
  [["reset", "nope"], "ConfigNotFound", "nope"],
  [["set", "cors.max_age", "never"], "BadRequest", "0 to 86400"],
  [["set", "cors.max_age"], "BadRequest", "Give a value"],
  [["set", "api.admin_token", HASH], "BadRequest", "reset-password"],
  [["export", "--format", "yaml"], "BadRequest", "toml or json"],
  [["import", "/nowhere/at/all.toml"], "BadRequest", "does not exist"],
  [["export", "/nowhere/at/all.toml"], "BadRequest", "can't be written"],
])("%p is refused", async (args, name, message) => {
  expect((await run(args)).error).toMatchObject(refused(name, message));
});

test.each(["toml", "json"])("%s: another installation imports an export", async (format) => {
  await run(["set", "cors.allowed_origins", "https://a.example"]);
  await run(["set", "analytics.sample_rate", "0.25"]);
  await run(["set", "api.health_token", "the-health-token"]);
  const path = file(`all.${format}`);
  expect((await run(["export", path, "--show-secrets"])).error).toBeNull();
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(readFileSync(path, "utf8")).not.toContain("admin_token");
  expect((await run(["export", path])).error).toMatchObject(refused("Conflict", "--force"));
  await database.write.deleteFrom("settings").execute();

  const dry = await run(["import", path, "--dry-run", "--json"]);
  const keys = ["api.health_token", "analytics.sample_rate", "cors.allowed_origins"];
  expect(JSON.parse(dry.out)).toEqual({ dry_run: true, changed: keys, masked: [] });
  expect(await database.read.selectFrom("settings").selectAll().execute()).toEqual([]);

  expect((await run(["import", path])).out).toBe(keys.map((key) => `changed ${key}\n`).join(""));
  expect((await run(["get", "api.health_token", "--show-secrets"])).out).toBe("the-health-token\n");
  expect((await run(["import", path])).out).toBe("Nothing to change.\n");
  expect((await run(["export", path, "--force"])).error).toBeNull();
  const masked = await run(["import", path]);
  expect([masked.error, masked.out]).toEqual([null, "Nothing to change.\n"]);
  expect(masked.err).toContain("api.health_token");
});

test("an import takes what an export wrote, with documents of more than 1 MiB", async () => {
  const path = file("large.toml");
  const text = JSON.stringify('"'.repeat(16 * 1024));
  const documents = JSON.stringify(Array.from({ length: 16 }, (_, at) => ({ name: `a${at}`, text })));
  await run(["set", "features.well_known", documents]);
  await run(["export", path]);
  await run(["reset", "features.well_known"]);
  expect((await run(["import", path])).error).toBeNull();
  const stored = JSON.parse((await run(["get", "features.well_known"])).out);
  expect(stored).toHaveLength(16);
  await run(["reset", "features.well_known"]);
});

test("an import with one mistake changes nothing", async () => {
  const path = file("wrong.toml");
  for (const [source, message] of [
    ["cors.max_age = 60\ncors.enabled = 7\n", "cors.enabled must be"],
    ["cors.max_age = 60\nno.such = 1\n", "no.such"],
    [`cors.max_age = 60\napi.admin_token = "${HASH}"\n`, "reset-password"],
    ["cors.max_age = 60\nroutes.admin_prefix = '/panel'\n", "hides the other"],
    ["cors.max_age = \n", "line 1"],
  ] as const) {
    writeFileSync(path, source);
    for (const flags of [[], ["--dry-run"]]) {
      const { error } = await run(["import", path, ...flags]);
      expect(error?.message).toContain(message);
    }
  }
  writeFileSync(path, `cors.max_age = 60 #${"x".repeat(8 * 1024 * 1024)}`);
  expect((await run(["import", path])).error).toMatchObject(refused("BadRequest", "8 MiB"));
  expect(await database.read.selectFrom("settings").selectAll().execute()).toEqual([]);
  expect((await run(["import", "-"], "cors.max_age = 60")).out).toBe("changed cors.max_age\n");
});

test("generate writes the template of start-up settings and never overwrites a file", async () => {
  const path = file("waymark.toml");
  expect((await run(["generate", path])).error).toBeNull();
  expect(readFileSync(path, "utf8")).toBe(generateTemplate(startSettings));
  writeFileSync(path, "mine");
  expect((await run(["generate", path])).error).toMatchObject(refused("Conflict", "exists"));
  expect(readFileSync(path, "utf8")).toBe("mine");
  expect((await run(["generate", path, "--force"])).error).toBeNull();
  expect(readFileSync(path, "utf8")).toBe(generateTemplate(startSettings));
  expect((await run(["generate", "-"])).out.trim()).toBe(generateTemplate(startSettings).trim());
  expect(existsSync("-")).toBe(false);
});
