import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { createOutput } from "../../platform/cli/output.ts";
import { openDatabase } from "../../platform/db/database.ts";
import { migrateUp } from "../../platform/db/migrate.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type LinksRoom, openLinks, refusal, TARGET } from "../links.test-support.ts";
import { readOptions } from "../link/field-values.ts";
import { addSafetyCommands } from "./commands.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
let room: LinksRoom;
let printed = "";
beforeAll(async () => {
  const options = { threads: false, logger: silentLogger };
  const database = await openDatabase({ url: `sqlite:${join(folder, "test.db")}`, poolSize: 1 }, options);
  await migrateUp(database, options);
  room = await openLinks(database);
});
afterAll(async () => {
  await room.database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(...line: string[]): Promise<string> {
  printed = "";
  const context = {
    services: async () => ({ links: room.links, origins: { ofServer: () => "https://go.example" } }),
    output: createOutput({ write: (text) => (printed += text) }, { write: (text) => (printed += text) }),
  } as unknown as Parameters<typeof addSafetyCommands>[1];
  const group = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addSafetyCommands(group, context);
  await group.parseAsync(line, { from: "user" });
  return printed;
}

test("links are taken down and put back, and reports resolved", async () => {
  const { id } = await room.links.create({ code: "a", target: TARGET });
  const held = async () => readOptions((await room.links.get("a")).options).held;
  expect(await run("take-down", "a", "--reason", " spam ")).toBe("Took down a.\n");
  expect(await held()).toMatchObject({ state: "taken_down", by: "cli", reason: "spam" });
  expect(await refusal(run("approve", "a"))).toBe("Conflict");
  expect(await refusal(run("reinstate", "none"))).toBe("LinkNotFound");
  expect(JSON.parse(await run("reinstate", "a", "--json"))).toEqual({ code: "a", action: "reinstate" });
  expect(await refusal(run("refuse", "a", "--reason", "x".repeat(501)))).toBe("BadRequest");
  expect(await run("reports")).toContain("No reports.");
  await room.links.safety.report({ id, code: "a" }, { reason: "phishing", details: "x" });
  expect(await run("reports")).toContain("phishing");
  const [{ id: report }] = JSON.parse(await run("reports", "--json"));
  expect(await refusal(run("resolve-report", "x"))).toBe("BadRequest");
  expect(await run("resolve-report", String(report), "--take-down")).toBe(`Resolved report ${report}.\n`);
  expect(await held()).toMatchObject({ state: "taken_down" });
  expect(JSON.parse(await run("reports", "--resolved", "--json"))).toMatchObject([{ resolved_by: "cli" }]);
});
