/** A dump of PostgreSQL with its own programs beside a backup of the files, as docs/containers.md says. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import {
  createFresh,
  type Fresh,
  SERVER_VARIABLES,
  serverUrl,
} from "../src/platform/db/fresh.test-support.ts";
import { hasPostgresPrograms, postgresProgram, withDatabase } from "./support/database-dump.ts";
import { driveClient } from "./support/drive.ts";
import { signIn, startSignedIn } from "./support/session.ts";
import { type Installation, install } from "./support/waymark.ts";

const isMissing = serverUrl("postgres") === undefined || !hasPostgresPrograms();

describe.skipIf(isMissing)(`pg_dump and pg_restore (${SERVER_VARIABLES.postgres})`, () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-dumps-"));
  const installations: Installation[] = [];
  let fresh: Fresh | undefined;
  afterAll(async () => {
    await Promise.all(installations.map((made) => made.remove()));
    await fresh?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("what was deleted for good between dump and backup goes to the trash, the rest is whole", async () => {
    const [dump, backup] = [join(folder, "dump"), join(folder, "backup")];
    fresh = await createFresh("postgres");
    const settings = { WAYMARK__DATABASE__URL: fresh.url };
    const { installation, server, client } = await startSignedIn(settings);
    installations.push(installation);
    const me = driveClient(server.url, client.token);
    const ids: number[] = [];
    const upload = async (name: string) =>
      void ids.push((await me.upload(name, `content of ${name}`)).body.data.id);
    for (const name of ["kept", "also kept", "deleted"]) await upload(name);
    postgresProgram("pg_dump", "--format=custom", `--file=${dump}`, fresh.url);
    await upload("later");
    expect((await me.call("DELETE", `/files/${ids[2]}`)).status).toBe(200);
    await installation.run(["backup", backup]);
    await server.stop();

    await withDatabase(fresh.url, ({ write }) =>
      sql.raw("drop schema public cascade; create schema public").execute(write),
    );
    postgresProgram("pg_restore", `--dbname=${fresh.url}`, dump);
    const restored = install(settings);
    installations.push(restored);
    await restored.run(["restore", backup]);
    const mended = await restored.cli(["doctor", "--storage", "--fix"]);
    expect(mended.stdout).toContain("The content of '/deleted'");
    expect(mended.stdout.match(/The content of/g)).toHaveLength(1);
    expect(await restored.cli(["doctor", "--storage"])).toMatchObject({ exitCode: 0 });

    const again = await restored.serve();
    const drive = driveClient(again.url, (await signIn(again.url)).token);
    const found: [status: number, text: string][] = [];
    for (const id of ids) {
      const answer = await drive.send(`/files/${id}/download`);
      found.push([answer.status, answer.ok ? await answer.text() : ""]);
    }
    expect(found).toEqual([
      [200, "content of kept"],
      [200, "content of also kept"],
      [404, ""],
      [404, ""],
    ]);
    await again.stop();
  });
});
