/** A storage that can't be written. Mounts it read-only, which stops root too, so it needs the right to mount. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { driveClient } from "./support/drive.ts";
import { type Client, type Envelope, startSignedIn } from "./support/session.ts";
import { soon } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const root = mkdtempSync(join(tmpdir(), "waymark-unwritable-"));
const run = (...command: string[]): boolean =>
  Bun.spawnSync(command, { stderr: "ignore", stdout: "ignore" }).exitCode === 0;
const mayMount = process.getuid?.() === 0 && run("mount", "--bind", root, root);

afterAll(() => {
  if (mayMount) run("umount", root);
  rmSync(root, { recursive: true, force: true });
});

describe.skipIf(!mayMount)(`a read-only storage${mayMount ? "" : " (this account may not mount)"}`, () => {
  let installation: Installation;
  let server: RunningWaymark;
  let client: Client;
  let files: string;
  beforeAll(async () => {
    ({ installation, server, client } = await startSignedIn({ WAYMARK__DATA__DIR: join(root, "data") }));
    files = join(root, "data", "files");
    expect((await upload()).status).toBe(201);
    run("mount", "--bind", files, files);
  });
  afterAll(async () => {
    run("umount", files);
    await installation.remove();
  });

  const upload = () => driveClient(server.url, client.token).upload(crypto.randomUUID(), crypto.randomUUID());
  const health = async () => {
    const headers = { Authorization: `Bearer ${client.token}` };
    return ((await (await fetch(`${server.url}/health`, { headers })).json()) as Envelope).data;
  };
  const mode = (way: "ro" | "rw") => expect(run("mount", "-o", `remount,bind,${way}`, files)).toBe(true);

  test("is in the answer to an upload, in the health report and in the doctor's, until it is mended", async () => {
    mode("ro");
    const { status, body } = await upload();
    expect([status, body.error]).toEqual([502, "StorageUnavailable"]);
    expect(body.message).toContain("Run 'waymark doctor'");
    expect(body.message).not.toContain(root);
    await soon(async () =>
      expect((await health()).checks.disk).toEqual({
        status: "degraded",
        message: expect.stringContaining("is on a read-only file system; mount it writable"),
      }),
    );
    const sick = await installation.cli(["doctor"]);
    expect(sick.exitCode).toBe(1);
    expect(sick.stdout).toContain("the storage of the policy 'local' takes no files");
    expect(sick.stdout).toContain("read-only file system; mount it writable");
    mode("rw");
    expect((await upload()).status).toBe(201);
    await soon(async () => expect((await health()).status).toBe("healthy"));
    expect(await installation.run(["doctor"])).toContain("in an allowed location and can be written");
  });

  test("is said at the start", async () => {
    await server.stop();
    mode("ro");
    server = await installation.serve();
    await soon(() => expect(server.log()).toContain("The storage 'local' takes no files"));
    mode("rw");
  });
});
