/** Places of storage policies: which are refused, which keep working, and what a backup includes. */
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { driveClient } from "./support/drive.ts";
import { type Client, signIn, startSignedIn } from "./support/session.ts";
import { storagesFor } from "./support/storages.ts";
import { install, type Installation, type RunningWaymark } from "./support/waymark.ts";

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

test("a policy cannot use a name of the data folder, and the next start finds all data unchanged", async () => {
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

test("files of an older policy with such a name survive starts, and the doctor names it", async () => {
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

test("a policy outside the data folder needs a start-up setting that allows its place", async () => {
  const elsewhere = makeFolder();
  const { server, client } = await start({ WAYMARK__STORAGE__LOCAL_ROOTS: elsewhere });
  expect((await makePolicy(server, client, join(elsewhere, "files"))).status).toBe(201);
  expect((await makePolicy(server, client, makeFolder())).status).toBe(400);
  const uploaded = await driveClient(server.url, client.token).upload("a.txt", "hello");
  expect(uploaded.status).toBe(201);
  expect(existsSync(join(elsewhere, "files", ".staging"))).toBe(true);
  await server.stop();
});

/** Stores a file in each policy. Returns the files' ids with their content. */
async function storeAll(
  server: RunningWaymark,
  client: Client,
  policies: readonly Record<string, unknown>[],
) {
  const drive = driveClient(server.url, client.token);
  const stored = new Map<number, string>();
  for (const policy of policies) {
    const body = JSON.stringify(policy);
    const made = await asAdmin(server, client, "/policies", { method: "POST", body });
    expect([policy["name"], made.status]).toEqual([policy["name"], 201]);
    const policy_id = (await made.json()).data.id;
    const folder = await drive.folder(String(policy["name"]).replaceAll("/", "|"));
    expect((await drive.call("PATCH", `/folders/${folder}`, { policy_id })).status).toBe(200);
    const content = `stored by ${policy["name"]}`;
    const uploaded = await drive.upload("a.txt", content, { folder: String(folder) });
    expect(uploaded.status).toBe(201);
    stored.set(uploaded.body.data.id, content);
  }
  return stored;
}

const local = (base_path: string) => ({ name: base_path, driver_type: "local", base_path });

async function contents(of: Installation, ids: Iterable<number>): Promise<[number, string][]> {
  const server = await of.serve();
  const drive = driveClient(server.url, (await signIn(server.url)).token);
  const found: [number, string][] = [];
  for (const id of ids) found.push([id, await (await drive.send(`/files/${id}/download`)).text()]);
  await server.stop();
  return found;
}

const IN_DATA = ["media.tmp", "old.restoring", "x", "x/.staging", "linked/away"];

test("backup and restore include the files of every local policy", async () => {
  const [elsewhere, other] = [makeFolder(), makeFolder()];
  const settings = { WAYMARK__STORAGE__LOCAL_ROOTS: `${elsewhere}:${other}` };
  const { installation, server, client } = await start(settings);
  symlinkSync(other, join(installation.dataDir, "linked"));
  const stored = await storeAll(server, client, [...IN_DATA, join(elsewhere, "deep", "er")].map(local));
  expect(readdirSync(join(other, "away")).length).toBeGreaterThan(0);
  const target = join(makeFolder(), "backup");
  expect(await installation.cli(["backup", target])).toMatchObject({ exitCode: 0, stderr: "" });
  await server.stop();
  for (const folder of [elsewhere, other]) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  }

  const strange = install();
  installations.push(strange);
  const refused = await strange.cli(["restore", target]);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("storage.local_roots")]);
  expect(readdirSync(strange.dataDir)).toEqual([]);
  const restored = install(settings);
  installations.push(restored);
  expect(await restored.cli(["restore", target])).toMatchObject({ exitCode: 0 });
  expect(await contents(restored, stored.keys())).toEqual([...stored]);
  const report = await restored.cli(["doctor", "--storage"]);
  expect(report.stdout).toContain("every file has its content");
});

test("missing content fails the backup until it is accepted as lost", async () => {
  const { installation, server, client } = await start();
  const stored = await storeAll(server, client, ["kept", "gone"].map(local));
  const gone = join(installation.dataDir, "gone");
  const key = readdirSync(gone, { recursive: true, encoding: "utf8" }).find((path) =>
    /[0-9a-f]{64}-\d+$/.test(path),
  )!;
  const target = join(makeFolder(), "backup");

  writeFileSync(join(gone, `${key}.aside`), readFileSync(join(gone, key)));
  writeFileSync(join(gone, key), "cut");
  const cut = await installation.cli(["backup", target]);
  expect([cut.exitCode, cut.stderr]).toEqual([1, expect.stringContaining(`${key} has 3 bytes instead of`)]);
  rmSync(join(gone, key));
  const failed = await installation.cli(["backup", target]);
  expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining(`${key} does not exist`)]);
  expect(failed.stderr).toContain("doctor --storage --fix");
  expect(existsSync(target)).toBe(false);

  expect((await installation.cli(["doctor", "--storage", "--fix"])).exitCode).toBe(1);
  expect(await installation.cli(["backup", target])).toMatchObject({ exitCode: 0, stderr: "" });
  renameSync(join(gone, `${key}.aside`), join(gone, key));
  await installation.cli(["doctor", "--storage", "--fix"]);
  await server.stop();
  expect(await contents(installation, stored.keys())).toEqual([...stored]);
});

test("a key behind a symbolic link is backed up, and symbolic links in place of objects are not followed", async () => {
  const { installation, server, client } = await start();
  await storeAll(server, client, [local("files-2")]);
  const keys = makeFolder();
  writeFileSync(join(keys, "key"), "0".repeat(64));
  rmSync(join(installation.dataDir, "secret.key"), { force: true });
  symlinkSync(join(keys, "key"), join(installation.dataDir, "secret.key"));
  const target = join(makeFolder(), "backup");
  expect((await installation.cli(["backup", target])).exitCode).toBe(0);
  expect(readFileSync(join(target, "files", "secret.key"), "utf8")).toBe("0".repeat(64));

  const folder = join(installation.dataDir, "files-2");
  const key = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) =>
    /[0-9a-f]{64}-\d+$/.test(path),
  )!;
  rmSync(join(folder, key));
  symlinkSync(join(keys, "key"), join(folder, key));
  const failed = await installation.cli(["backup", `${target}-2`]);
  expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining(`${key} is not a file`)]);
  await server.stop();
});

const [, s3] = storagesFor("backup")[1] ?? [];
test.skipIf(!s3)("a backup says which files it leaves in S3", async () => {
  const { installation, server, client } = await start();
  await storeAll(server, client, [s3!]);
  const target = join(makeFolder(), "backup");
  const made = await installation.cli(["backup", target]);
  expect(made.exitCode).toBe(0);
  expect(made.stdout).toContain(`Not included: 1 object of the policy '${s3!["name"]}' in S3.`);
  expect(JSON.parse(readFileSync(join(target, "manifest.json"), "utf8")).elsewhere).toEqual([
    { policy: s3!["name"], objects: 1 },
  ]);
  await server.stop();
});
