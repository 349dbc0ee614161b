/** Where storage policies keep files: what is refused, what goes on, and what of it is in a backup. */
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { driveClient } from "./support/drive.ts";
import { type Client, signIn, startSignedIn } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const installations: Installation[] = [];
const folders: string[] = [];
afterAll(async () => {
  await Promise.all(installations.map((made) => made.remove()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const makeFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-places-")));
  folders.push(folder);
  return folder;
};

async function start(settings: Record<string, string> = {}) {
  const made = await startSignedIn(settings);
  installations.push(made.installation);
  return made;
}

const asAdmin = (server: RunningWaymark, client: Client, path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/admin${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${client.token}`, "Content-Type": "application/json" },
  });

const makePolicy = (server: RunningWaymark, client: Client, base_path: string) =>
  asAdmin(server, client, "/policies", {
    method: "POST",
    body: JSON.stringify({ name: base_path, driver_type: "local", base_path, is_default: true }),
  });

test("a policy can't take a name of the data folder's, and the next start finds all as it was", async () => {
  const { installation, server, client } = await start();
  for (const path of [".restore", "./.Restore//", "waymark.db-journal", "secret.key", "Journal/x", "/srv"]) {
    const answer = await makePolicy(server, client, path);
    expect([path, answer.status, (await answer.json()).code]).toEqual([path, 400, 1000]);
  }
  await server.stop();
  for (const name of [".restore", "waymark.db-journal", "secret.key", "Journal"]) {
    expect(existsSync(join(installation.dataDir, name))).toBe(false);
  }
  const again = await installation.serve();
  await again.stop();
});

test("files of a policy that has such a name from earlier outlive starts, and the doctor names it", async () => {
  const { installation, server, client } = await start();
  expect((await makePolicy(server, client, "earlier")).status).toBe(201);
  await server.stop();
  const db = new Database(join(installation.dataDir, "waymark.db"));
  db.run("update policies set base_path = '.restore' where base_path = 'earlier'");
  db.close();

  const second = await installation.serve();
  const uploaded = await driveClient(second.url, (await signIn(second.url)).token).upload("a.txt", "hello");
  expect(uploaded.status).toBe(201);
  await second.stop();
  const report = await installation.cli(["doctor"]);
  expect(report.stdout).toContain("WARNING  storage policies: the policy 'earlier'");

  const third = await installation.serve();
  const drive = driveClient(third.url, (await signIn(third.url)).token);
  const read = await drive.send(`/files/${uploaded.body.data.id}/download`);
  expect([read.status, await read.text()]).toEqual([200, "hello"]);
  await third.stop();
});

test("a policy elsewhere takes a start-up setting that allows its place", async () => {
  const elsewhere = makeFolder();
  const { server, client } = await start({ WAYMARK__STORAGE__LOCAL_ROOTS: elsewhere });
  expect((await makePolicy(server, client, join(elsewhere, "files"))).status).toBe(201);
  expect((await makePolicy(server, client, makeFolder())).status).toBe(400);
  const uploaded = await driveClient(server.url, client.token).upload("a.txt", "hello");
  expect(uploaded.status).toBe(201);
  expect(existsSync(join(elsewhere, "files", ".staging"))).toBe(true);
  await server.stop();
});
