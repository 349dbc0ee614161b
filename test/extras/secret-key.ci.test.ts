/** A node with another secret key than its database, or without one. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { install } from "../support/waymark.ts";

const installation = install();
afterAll(installation.remove);
const { cli, dataDir } = installation;
const key = join(dataDir, "secret.key");
const kept = join(dataDir, "kept.key");
const WRONG = "is not the one that sealed the secrets in the database";
const MISSING = "This node has no secret key";
const addWebhook = () => cli(["webhooks", "add", "https://a.example", "--event", "link.created"]);

/** What start, health, doctor, backup and a new secret say. */
async function told(name: string): Promise<string[]> {
  const server = await installation.serve();
  const health = await fetch(`${server.url}/health`, { headers: { Authorization: "Bearer health-token" } });
  const { data } = (await health.json()) as { data: { checks: { secret_key: { message: string } } } };
  await server.stop();
  const doctor = await cli(["doctor"]);
  expect(doctor.exitCode).toBe(1);
  const backup = await cli(["backup", join(dataDir, name)]);
  expect(backup.exitCode).toBe(1);
  expect(existsSync(join(dataDir, name, "manifest.json"))).toBe(true);
  const tested = await cli(["webhooks", "test", "1"]);
  expect([tested.exitCode, tested.stderr]).toEqual([4, expect.stringContaining("The secret can't be read")]);
  const added = await addWebhook();
  expect(added.exitCode).toBe(5);
  return [server.log(), data.checks.secret_key.message, doctor.stdout, backup.stderr, added.stderr];
}

test("start, health, doctor, backup and what would seal say that the key is another one, or missing", async () => {
  await cli(["config", "set", "api.health_token", "health-token"]);
  expect((await addWebhook()).exitCode).toBe(0);
  const backup = join(dataDir, "sound");
  expect((await cli(["backup", backup])).stderr).toBe("");
  renameSync(key, kept);

  for (const said of await told("without")) {
    expect(said).toContain(MISSING);
    expect(said).not.toContain("new secret.");
  }
  expect(existsSync(key)).toBe(false);

  writeFileSync(key, "1".repeat(64));
  for (const said of await told("wrong")) expect(said).toContain(WRONG);
  expect(readFileSync(key, "utf8")).toBe("1".repeat(64));

  // The database of a backup without its key.
  rmSync(key);
  rmSync(join(dataDir, "waymark.db"));
  const other = install({ WAYMARK__STORAGE__SECRET_KEY: "2".repeat(64) });
  try {
    const restored = await other.cli(["restore", backup]);
    expect([restored.exitCode, restored.stderr]).toEqual([
      0,
      expect.stringContaining("not the one of the backup"),
    ]);
    expect((await other.cli(["doctor"])).stdout).toContain(`(storage.secret_key) ${WRONG}`);
  } finally {
    await other.remove();
  }

  const back = await cli(["restore", backup]);
  expect([back.exitCode, back.stderr]).toEqual([0, ""]);
  expect((await cli(["doctor"])).stdout).toContain("it opens the secrets in the database");
  expect((await addWebhook()).exitCode).toBe(0);
});

test("a key that is lost for good is given up by a command, which says what to enter anew", async () => {
  expect((await cli(["reset-secret-key", "--yes"])).stdout).toContain("nothing was changed");
  rmSync(key);
  const { stdout } = await cli(["reset-secret-key", "--yes"]);
  expect(stdout).toContain("Not readable any more: 2 webhooks.");
  const doctor = await cli(["doctor"]);
  expect(doctor.stdout).toMatch(/WARNING +secret key: another key has sealed the secrets of 2 webhooks/);
  expect((await addWebhook()).exitCode).toBe(0);
});
