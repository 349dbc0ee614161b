/** Backup, restore and doctor with the real program. */
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isLong } from "../../src/platform/db/fresh.test-support.ts";
import { driveClient } from "../support/drive.ts";
import { PASSWORD, signIn, startSignedIn } from "../support/session.ts";
import { type Installation, install } from "../support/waymark.ts";

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
  test("a backup made during writes restores to a complete installation", async () => {
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

  test("a folder that is not a backup is refused and changes nothing", async () => {
    const fresh = keep(install());
    const result = await fresh.cli(["restore", "/tmp"]);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain("not a complete, readable backup");
    expect(existsSync(join(fresh.dataDir, "waymark.db"))).toBe(false);
  });
});

const PROGRAM = join(import.meta.dir, "../..", "bin", "waymark");

test("no backup is made while the content of one file is missing", async () => {
  const { installation, server, client } = await startSignedIn();
  keep(installation);
  const drive = driveClient(server.url, client.token);
  expect(await drive.upload("lost.bin", new Uint8Array(5000).fill(1))).toMatchObject({ status: 201 });
  const folder = join(installation.dataDir, "files");
  const stored = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(folder, name)).size === 5000,
  );
  expect(stored).toHaveLength(1);
  rmSync(join(folder, stored[0]!));
  const target = join(installation.dataDir, "..", `backup-${crypto.randomUUID()}`);
  const made = await installation.cli(["backup", target]);
  expect(made.exitCode).not.toBe(0);
  expect(made.stderr).toContain("the content of 1 stored object is missing");
});

test("a backup may have more files than a process may open", async () => {
  const { dataDir, cli } = keep(install());
  await cli(["migrate", "up"]);
  mkdirSync(join(dataDir, "files"));
  for (let number = 0; number < 600; number++)
    writeFileSync(join(dataDir, "files", `${number}`), `${number}`);
  const limited = ["sh", "-c", 'ulimit -n 200 && exec "$@"', "sh", PROGRAM, "backup", "made"];
  const made = Bun.spawnSync(limited, { env: { ...process.env, WAYMARK__DATA__DIR: dataDir }, cwd: dataDir });
  expect(made.stderr.toString()).toBe("");
  expect(made.exitCode).toBe(0);
});

test("backup, restore and the doctor of the storage show progress on a terminal", async () => {
  const { dataDir, cli } = keep(install());
  await cli(["migrate", "up"]);
  const [key, another] = ["0".repeat(64), "1".repeat(64)];
  writeFileSync(join(dataDir, "secret.key"), key);
  const onTerminal = async (...args: string[]): Promise<string> => {
    let screen = "";
    const child = Bun.spawn([PROGRAM, ...args], {
      env: { ...process.env, WAYMARK__DATA__DIR: dataDir },
      cwd: dataDir,
      terminal: { data: (_terminal, bytes) => void (screen += new TextDecoder().decode(bytes)) },
    });
    expect(await child.exited).toBe(0);
    child.terminal?.close();
    return screen;
  };
  expect(await onTerminal("backup", "made")).toMatch(/files copied: 1.*files read back: 1 of 2 \(50 %\)/s);
  writeFileSync(join(dataDir, "secret.key"), another);
  expect(await onTerminal("restore", "made", "--replace")).toMatch(
    /Checking the backup, bytes: .* of .*Comparing .*, bytes: 64 of .*Copying, bytes: 64 of .*files put in place: 1 of 1 \(100 %\)/s,
  );
  expect(await onTerminal("doctor", "--storage")).toMatch(
    /Checking folders: 0.*Checking what files refer to: 0.*ok +storage: every file has its content/s,
  );
});

const OLD_KEY = "a".repeat(64);

