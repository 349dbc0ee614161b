/** The commands of docs/upgrade.md, as they stand: an upgrade that fails, one that succeeds, and the way back. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createFresh,
  type DialectName,
  type Fresh,
  serverUrl,
} from "../src/platform/db/fresh.test-support.ts";
import { hasPostgresPrograms } from "./support/database-dump.ts";
import { driveClient } from "./support/drive.ts";
import { freePort } from "./support/proxies.ts";
import { type Client, PASSWORD, signIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import { install, type Installation, PROGRAM, type RunningWaymark } from "./support/waymark.ts";

const ROOT = join(import.meta.dir, "..");
const NEXT_VERSION = join(import.meta.dir, "support", "next-version");
const PAGE = readFileSync(join(ROOT, "docs", "upgrade.md"), "utf8");
const OF_POSTGRES = /\b(pg_dump|pg_restore|psql)\b/;

/** The blocks of commands below a heading, in order. */
function commandsOf(heading: string, name: DialectName): string[] {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`))!;
  const blocks = [...section.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, block]) => block!);
  return blocks.filter((block) => name === "postgres" || !OF_POSTGRES.test(block));
}

function tell(name: DialectName): void {
  let fresh: Fresh;
  let old: Installation;
  let next: Installation;
  let server: RunningWaymark;
  let client: Client;
  let fileId: number;

  beforeAll(async () => {
    fresh = await createFresh(name);
    const settings = {
      WAYMARK__SERVER__PORT: String(await freePort()),
      ...(name !== "sqlite" && { WAYMARK__DATABASE__URL: fresh.url }),
    };
    old = install({ ...settings, DATABASE_URL: fresh.url });
    next = install({ ...settings, WAYMARK__DATA__DIR: old.dataDir }, NEXT_VERSION);
    const bin = join(old.dataDir, "programs");
    mkdirSync(bin);
    mkdirSync(join(old.dataDir, "bin"));
    for (const tool of ["pg_dump", "pg_restore", "psql"])
      writeFileSync(
        join(bin, tool),
        `#!/bin/sh\nexec ${join(ROOT, "scripts", "services")} exec ${tool} "$@"\n`,
        { mode: 0o755 },
      );
    await old.run(["reset-password", "--stdin"], PASSWORD);
    await serve(old);
  });
  afterAll(async () => {
    await next?.remove();
    await old?.remove();
    await fresh?.drop();
  });

  async function serve(of: Installation): Promise<void> {
    server = await of.serve();
    client = await signIn(server.url);
  }
  const put = (program: string) =>
    writeFileSync(join(old.dataDir, "bin", "waymark"), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
  /** Runs the blocks as a shell does that stops at the first failure. */
  const type = async (heading: string, blocks = commandsOf(heading, name)) => {
    expect(blocks).not.toEqual([]);
    for (const block of blocks) {
      const done = await old.shell(`PATH="$PWD/programs:$PATH"; set -e\n${block}`);
      expect(done).toMatchObject({ exitCode: 0 });
    }
  };
  const make = async (code: string) =>
    expect((await client.call("POST", "/links", { code, target: "https://example.com/" })).status).toBe(201);
  const statusOf = async (code: string) =>
    (await fetch(`${server.url}/${code}`, { redirect: "manual" })).status;

  test("before, with a backup while the server runs", async () => {
    put(PROGRAM);
    await make("before");
    const me = driveClient(server.url, client.token);
    fileId = (await me.upload("kept.txt", "kept")).body.data.id;
    await type("Before");
    await make("after");
  });

  test("a failed step changes nothing for the old version", async () => {
    put(NEXT_VERSION);
    const failed = await next.cli(["migrate", "up"], undefined, { WAYMARK_TEST_NEXT: "fail" });
    expect(failed.exitCode).not.toBe(0);
    expect(await statusOf("after")).toBe(307);
    await server.stop();
    await serve(old);
    expect(await statusOf("after")).toBe(307);
  });

  test("one node is upgraded, and it shows", async () => {
    await type("One node");
    await server.stop();
    await serve(next);
    await type("How to see that it worked");
    expect([await statusOf("before"), await statusOf("after")]).toEqual([307, 307]);
    await make("newer");
  });

  test("the backup leads back, and exported links come again", async () => {
    const [keep, ...restore] = commandsOf("Going back", name);
    await type("Going back", [keep!]);
    await server.stop();
    put(PROGRAM);
    expect((await old.cli(["migrate", "status"])).stderr).toContain("newer version");
    await type("Going back", restore);
    await serve(old);
    expect(await Promise.all(["before", "after", "newer"].map(statusOf))).toEqual([307, 404, 404]);
    const file = await driveClient(server.url, client.token).send(`/files/${fileId}/download`);
    expect(await file.text()).toBe("kept");
    await old.run(["links", "import", join(old.dataDir, "newer.csv")]);
    // The command is another process: the server hears of its change by the feed.
    for (const code of ["before", "after", "newer"]) await until(async () => (await statusOf(code)) === 307);
  });
}

for (const name of ["sqlite", "postgres"] as const) {
  const isMissing = name === "postgres" && (serverUrl(name) === undefined || !hasPostgresPrograms());
  describe.skipIf(isMissing)(`an upgrade and the way back with ${name}`, () => tell(name));
}
