import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../db/database.ts";
import { forEachDialect } from "../db/for-each-dialect.test-support.ts";
import { HISTORY_MAX_ROWS } from "./config.repository.ts";
import { HASH, openConfig, recordingLogger } from "./config.test-support.ts";
import { CONFIG_KEYS, definitionOf } from "./definitions.ts";

const refusal = (name: string, message: RegExp | string) =>
  expect.objectContaining({ name, message: expect.stringMatching(message) });

forEachDialect(({ openDb }) => {
  let database: Database;
  beforeAll(async () => {
    // The file database lets two instances write at once only if each writes in its own thread.
    database = await openDb({ threads: true });
  });
  beforeEach(async () => {
    await database.write.deleteFrom("settings").execute();
    await database.write.deleteFrom("settings_history").execute();
  });

  const put = (key: string, value: string) =>
    database.write.insertInto("settings").values({ key, value, updated_at: 1, updated_by: "hand" }).execute();

  describe("start", () => {
    test("a first start stores only the generated secret", async () => {
      const config = await openConfig(database, { startup: true }).start();
      const rows = await database.read.selectFrom("settings").selectAll().execute();
      expect(rows.map((row) => row.key)).toEqual(["api.jwt_secret"]);
      expect(config.get("api.jwt_secret")).toMatch(/^[0-9a-f]{64}$/);
      for (const key of CONFIG_KEYS.filter((name) => name !== "api.jwt_secret")) {
        expect(config.getOne(key, { secrets: true }).value).toBe(definitionOf(key).defaultText);
      }
    });

    test("two first starts at once agree on one secret", async () => {
      const other = await openDb({ threads: true });
      const [a, b] = await Promise.all([
        openConfig(database, { startup: true }).start(),
        openConfig(other, { startup: true }).start(),
      ]);
      expect(b.get("api.jwt_secret")).toBe(a.get("api.jwt_secret"));
      const again = await openConfig(database, { startup: true }).start();
      expect(again.get("api.jwt_secret")).toBe(a.get("api.jwt_secret"));
      expect(await a.history("api.jwt_secret", 100)).toHaveLength(1);
    });

    test("whoever changes a setting waits for what follows it; a command does not", async () => {
      for (const startup of [true, false]) {
        const config = await openConfig(database, { startup }).start();
        const followed: string[] = [];
        config.followUp("links.ignore_case", async () => {
          await Bun.sleep(1);
          followed.push(`${config.get("links.ignore_case")}`);
        });
        await config.set("links.ignore_case", `${startup}`, "ann");
        await config.setMany([["features.fetch_titles", `${startup}`]], "ann");
        await config.change([["links.ignore_case", null]], "ann");
        expect(followed).toEqual(startup ? ["true", "false"] : []);
      }
    });

    test("opening the settings for a command stores nothing", async () => {
      await openConfig(database).start();
      expect(await database.read.selectFrom("settings").selectAll().execute()).toEqual([]);
    });

    test("unknown keys stay; the default replaces an unusable value, with a warning", async () => {
      await put("future.key", "secret-future-value");
      await put("click.flush_interval", "0");
      await put("api.health_token", "bad secret");
      await put("utm.enable_passthrough", "YES");
      await put("routes.health_prefix", "/admin/health");
      await put("api.cookie_same_site", "None");
      await put("api.cookie_secure", "false");
      const { logger, lines } = recordingLogger();
      const opened = openConfig(database, { startup: true, logger });
      const config = await opened.start();
      await config.reload();
      expect(config.get("click.flush_interval")).toBe(5);
      expect(config.get("api.health_token")).toBe("");
      expect(config.get("utm.enable_passthrough")).toBe(true);
      expect(config.get("routes.health_prefix")).toBe("/health");
      expect(config.get("api.cookie_same_site")).toBe("Lax");
      expect(config.get("api.cookie_secure")).toBe(false);
      for (const key of [
        "future.key",
        "click.flush_interval",
        "api.health_token",
        "routes.health_prefix",
        "api.cookie_same_site",
      ]) {
        expect(lines.filter((line) => line.includes(`"${key}"`))).toHaveLength(1);
      }
      expect(lines.join()).not.toMatch(/bad secret|secret-future-value/);
      expect(
        await database.read.selectFrom("settings").select("value").where("key", "=", "future.key").execute(),
      ).toEqual([{ value: "secret-future-value" }]);
    });

    test("a start replaces an unusable secret, a running process keeps a lost one", async () => {
      await put("api.jwt_secret", "short");
      const { config, start } = openConfig(database, { startup: true });
      await start();
      const secret = config.get("api.jwt_secret");
      expect(secret).toHaveLength(64);
      await database.write.deleteFrom("settings").execute();
      await config.reload();
      expect(config.get("api.jwt_secret")).toBe(secret);
    });
  });

  describe("a write", () => {
    test("is canonical, in force at once, and reaches others with the next poll", async () => {
      const [here, there] = [openConfig(database), openConfig(await openDb({ threads: true }))];
      await Promise.all([here.start(), there.start()]);
      const received: unknown[] = [];
      there.config.onChange(
        "utm.enable_passthrough",
        (value, previous) => void received.push([previous, value]),
      );
      const item = await here.config.set("utm.enable_passthrough", " YES ", "ann");
      expect(item).toMatchObject({ value: "true", updatedAt: here.clock.time });
      expect(here.config.get("utm.enable_passthrough")).toBe(true);
      expect(there.config.get("utm.enable_passthrough")).toBe(false);
      await there.changes.poll();
      expect(there.config.get("utm.enable_passthrough")).toBe(true);
      expect(received).toEqual([[false, true]]);
      await there.config.reset("utm.enable_passthrough", "bob");
      await here.changes.poll();
      expect(here.config.get("utm.enable_passthrough")).toBe(false);
    });

    test("that is refused changes nothing", async () => {
      const config = await openConfig(database).start();
      const attempts: [() => Promise<unknown>, unknown][] = [
        [() => config.set("no.such_key", "1", "ann"), refusal("ConfigNotFound", /no\.such_key/)],
        [() => config.set("__proto__", "1", "ann"), refusal("ConfigNotFound", /__proto__/)],
        [() => config.set("click.flush_interval", "0", "ann"), refusal("BadRequest", /1 to 3600/)],
        [() => config.set("api.health_token", "[REDACTED]", "ann"), refusal("BadRequest", /mask/)],
        [() => config.set("api.admin_token", HASH, "ann"), refusal("BadRequest", /reset-password/)],
        [() => config.reset("api.admin_token", "ann"), refusal("BadRequest", /reset-password/)],
        [() => config.set("routes.admin_prefix", "/panel", "ann"), refusal("BadRequest", /hides the other/)],
        [
          () =>
            config.setMany(
              [
                ["cors.enabled", "1"],
                ["cors.max_age", "x"],
              ],
              "ann",
            ),
          refusal("BadRequest", /cors\.max_age/),
        ],
        [() => config.setAdminPasswordHash("plaintext", "ann"), refusal("BadRequest", /Argon2/)],
        [
          () => config.runActionAndSave("cors.enabled", "generate_token", "ann"),
          refusal("BadRequest", /no action/),
        ],
      ];
      for (const [attempt, error] of attempts)
        expect(await attempt().catch((thrown) => thrown)).toEqual(error);
      expect(await database.read.selectFrom("settings").selectAll().execute()).toEqual([]);
      expect(await database.read.selectFrom("settings_history").selectAll().execute()).toEqual([]);
    });

    test("of several settings is atomic: prefixes may swap, and a dry run stores nothing", async () => {
      const config = await openConfig(database).start();
      const swap = [
        ["routes.admin_prefix", "/panel"],
        ["routes.frontend_prefix", "/admin"],
        ["cors.max_age", "3600"],
      ] as const;
      expect(await config.setMany(swap, "ann", { dryRun: true })).toEqual([
        "routes.admin_prefix",
        "routes.frontend_prefix",
      ]);
      expect(config.get("routes.admin_prefix")).toBe("/admin");
      expect(await config.setMany(swap, "ann")).toEqual(["routes.admin_prefix", "routes.frontend_prefix"]);
      expect(config.get("routes.admin_prefix")).toBe("/panel");
      expect(await config.setMany(swap, "ann")).toEqual([]);
    });

    test("parallel to another can't make two prefixes equal", async () => {
      const [a, b] = await Promise.all([
        openConfig(database).start(),
        openConfig(await openDb({ threads: true })).start(),
      ]);
      const results = await Promise.allSettled([
        a.set("routes.admin_prefix", "/x", "ann"),
        b.set("routes.frontend_prefix", "/x", "bob"),
      ]);
      expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
    });

    test("can't combine SameSite=None with insecure cookies, in either order", async () => {
      const config = await openConfig(database).start();
      const [none, insecure] = [
        ["api.cookie_same_site", "None"],
        ["api.cookie_secure", "false"],
      ] as const;
      const refused = refusal("BadRequest", /None.*api\.cookie_secure/);
      const attempt = (run: Promise<unknown>) => run.catch((thrown: unknown) => thrown);
      expect(await attempt(config.setMany([none, insecure], "ann", { dryRun: true }))).toEqual(refused);
      await config.set(...none, "ann");
      expect(await attempt(config.set(...insecure, "ann"))).toEqual(refused);
      await config.reset("api.cookie_same_site", "ann");
      await config.set(...insecure, "ann");
      expect(await attempt(config.set(...none, "ann"))).toEqual(refused);
      expect(config.get("api.cookie_same_site")).toBe("Lax");
      expect(config.get("api.cookie_secure")).toBe(false);
      expect(await config.setMany([none, ["api.cookie_secure", "true"]], "ann")).toHaveLength(2);
      expect(config.get("api.cookie_same_site")).toBe("None");
    });

    test("of the password commits together with its side effect, or not at all", async () => {
      const config = await openConfig(database).start();
      const failing = config.setAdminPasswordHash(HASH, "cli", async () => {
        throw new Error("the sessions could not be ended");
      });
      expect(await failing.catch(String)).toContain("could not be ended");
      expect(config.get("api.admin_token")).toBe("");
      await config.setAdminPasswordHash(HASH, "cli", async (tx) => tx.changed("sessions", ["*"]));
      expect(config.get("api.admin_token")).toBe(HASH);
      expect(JSON.stringify([config.list(), await config.history("api.admin_token", 9)])).not.toContain(
        "argon2",
      );
    });
  });

  describe("settings that need a restart", () => {
    test("keep their value until the next start and show the new one as pending", async () => {
      const { config, start } = openConfig(database, { startup: true });
      await start();
      const received: unknown[] = [];
      config.onChange("analytics.log_retention_days", (value) => void received.push(value));
      const item = await config.set("analytics.log_retention_days", "90", "ann");
      expect(item).toMatchObject({ value: "30", pendingValue: "90", requiresRestart: true });
      expect(config.get("analytics.log_retention_days")).toBe(30);
      const late = await openConfig(database, { startup: true, startValues: config.startValues() }).start();
      expect(late.get("analytics.log_retention_days")).toBe(30);
      const restarted = await openConfig(database, { startup: true }).start();
      expect(restarted.getOne("analytics.log_retention_days")).toMatchObject({ value: "90" });
      expect(restarted.getOne("analytics.log_retention_days")).not.toHaveProperty("pendingValue");
      expect(await config.reset("analytics.log_retention_days", "ann")).not.toHaveProperty("pendingValue");
      expect(received).toEqual([]);
    });
  });

  describe("history", () => {
    test("records who changed what and when, newest first, with secrets masked in the table", async () => {
      const { config, clock, start } = openConfig(database);
      await start();
      await config.set("click.flush_interval", "9", "ann");
      await config.set("click.flush_interval", "09", "nobody");
      clock.time += 1000;
      await config.reset("click.flush_interval", "bob");
      expect(await config.history("click.flush_interval", 20)).toMatchObject([
        { oldValue: "9", newValue: "5", changedBy: "bob", changedAt: clock.time },
        { oldValue: "5", newValue: "9", changedBy: "ann", changedAt: clock.time - 1000 },
      ]);
      await config.set("api.health_token", "very-secret-token", "ann");
      await config.set("api.jwt_secret", "another-secret-".repeat(3), "ann");
      await config.reset("api.health_token", "ann");
      const stored = await database.read.selectFrom("settings_history").selectAll().execute();
      expect(JSON.stringify(stored)).not.toMatch(/very-secret|another-secret/);
      expect(await config.history("api.health_token", 20)).toMatchObject([
        { oldValue: "[REDACTED]", newValue: "" },
        { oldValue: "", newValue: "[REDACTED]" },
      ]);
      expect(await config.history("no.such", 20).catch((error) => error)).toEqual(
        refusal("ConfigNotFound", ""),
      );
    });

    test("is bounded per key", async () => {
      const config = await openConfig(database).start();
      const row = { old_value: "1", new_value: "2", changed_at: 1, changed_by: "ann" };
      const rows = (key: string, count: number) => Array.from({ length: count }, () => ({ key, ...row }));
      await database.dialect.insertMany(
        database.write,
        "settings_history",
        rows("cors.max_age", HISTORY_MAX_ROWS + 5),
      );
      await database.dialect.insertMany(database.write, "settings_history", rows("cors.enabled", 3));
      await config.set("cors.max_age", "60", "ann");
      const counted = await database.read
        .selectFrom("settings_history")
        .select((eb) => ["key", eb.fn.countAll().as("rows")])
        .groupBy("key")
        .orderBy("key")
        .execute();
      expect(counted.map((each) => [each.key, Number(each.rows)])).toEqual([
        ["cors.enabled", 3],
        ["cors.max_age", HISTORY_MAX_ROWS],
      ]);
      expect(await config.history("cors.max_age", 1000)).toHaveLength(100);
      expect((await config.history("cors.max_age", 1))[0]).toMatchObject({ newValue: "60" });
    });
  });
});
