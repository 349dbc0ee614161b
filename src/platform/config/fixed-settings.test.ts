/** Settings that the start decides. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../db/database.ts";
import { openConfig, openFileDb } from "./config.test-support.ts";

const dir = mkdtempSync(join(tmpdir(), "waymark-fixed-"));
let database: Database;
beforeAll(async () => void (database = await openFileDb(join(dir, "test.db"))));
afterAll(async () => {
  await database.close();
  rmSync(dir, { recursive: true });
});

const fixed = { "oidc.client_secret": "of the start".replaceAll(" ", "-"), "oidc.roles": '["a=editor"]' };

test("they win over what is stored, are marked and masked, and nobody writes them", async () => {
  const before = await openConfig(database).start();
  await before.set("oidc.roles", "b=admin", "test");
  const config = await openConfig(database, { fixed }).start();
  expect(config.get("oidc.roles")).toEqual(["a=editor"]);
  expect(config.getOne("oidc.client_secret")).toMatchObject({ value: "[REDACTED]", isFixed: true });
  expect(config.getOne("oidc.label").isFixed).toBe(false);
  const refused = "oidc.roles is set at the start";
  await expect(config.set("oidc.roles", "c=user", "test")).rejects.toThrow(refused);
  await expect(config.reset("oidc.roles", "test")).rejects.toThrow(refused);
  await expect(config.setMany([["oidc.roles", "c=user"]], "test")).rejects.toThrow(refused);
  await expect(config.change([["oidc.roles", null]], "test")).rejects.toThrow(refused);
  // An export of this instance can be imported again.
  expect(await config.setMany([["oidc.roles", "a=editor"]], "test")).toEqual([]);
  const after = await openConfig(database).start();
  expect(after.get("oidc.roles")).toEqual(["b=admin"]);
});

test("a value that the setting refuses stops the start", () => {
  expect(() => openConfig(database, { fixed: { "oidc.issuer": "http://id.example.com" } })).toThrow(
    "oidc.issuer must be",
  );
});