describe("a restore in place", () => {
  const RULES = { restored: "https://example.com/restored", later: "https://example.com/later" };
  const add = (to: Installation, code: keyof typeof RULES) =>
    to.cli(["links", "add", RULES[code], "--code", code]);
  const codes = async (of: Installation): Promise<string[]> => {
    const { exitCode, stdout, stderr } = await of.cli(["links", "list", "--json"]);
    if (exitCode !== 0) throw new Error(stderr);
    return [...stdout.matchAll(/"code": ?"(\w+)"/g)].map((match) => match[1]!).sort();
  };

  /** An installation that changed after the backup in its data folder: another link, file and key. */
  async function changedSinceBackup(): Promise<{ installation: Installation; backup: string }> {
    const installation = keep(install());
    const backup = join(installation.dataDir, "backups", "first");
    await add(installation, "restored");
    writeFileSync(join(installation.dataDir, "secret.key"), OLD_KEY);
    expect(await installation.cli(["backup", backup])).toMatchObject({ exitCode: 0 });
    await add(installation, "later");
    writeFileSync(join(installation.dataDir, "secret.key"), "b".repeat(64));
    writeFileSync(join(installation.dataDir, "notes.txt"), "mine");
    return { installation, backup };
  }

  test("replaces existing files only with --replace, and keeps others", async () => {
    const { installation, backup } = await changedSinceBackup();
    const refused = await installation.cli(["restore", backup]);
    expect(refused).toMatchObject({ exitCode: 4 });
    expect(refused.stderr).toContain("--replace");
    expect(await codes(installation)).toEqual(["later", "restored"]);
    expect(await installation.cli(["restore", backup, "--replace"])).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    expect(await codes(installation)).toEqual(["restored"]);
    expect(readFileSync(join(installation.dataDir, "secret.key"), "utf8")).toBe(OLD_KEY);
    expect(readFileSync(join(installation.dataDir, "notes.txt"), "utf8")).toBe("mine");
    expect(statSync(join(installation.dataDir, "waymark.db")).mode & 0o777).toBe(0o600);
    expect(readdirSync(installation.dataDir).filter((name) => /restor|replaced/.test(name))).toEqual([]);
  });

  test("killed before its plan is written, it changes nothing, and the next start removes the rest", async () => {
    const { installation, backup } = await changedSinceBackup();
    killed(installation, backup, "restore.before-plan");
    expect(existsSync(join(installation.dataDir, ".restore", "waymark.db"))).toBe(true);
    expect(await codes(installation)).toEqual(["later", "restored"]);
    expect(existsSync(join(installation.dataDir, ".restore"))).toBe(false);
  });

  const others = isLong ? ["set-aside", "set-aside:2", "set-aside:4", "move"] : [];
  test.each([...others, "move:2", "in-place"])(
    "killed later (%s), it prints the next step, and the same command finishes it",
    async (point) => {
      const { installation, backup } = await changedSinceBackup();
      killed(installation, backup, `restore.${point}`);
      const start = await installation.cli(["serve"]);
      expect(start).toMatchObject({ exitCode: 4 });
      expect(start.stderr).toMatch(/^waymark: .*was interrupted.*\/waymark restore \S+backups\/first\n$/);
      expect((await doctor(installation)).findings[0]).toMatchObject({ verdict: "failure" });
      // The restore continues from the data folder.
      rmSync(join(backup, "waymark.db"));
      expect((await installation.cli(["restore", backup])).stderr).toContain("damaged");
      expect(await codes(installation)).toEqual(["restored"]);
      expect(readFileSync(join(installation.dataDir, "secret.key"), "utf8")).toBe(OLD_KEY);
      expect(existsSync(join(installation.dataDir, ".restore"))).toBe(false);
    },
  );

  function restore({ dataDir }: Installation, backup: string, settings: Record<string, string>) {
    const env = { ...process.env, WAYMARK__DATA__DIR: dataDir, ...settings };
    return Bun.spawnSync([PROGRAM, "restore", backup, "--replace"], { env, cwd: dataDir });
  }

  function killed(installation: Installation, backup: string, point: string): void {
    expect(restore(installation, backup, { WAYMARK_FAULT: point }).signalCode).toBe("SIGKILL");
  }

  test("writes nothing outside the data folder", async () => {
    const { installation, backup } = await changedSinceBackup();
    // /proc/self/cwd is a path to the folder whose parent is not writable, even for root.
    const inside = join("/proc", "self", "cwd");
    const restored = restore(installation, backup, { WAYMARK__DATA__DIR: inside });
    expect(restored.stderr.toString()).toBe("");
    expect(restored.exitCode).toBe(0);
    expect(await codes(installation)).toEqual(["restored"]);
  });

  test("a backup in the data folder excludes itself and other backups, complete or not", async () => {
    const { installation } = await changedSinceBackup();
    mkdirSync(join(installation.dataDir, "broken"));
    writeFileSync(join(installation.dataDir, "broken", "manifest.json.tmp"), "");
    writeFileSync(join(installation.dataDir, "broken", "waymark.db"), "half");
    const made = await installation.cli(["backup", join(installation.dataDir, "second"), "--json"]);
    const paths = JSON.parse(made.stdout).files.map(({ path }: { path: string }) => path);
    expect(paths.sort()).toEqual(["files/notes.txt", "files/secret.key", "waymark.db"]);
    expect((await installation.cli(["backup", installation.dataDir])).exitCode).toBe(2);
  });
});

