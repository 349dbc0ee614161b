/** Full disks in the health report. Mounts small file systems, so it needs the right to mount. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { driveClient } from "./support/drive.ts";
import { soon } from "./support/until.ts";
import { type Client, signIn, startSignedIn } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const root = mkdtempSync(join(tmpdir(), "waymark-full-disk-"));
const disks = ["data", "database", "both"].map((name) => join(root, name)) as [string, string, string];
const [dataDisk, databaseDisk, onlyDisk] = disks;
for (const disk of disks) mkdirSync(disk);
const isMounted =
  process.getuid?.() === 0 &&
  disks.every((disk) => {
    const mount = ["mount", "-t", "tmpfs", "-o", "size=96m", "waymark-test", disk];
    return Bun.spawnSync(mount, { stderr: "ignore" }).exitCode === 0;
  });

afterAll(() => {
  if (isMounted) for (const disk of disks) Bun.spawnSync(["umount", disk]);
  rmSync(root, { recursive: true, force: true });
});

const MIB = new Uint8Array(1024 * 1024);

/** Writes until the disk is full, or `mostMib` MiB. */
function fill(disk: string, mostMib = Number.POSITIVE_INFINITY): void {
  const file = openSync(join(disk, "filler"), "a");
  let written = 0;
  try {
    for (; written < mostMib; written++) if (writeSync(file, MIB) < MIB.length) writeSync(file, MIB);
  } catch (error) {
    expect((error as { code?: unknown }).code).toBe("ENOSPC");
  } finally {
    closeSync(file);
  }
}
const empty = (disk: string): void => rmSync(join(disk, "filler"), { force: true });

describe.skipIf(!isMounted)(`a full disk${isMounted ? "" : " (this account may not mount one)"}`, () => {
  let installation: Installation;
  let server: RunningWaymark;
  let client: Client;
  beforeAll(async () => {
    ({ installation, server, client } = await startSignedIn({
      WAYMARK__DATA__DIR: join(dataDisk, "waymark"),
      WAYMARK__DATABASE__URL: `sqlite:${join(databaseDisk, "links.db")}`,
    }));
  });
  afterAll(() => installation.remove());

  async function health() {
    const authorized = { headers: { Authorization: `Bearer ${client.token}` } };
    const answer = await fetch(`${server.url}/health`, authorized);
    const { data } = (await answer.json()) as { data: { status: string; checks: { disk: unknown } } };
    const ready = await fetch(`${server.url}/health/ready`, authorized);
    return { http: answer.status, ready: ready.status, status: data.status, disk: data.checks.disk };
  }
  const healthy = { http: 200, ready: 200, status: "healthy", disk: { status: "healthy", message: "" } };
  const degraded = (message: string) => ({
    http: 200,
    ready: 200,
    status: "degraded",
    disk: { status: "degraded", message: expect.stringContaining(message) },
  });
  const create = (code: string) => client.call("POST", "/links", { code, target: "https://example.com/" });

  test("of the data folder reports degraded with advice until there is room", async () => {
    expect(await health()).toEqual(healthy);
    fill(dataDisk);
    expect(await health()).toEqual(degraded(`The disk of ${join(dataDisk, "waymark")} is full`));
    empty(dataDisk);
    await soon(async () => expect(await health()).toEqual(healthy));
  });

  test("refuses uploads with 507 in words until there is room", async () => {
    fill(dataDisk);
    const upload = () => driveClient(server.url, client.token).upload("a file", "some bytes");
    const { status, body } = await upload();
    expect([status, body.error]).toEqual([507, "InsufficientStorage"]);
    expect(body.message).toContain("The storage is full");
    empty(dataDisk);
    expect((await upload()).status).toBe(201);
  });

  test("of the database reports degraded with advice until there is room", async () => {
    expect((await create("known")).status).toBe(201);
    fill(databaseDisk);
    const refused = await create("refused");
    expect([refused.status, refused.body.error]).toEqual([507, "InsufficientStorage"]);
    expect(refused.body.message).toContain("The disk of the database is full");
    const visit = await fetch(`${server.url}/known`, { redirect: "manual" });
    expect([visit.status, visit.headers.get("location")]).toEqual([307, "https://example.com/"]);
    expect(await health()).toEqual(degraded("Make room"));
    empty(databaseDisk);
    expect((await create("taken")).status).toBe(201);
    await soon(async () => expect(await health()).toEqual(healthy));
  });

  test("is reported before it is full", async () => {
    fill(databaseDisk, 64);
    expect(await health()).toEqual(degraded(`MiB are free in ${databaseDisk}. Make room`));
    expect((await create("still-taken")).status).toBe(201);
    empty(databaseDisk);
  });
});

