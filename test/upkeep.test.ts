/** Backup, restore and doctor with the real program. */
import { afterAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PASSWORD, signIn, startSignedIn } from "./support/session.ts";
import { type Installation, install } from "./support/waymark.ts";

const installations: Installation[] = [];
const keep = (made: Installation): Installation => {
  installations.push(made);
  return made;
};
afterAll(() => Promise.all(installations.map((made) => made.remove())));

type Finding = { part: string; verdict: string; message: string; advice: string };

async function doctor(of: Installation): Promise<{ exitCode: number; findings: Finding[] }> {
  const { exitCode, stdout } = await of.cli(["doctor", "--json"]);
  return { exitCode, findings: JSON.parse(stdout) };
}

describe("backup and restore", () => {
  test("a backup made under writes restores to a whole installation", async () => {
    const { installation, server, client } = await startSignedIn();
    keep(installation);
    mkdirSync(join(installation.dataDir, "files", "ab"), { recursive: true });
    writeFileSync(join(installation.dataDir, "files", "ab", "blob"), "stored bytes");
    await client.call("POST", "/links", { code: "kept", target: "https://example.com/kept" });
    const enough = new AbortController();
    let written = 0;
    const writing = (async () => {
      while (!enough.signal.aborted)
        await client.call("POST", "/links", { code: `w${written++}`, target: "https://example.com/" });
    })();
    const target = join(installation.dataDir, "..", `backup-${crypto.randomUUID()}`);
    const made = await installation.cli(["backup", target, "--json"]);
    enough.abort();
    await writing;
    expect(made).toMatchObject({ exitCode: 0 });
    const manifest = JSON.parse(made.stdout);
    expect(manifest.files.map((file: { path: string }) => file.path)).toContain("files/files/ab/blob");
    expect(statSync(target).mode & 0o077).toBe(0);
    expect((await installation.cli(["backup", target])).exitCode).toBe(4);
    expect((await installation.cli(["restore", target])).stderr).toContain("stop it first");
    await server.stop();
    expect((await installation.cli(["restore", target])).stderr).toContain("exists");

    const other = keep(install());
    expect(await other.cli(["restore", target])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(other.dataDir, "files", "ab", "blob"), "utf8")).toBe("stored bytes");
    const restored = await other.serve();
    const answer = await fetch(`${restored.url}/kept`, { redirect: "manual" });
    expect(answer.headers.get("location")).toBe("https://example.com/kept");
    const signedIn = await signIn(restored.url, PASSWORD);
    expect((await signedIn.call("GET", "/stats")).body.data.total_links).toBeWithin(1, written + 2);
    await restored.stop();

    appendFileSync(join(target, "files", "files", "ab", "blob"), "!");
    const damaged = await keep(install()).cli(["restore", target]);
    expect(damaged.exitCode).toBe(2);
    expect(damaged.stderr).toContain("files/files/ab/blob");
  });

  test("a folder that is no backup is refused and changes nothing", async () => {
    const fresh = keep(install());
    const result = await fresh.cli(["restore", "/tmp"]);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain("no whole backup");
    expect(existsSync(join(fresh.dataDir, "waymark.db"))).toBe(false);
  });
});

describe("doctor", () => {
  test("finds a fresh installation whole, and names what is left to do", async () => {
    const { installation, server } = await startSignedIn();
    keep(installation);
    const { exitCode, findings } = await doctor(installation);
    expect(exitCode).toBe(0);
    expect(findings.filter(({ verdict }) => verdict === "failure")).toEqual([]);
    expect(new Set(findings.map(({ part }) => part))).toEqual(
      new Set(["data folder", "database", "clock", "click journal", "cache", "settings"]),
    );
    expect(findings.find(({ message }) => message === "monitors have no token")?.advice).toContain(
      "api.health_token",
    );
    expect(findings.find(({ part }) => part === "click journal")?.message).toContain(
      "1 server processes run",
    );
    await server.stop();
  });

  test("says so when the database is away, the schema is behind or the folder is open", async () => {
    const away = keep(install({ WAYMARK__DATABASE__URL: "postgres://nobody@127.0.0.1:1/none" }));
    const report = await doctor(away);
    expect(report.exitCode).toBe(1);
    expect(report.findings.find(({ part }) => part === "database")?.verdict).toBe("failure");

    const lonely = keep(
      install({
        WAYMARK__CACHE__TYPE: "redis",
        WAYMARK__CACHE__REDIS_URL: "redis://user:secret@127.0.0.1:1",
      }),
    );
    await lonely.cli(["migrate", "up"]);
    const cache = await lonely.cli(["doctor"]);
    expect(cache.exitCode).toBe(1);
    expect(cache.stdout).toContain("cache.redis_url");
    expect(cache.stdout + cache.stderr).not.toContain("secret");

    const behind = keep(install());
    chmodSync(behind.dataDir, 0o755);
    const { exitCode, findings } = await doctor(behind);
    expect(exitCode).toBe(0);
    expect(
      findings.find(({ message }) => message.includes("steps of the schema are pending"))?.advice,
    ).toContain("migrate up");
    expect(findings.some(({ advice }) => advice.startsWith("chmod 750"))).toBe(true);
  });
});