describe("doctor", () => {
  test("finds no failure in a new installation, and advises on settings", async () => {
    const { installation, server } = await startSignedIn();
    keep(installation);
    const { exitCode, findings } = await doctor(installation);
    expect(exitCode).toBe(0);
    expect(findings.filter(({ verdict }) => verdict === "failure")).toEqual([]);
    expect(new Set(findings.map(({ part }) => part))).toEqual(
      new Set([
        "data folder",
        "database",
        "schema",
        "secret key",
        "clock",
        "click journal",
        "click records",
        "click details",
        "storage policies",
        "cache",
        "clickhouse",
        "mail",
        "certificates",
        "proxies",
        "settings",
      ]),
    );
    expect(
      findings.find(({ message }) => message === "no health token is set for monitors")?.advice,
    ).toContain("api.health_token");
    expect(findings.find(({ part }) => part === "click journal")?.message).toContain("1 server process runs");
    await server.stop();
  });

  test("names the quarantine of the click journal and counts what is in it", async () => {
    const { installation, server, client } = await startSignedIn();
    keep(installation);
    await client.call("POST", "/links", { code: "visited", target: "https://example.com/" });
    for (let visit = 0; visit < 3; visit++) await fetch(`${server.url}/visited`, { redirect: "manual" });
    await server.kill();
    const journal = join(installation.dataDir, "journal");
    const aside = join(journal, "quarantine");
    mkdirSync(aside, { recursive: true });
    for (const [at, path] of [...new Bun.Glob("*/*.seg").scanSync(journal)].entries())
      cpSync(join(journal, path), join(aside, `0-${at}.seg`));
    const all = readdirSync(aside).length + 1;
    writeFileSync(join(aside, "foreign.seg"), "no journal");
    const { findings } = await doctor(installation);
    expect(findings).toContainEqual({
      part: "click journal",
      verdict: "warning",
      message: `${all} journals were set aside in ${aside} with 3 clicks that are not counted, and 1 of them can't be read`,
      advice: expect.stringContaining("The log says why"),
    });
  });

  test("reports an unreachable database, pending migrations and an open folder", async () => {
    const away = keep(install({ WAYMARK__DATABASE__URL: "postgres://nobody@127.0.0.1:1/none" }));
    const report = await doctor(away);
    expect(report.exitCode).toBe(1);
    expect(report.findings.find(({ part }) => part === "database")?.verdict).toBe("failure");

    const lonely = keep(
      install({
        WAYMARK__CACHE__TYPE: "redis",
        WAYMARK__CACHE__REDIS_URL: "redis://user:secret@127.0.0.1:1",
        WAYMARK__CLICKHOUSE__URL: "http://user:secret@127.0.0.1:1/clicks",
      }),
    );
    await lonely.cli(["migrate", "up"]);
    const cache = await lonely.cli(["doctor"]);
    expect(cache.exitCode).toBe(1);
    expect(cache.stdout).toContain("cache.redis_url");
    expect(cache.stdout).toMatch(/FAILURE +clickhouse: .*clickhouse.url.*\n.*0 clicks wait/);
    expect(cache.stdout + cache.stderr).not.toContain(":secret@");

    const behind = keep(install());
    writeFileSync(join(behind.dataDir, "waymark.db"), "");
    chmodSync(behind.dataDir, 0o755);
    const { exitCode, findings } = await doctor(behind);
    expect(exitCode).toBe(0);
    expect(
      findings.find(({ message }) => message.includes("steps of the schema are pending"))?.advice,
    ).toContain("migrate up");
    expect(findings.some(({ advice }) => advice.startsWith("chmod 750"))).toBe(true);
  });

  test("reports a damaged database file, as do commands that read it", async () => {
    const made = keep(install());
    await made.cli(["links", "add", "https://example.com/"]);
    const path = join(made.dataDir, "waymark.db");
    const links = linksPage(path);
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(4096, 0xaa), 0, 4096, links);
    closeSync(file);
    const { exitCode, findings } = await doctor(made);
    expect(exitCode).toBe(1);
    const { part, message, advice } = findings.find(({ verdict }) => verdict === "failure")!;
    expect(part).toBe("database");
    expect(message).toContain("damaged");
    expect(advice).toContain("restore DIR --replace");
    const list = await made.cli(["links", "list"]);
    expect([list.exitCode, list.stderr]).toEqual([
      5,
      expect.stringContaining("Run the command doctor on the server"),
    ]);
  });

  test("warns of details of clicks that were dropped in the last days", async () => {
    const made = keep(install());
    await made.cli(["migrate", "up"]);
    const details = async () => (await doctor(made)).findings.filter(({ part }) => part === "click details");
    expect(await details()).toMatchObject([{ verdict: "ok" }]);
    const db = new Database(join(made.dataDir, "waymark.db"));
    const today = Math.floor(Date.now() / 86_400_000);
    for (const [day, reason, clicks] of [
      [today, "full", 1_200],
      [today - 40, "full", 9],
      [today, "sampled_out", 5],
      [today - 1, "stopped", 1],
    ] as const)
      db.run("insert into detail_drops (day, reason, clicks) values (?, ?, ?)", [day, reason, clicks]);
    db.close();
    expect(await details()).toMatchObject([
      {
        verdict: "warning",
        message: expect.stringContaining("the details of 1,200 clicks of the last 7 days"),
      },
      { verdict: "warning", message: expect.stringContaining("the details of 1 click of the last 7 days") },
    ]);
  });

  test("warns of many click records without a bound on their number", async () => {
    const made = keep(install());
    await made.cli(["migrate", "up"]);
    const records = async () => (await doctor(made)).findings.filter(({ part }) => part === "click records");
    expect(await records()).toMatchObject([{ verdict: "ok" }]);
    const db = new Database(join(made.dataDir, "waymark.db"));
    for (const id of [1, 10_000_000]) {
      db.run("insert into click_log (id, link_id, clicked_at, source) values (?, 1, 1, 'direct')", [id]);
    }
    db.close();
    expect(await records()).toMatchObject([
      { verdict: "warning", advice: expect.stringContaining("analytics.max_log_rows 10000000") },
    ]);
    await made.cli(["config", "set", "analytics.max_log_rows", "10000000"]);
    expect(await records()).toMatchObject([{ verdict: "ok" }]);
  });
});

/** The offset of the page of the table `links` in the file. */
function linksPage(path: string): number {
  const db = new Database(path, { readonly: true });
  const { rootpage } = db.query("select rootpage from sqlite_schema where name = 'links'").get() as {
    rootpage: number;
  };
  db.close();
  return (rootpage - 1) * 4096;
}
