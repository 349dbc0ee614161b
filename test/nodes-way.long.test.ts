/** The way from one machine with a folder to two nodes with S3, as docs/nodes.md has it. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startS3Stub } from "../src/files/storage/s3/stub.test-support.ts";
import { createFresh, serverUrl } from "../src/platform/db/fresh.test-support.ts";
import { readBlocks } from "./support/docs-commands.ts";
import { driveClient } from "./support/drive.ts";
import { installWithPassword, signIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import { install, PROGRAM } from "./support/waymark.ts";

const GRACE_MS = 420_000;

test.skipIf(serverUrl("postgres") === undefined)(
  "the whole way, as it stands",
  async () => {
    const [stub, fresh] = [await startS3Stub(), await createFresh("postgres")];
    const bin = mkdtempSync(join(tmpdir(), "waymark-bin-"));
    symlinkSync(PROGRAM, join(bin, "waymark"));
    const first = await installWithPassword();
    const server = await first.serve();
    const second = install({ WAYMARK__DATABASE__URL: fresh.url });
    try {
      const me = driveClient(server.url, (await signIn(server.url)).token);
      for (const name of ["a", "b", "c"])
        expect((await me.upload(name, name.repeat(5_000))).status).toBe(201);
      const found = readBlocks("docs/nodes.md").filter(({ said }) => said?.kind === "not run");
      const blocks = found.map(({ text }) =>
        text
          .replace("postgres://waymark:secret@db.internal/waymark", fresh.url)
          .replace("AKIA…", "key")
          .replace("https://s3.internal", `http://127.0.0.1:${stub.port}`)
          .replaceAll("http://127.0.0.1:8080", server.url),
      );
      expect(blocks).toHaveLength(5);
      const shell = async (block: string): Promise<string> => {
        const { exitCode, stdout, stderr } = await first.shell(`set -e; PATH=${bin}:$PATH; ${block}`);
        expect({ block, exitCode, stderr }).toMatchObject({ exitCode: 0 });
        return stdout;
      };
      await shell(blocks[0]!);
      // The former database takes no writes.
      await until(async () => (await me.call("POST", "/folders", { name: "moved" })).status === 201);
      expect(await shell(`echo secret > s3.key\n${blocks[1]!}`)).toContain("'bucket' was added");
      expect(await shell(blocks[2]!)).toContain("3 objects (14.6 KiB) moved.");
      for (const id of [1, 2, 3]) expect((await me.send(`/files/${id}/download`)).status).toBe(200);
      const ends = performance.now() + GRACE_MS;
      while (!(await shell("waymark storage list")).includes("done")) {
        expect(performance.now()).toBeLessThan(ends);
        await Bun.sleep(5_000);
      }
      expect(await shell(blocks[3]!)).toContain("Policy deleted");
      const key = (await shell(blocks[4]!)).trim();
      expect(key).toBe(readFileSync(join(first.dataDir, "secret.key"), "utf8").trim());
      const other = await second.serve({ WAYMARK__STORAGE__SECRET_KEY: key });
      const there = driveClient(other.url, (await signIn(other.url)).token);
      for (const id of [1, 2, 3]) expect((await there.send(`/files/${id}/download`)).status).toBe(200);
      const doctor = await second.cli(["doctor", "--storage"], undefined, {
        WAYMARK__STORAGE__SECRET_KEY: key,
      });
      expect(doctor.stdout).not.toContain("FAILURE");
    } finally {
      await first.remove();
      await second.remove();
      stub.close();
      rmSync(bin, { recursive: true, force: true });
      await fresh.drop();
    }
  },
  GRACE_MS + 200_000,
);
