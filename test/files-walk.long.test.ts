/**
 * Versions, files that lie on the server and a copy that was cut off come through backup and restore, a move to another
 * database, and the checks of the storage.
 */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFresh, serverUrl } from "../src/platform/db/fresh.test-support.ts";
import { driveClient } from "./support/drive.ts";
import { PASSWORD, signIn, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import { install, type Installation } from "./support/waymark.ts";

const FOLDERS = 10_000;
const WAIT_MS = 240_000;
/** The job that continues copies comes once a minute. */
const COPY_TRIES = 6000;

const outside = realpathSync(mkdtempSync(join(tmpdir(), "waymark-walk-")));
const backup = join(outside, "backup");
const settings = { WAYMARK__STORAGE__LOCAL_ROOTS: outside };
const installations: Installation[] = [];
let ids: { file: number; version: number; linked: number };

const keep = (made: Installation): Installation => {
  installations.push(made);
  return made;
};

beforeAll(async () => {
  mkdirSync(join(outside, "photos"));
  writeFileSync(join(outside, "photos", "a.txt"), "on the server");
  const { installation, server, client } = await startSignedIn(settings);
  keep(installation);
  const me = driveClient(server.url, client.token);
  const file = (await me.upload("kept.txt", "former")).body.data.id;
  await me.send(`/files/${file}/content`, { method: "PUT", body: "newest" });
  const [version] = (await me.call("GET", `/files/${file}/versions`)).body.data;
  const link = ["files", "link", join(outside, "photos"), "/Photos", "--json"];
  const photos = JSON.parse(await installation.run(link)).id;
  const linked = (await me.call("GET", `/folders/${photos}`)).body.data.files[0].id;
  ids = { file, version: version.id, linked };
  const large = await me.folder("large");
  await me.upload("inside.txt", "copied", { folder: String(large) });
  await cutCopy(installation, large, () => {
    void me.call("POST", `/folders/${large}/copy`, {}).catch(() => {});
    return server.kill;
  });
  await installation.run(["backup", backup]);
}, WAIT_MS);
afterAll(async () => {
  await Promise.all(installations.map((made) => made.remove()));
  rmSync(outside, { recursive: true, force: true });
});

/** Kills the server between two portions of a copy. */
async function cutCopy({ dataDir }: Installation, folder: number, begin: () => () => Promise<void>) {
  const database = new Database(join(dataDir, "waymark.db"));
  database.run("pragma busy_timeout = 10000");
  const insert = database.query(
    `insert into entries (account_id, parent_id, kind, name, size, versions_bytes, created_at, updated_at)
     select account_id, id, 'folder', ?, 0, 0, 0, 0 from entries where id = ?`,
  );
  database.transaction(() => {
    for (let at = 0; at < FOLDERS; at++) insert.run(`${at}`, folder);
  })();
  const kill = begin();
  const copies = () => database.query<{ n: number }, []>("select count(*) n from copies").get()!.n;
  await until(async () => copies() === 1);
  await kill();
  expect(copies()).toBe(1);
  database.close();
}

/** Everything is there, the copy is completed, and no check finds anything. */
async function expectWhole(installation: Installation): Promise<void> {
  const server = await installation.serve();
  const me = driveClient(server.url, (await signIn(server.url, PASSWORD)).token);
  const textOf = async (path: string) => (await me.send(`/files/${path}/download`)).text();
  expect([
    await textOf(`${ids.file}`),
    await textOf(`${ids.file}/versions/${ids.version}`),
    await textOf(`${ids.linked}`),
  ]).toEqual(["newest", "former", "on the server"]);
  let copy: { id: number; name: string } | undefined;
  await until(async () => {
    const { folders } = (await me.call("GET", "/folders")).body.data;
    copy = folders.find(({ name }: { name: string }) => name === "large (2)");
    return copy !== undefined;
  }, COPY_TRIES);
  const { files } = (await me.call("GET", `/folders/${copy!.id}`)).body.data;
  expect(await textOf(`${files[0].id}`)).toBe("copied");
  const usage = (await me.call("GET", "/files/usage")).body.data;
  expect(usage.used_bytes).toBe("newest".length + "former".length + 2 * "copied".length);
  await server.stop();
  const { stdout } = await installation.cli(["doctor", "--storage", "--json"]);
  const findings = JSON.parse(stdout) as { part: string; verdict: string; message: string }[];
  expect(findings.filter(({ part, verdict }) => part === "storage" && verdict !== "ok")).toEqual([]);
}

test(
  "through backup and restore",
  async () => {
    const restored = keep(install(settings));
    await restored.run(["restore", backup]);
    await expectWhole(restored);
  },
  WAIT_MS,
);

test.skipIf(serverUrl("postgres") === undefined)(
  "through a move to another database",
  async () => {
    const fresh = await createFresh("postgres");
    try {
      const restored = keep(install(settings));
      await restored.run(["restore", backup]);
      await restored.run(["move", "--stdin"], fresh.url);
      await expectWhole(restored);
    } finally {
      await Promise.all(installations.splice(0).map((made) => made.remove()));
      await fresh.drop();
    }
  },
  WAIT_MS,
);
