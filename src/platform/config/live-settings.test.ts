import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../db/database.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createConfigRepository } from "./config.repository.ts";
import { openConfig, openFileDb, recordingLogger } from "./config.test-support.ts";
import { createLiveSettings } from "./live-settings.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-config-"));
let database: Database;
beforeAll(async () => {
  database = await openFileDb(join(folder, "live.db"));
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const rename = (from: string, to: string) => database.write.schema.alterTable(from).renameTo(to).execute();

test("the old settings stay in force while reads fail; then the new ones apply", async () => {
  const { logger, lines } = recordingLogger();
  const { config, changes, start } = openConfig(database, { logger });
  await start();
  await config.set("click.flush_interval", "9", "ann");
  await database.write.updateTable("settings").set({ value: "11" }).execute();
  await rename("settings", "settings_away");
  await changes.write(async (tx) => tx.changed("settings", ["click.flush_interval"]));
  expect(config.get("click.flush_interval")).toBe(9);
  expect(lines).toHaveLength(1);
  const failure = await config.reload().catch((error) => error);
  expect(failure).toMatchObject({ name: "ConfigReloadFailed", code: 5002, kind: "internal" });
  const changed = new Promise((resolve) => config.onChange("click.flush_interval", resolve));
  await rename("settings_away", "settings");
  expect(await changed).toBe(11);
  config.close();
});

test("reload applies a direct change of the table to every process", async () => {
  const [here, there] = [openConfig(database), openConfig(database)];
  await here.start();
  await there.start();
  await database.write.updateTable("settings").set({ value: "13" }).execute();
  await here.config.reload();
  expect(here.config.get("click.flush_interval")).toBe(13);
  await there.changes.poll();
  expect(there.config.get("click.flush_interval")).toBe(13);
});

test("a listener receives changed values only, survives the failure of others, and can unsubscribe", async () => {
  const { logger, lines } = recordingLogger();
  const config = await openConfig(database, { logger }).start();
  const received: unknown[] = [];
  config.onChange("cors.allowed_origins", () => {
    throw new Error("a listener that fails");
  });
  const stop = config.onChange("cors.allowed_origins", async (value) => void received.push(value));
  await config.set("cors.allowed_origins", "https://a.example", "ann");
  const kept = config.get("cors.allowed_origins");
  await config.set("cors.max_age", "60", "ann");
  expect(config.get("cors.allowed_origins")).toBe(kept);
  stop();
  await config.reset("cors.allowed_origins", "ann");
  expect(received).toEqual([["https://a.example"]]);
  expect(lines.filter((line) => line.includes("failed to apply it"))).toHaveLength(2);
});

test("after close, changes have no effect", async () => {
  const { config, start } = openConfig(database);
  await start();
  const other = await openConfig(database).start();
  config.close();
  await other.set("utm.enable_passthrough", "1", "ann");
  expect(config.get("utm.enable_passthrough")).toBe(false);
});

test("a slow read that began before a change can't bring the old value back", async () => {
  const config = await openConfig(database).start();
  await config.set("click.flush_interval", "20", "ann");
  const stored = createConfigRepository(database);
  const gates: (() => void)[] = [];
  const slow: typeof stored = {
    ...stored,
    async find(keys) {
      const rows = await stored.find(keys);
      await new Promise<void>((open) => gates.push(open));
      return rows;
    },
  };
  const changes = { subscribe: () => () => {} };
  const live = createLiveSettings({ repository: slow, changes, logger: silentLogger, held: {} });
  const untilRead = async (count: number) => {
    while (gates.length < count) await Bun.sleep(1);
  };
  const first = live.read();
  await untilRead(1);
  await config.set("click.flush_interval", "21", "ann");
  const [second, third] = [live.read(), live.read()];
  gates[0]!();
  await first;
  expect(live.current().values["click.flush_interval"]).toBe(20);
  await untilRead(2);
  gates[1]!();
  await Promise.all([second, third]);
  expect(live.current().values["click.flush_interval"]).toBe(21);
  expect(gates).toHaveLength(2);
});