describe.skipIf(!isMounted)("on a full disk with everything", () => {
  let installation: Installation;
  let server: RunningWaymark;
  let client: Client;
  beforeAll(async () => {
    ({ installation, server, client } = await startSignedIn({
      WAYMARK__DATA__DIR: join(onlyDisk, "waymark"),
    }));
    await client.call("PUT", "/config/click.flush_interval", { value: "1" });
  });
  afterAll(() => installation.remove());
  const target = `https://example.com/${"a".repeat(8_000)}`;
  const create = (code: string) => client.call("POST", "/links", { code, target });
  /** What was allocated before takes some. */
  async function createUntilRefused() {
    for (let at = 0; ; at++) {
      const { status, body } = await create(`more-${Date.now()}-${at}`);
      if (status === 201) continue;
      expect([status, body.error]).toEqual([507, "InsufficientStorage"]);
      return;
    }
  }
  const count = async (code: string) => (await client.call("GET", `/links/${code}`)).body.data.click_count;
  const names = Array.from({ length: 20 }, (_, at) => `entry-${at}`);

  /** Signs in and out, visits, removes links and files, and is refused what adds, `rounds` times. */
  async function work(rounds: readonly string[], fileOf: (name: string) => number) {
    const drive = driveClient(server.url, client.token);
    const session = await signIn(server.url);
    expect((await session.call("POST", "/auth/logout")).status).toBe(200);
    for (const name of rounds) {
      expect((await fetch(`${server.url}/visited`, { redirect: "manual" })).status).toBe(307);
      expect((await create(`new-${name}`)).status).toBe(507);
      expect((await drive.upload(`new-${name}`, "more")).status).toBe(507);
      expect((await client.call("DELETE", `/links/${name}`)).status).toBe(200);
      expect((await drive.call("POST", `/files/${fileOf(`kept-${name}`)}/trash`)).status).toBe(200);
      expect((await drive.call("DELETE", `/files/${fileOf(name)}`)).status).toBe(200);
    }
    expect((await drive.call("DELETE", "/trash")).status).toBe(200);
  }

  test("people sign in and out, remove and visit, also after a restart", async () => {
    const drive = driveClient(server.url, client.token);
    const files = new Map<string, number>();
    expect((await create("visited")).status).toBe(201);
    for (const name of names) {
      expect((await create(name)).status).toBe(201);
      for (const file of [name, `kept-${name}`]) {
        const { body } = await drive.upload(file, file);
        files.set(file, body.data.id);
      }
    }
    const fileOf = (name: string) => files.get(name)!;
    fill(onlyDisk);
    await createUntilRefused();
    await work(names.slice(0, 10), fileOf);
    // Another program takes what was freed.
    fill(onlyDisk);
    await work(names.slice(10, 15), fileOf);
    empty(onlyDisk);
    expect((await create("taken")).status).toBe(201);
    expect((await drive.upload("taken", "more")).status).toBe(201);
    await server.stop();
    fill(onlyDisk);
    server = await installation.serve();
    client = await signIn(server.url);
    await work(names.slice(15), fileOf);
    await soon(async () => expect(await count("visited")).toBe(names.length));
  }, 30_000);
});
