/** What deploy/ has beside the proxies: units, backups by timer, log rotation, Prometheus. By the tools that read them. */
import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./support/proxies.ts";
import { soon, until } from "./support/until.ts";
import { install, PROGRAM } from "./support/waymark.ts";

const ROOT = join(import.meta.dir, "..");
const DEPLOY = join(ROOT, "deploy");
const folder = mkdtempSync(join(tmpdir(), "waymark-deploy-"));
const installation = install();
afterAll(async () => {
  await installation.remove();
  rmSync(folder, { recursive: true, force: true });
});

const textOf = (name: string): string => readFileSync(join(DEPLOY, name), "utf8");
/** Runs a program to its end. */
const run = (command: string[], env: Record<string, string> = {}) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { env: { ...process.env, ...env } });
  return { exitCode, output: stdout.toString() + stderr.toString() };
};
const withTool = (tool: string, name: string, body: () => Promise<void> | void) =>
  Bun.which(tool) === null ? test.skip(`${name} (needs ${tool})`, body) : test(name, body);

withTool("systemd-analyze", "systemd accepts the units, and finds the services closed", () => {
  const units = readdirSync(join(DEPLOY, "systemd"));
  for (const name of ["waymark", "waymark-backup"]) writeFileSync(join(folder, name), "#!/bin/sh\n");
  for (const name of units) {
    const unit = textOf(`systemd/${name}`).replaceAll("/usr/local/bin/", `${folder}/`);
    writeFileSync(join(folder, name), unit);
  }
  for (const name of ["waymark", "waymark-backup"]) chmodSync(join(folder, name), 0o755);
  const files = units.map((name) => join(folder, name));
  expect(run(["systemd-analyze", "verify", "--man=no", ...files])).toEqual({ exitCode: 0, output: "" });
  for (const unit of units.filter((name) => name.endsWith(".service"))) {
    const security = ["systemd-analyze", "security", "--offline=yes", "--threshold=20", "--no-pager"];
    const judged = run([...security, join(folder, unit)]);
    expect([unit, judged.exitCode, judged.output.split("\n").at(-2)]).toEqual([
      unit,
      0,
      expect.stringContaining("OK"),
    ]);
  }
});

/** What closes a unit, with its values. A mask of files may be narrower, and a oneshot unit may write where the server does. */
const HARDENING =
  /^((?:NoNewPrivileges|Protect\w+|Private\w+|Restrict\w+|LockPersonality|CapabilityBoundingSet|AmbientCapabilities|SystemCall\w+)=.*)$/gm;

test("all units are as closed as the server's", () => {
  // The server's process for pictures closes itself further; a command starts none.
  const closedBy = (name: string) =>
    (textOf(`systemd/${name}`).match(HARDENING) ?? []).map((line) =>
      line.replace(/^(SystemCallFilter=.*) seccomp$/, "$1"),
    );
  const expected = closedBy("waymark.service");
  expect(expected.length).toBeGreaterThan(18);
  const services = readdirSync(join(DEPLOY, "systemd")).filter((name) => name.endsWith(".service"));
  expect(services.length).toBeGreaterThan(2);
  for (const name of services) {
    expect([name, closedBy(name)]).toEqual([name, expected]);
    expect([name, /^UMask=00[27]7$/m.test(textOf(`systemd/${name}`))]).toEqual([name, true]);
    expect([name, /^User=waymark$/m.test(textOf(`systemd/${name}`))]).toEqual([name, true]);
  }
});

test("the backup keeps the newest of each of the last days and weeks, and nothing of a failed run", async () => {
  await installation.run(["links", "add", "https://example.com/", "--code", "kept"]);
  const backups = join(folder, "backups");
  const settings = {
    WAYMARK_PROGRAM: PROGRAM,
    WAYMARK_BACKUPS: backups,
    WAYMARK_KEEP_DAYS: "3",
    WAYMARK_KEEP_WEEKS: "2",
    WAYMARK__DATA__DIR: installation.dataDir,
  };
  const script = join(DEPLOY, "backup/waymark-backup");
  expect(run([script], settings)).toMatchObject({ exitCode: 0 });
  const first = readdirSync(backups).find((name) => !name.startsWith("."));
  expect(first).toMatch(/^\d{4}-\d\d-\d\dT\d{6}$/);
  // Mondays are 2026-01-05 and 2026-01-12.
  const older = ["12T030000", "11T030000", "08T230000", "08T030000", "07T030000", "04T030000"];
  for (const day of older)
    cpSync(join(backups, first!), join(backups, `2026-01-${day}`), { recursive: true });
  mkdirSync(join(backups, "2026-01-01T030000"));
  mkdirSync(join(backups, ".new"));
  writeFileSync(join(backups, "notes"), "");
  expect(run([script], { ...settings, WAYMARK_DUMP: "echo a dump" })).toMatchObject({ exitCode: 0 });
  const kept = readdirSync(backups).toSorted();
  const newest = kept.findLast((name) => name.startsWith("2"))!;
  expect(newest > first!).toBe(true);
  expect(readFileSync(join(backups, newest, "database.dump"), "utf8")).toBe("a dump\n");
  // The third day is the 11th; the second week is that of the 12th. A folder that is no backup stays.
  expect(kept).toEqual([
    ".lock",
    "2026-01-01T030000",
    "2026-01-11T030000",
    "2026-01-12T030000",
    newest,
    "notes",
  ]);

  expect(run([script], { ...settings, WAYMARK_DUMP: "echo half; false" }).exitCode).toBe(1);
  expect(
    readdirSync(backups)
      .filter((name) => !name.startsWith("."))
      .toSorted(),
  ).toEqual(kept.slice(1));
  const other = install();
  await other.run(["restore", join(backups, newest)]);
  expect(await other.run(["links", "get", "kept"])).toContain("https://example.com/");
  await other.remove();
});

withTool("logrotate", "logrotate takes the log away, and the server goes on in a new one", async () => {
  const logs = join(folder, "logs");
  const log = join(logs, "waymark.log");
  mkdirSync(logs, { mode: 0o750 });
  const port = await freePort();
  const server = Bun.spawn([PROGRAM, "serve"], {
    env: {
      ...process.env,
      WAYMARK__DATA__DIR: installation.dataDir,
      WAYMARK__SERVER__PORT: String(port),
      WAYMARK__SERVER__WORKERS: "2",
      WAYMARK__LOGGING__FILE: log,
      WAYMARK__LOGGING__FORMAT: "json",
      WAYMARK__LOGGING__ACCESS_SAMPLE: "1",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    const visit = (path: string) => fetch(`http://127.0.0.1:${port}/${path}`, { redirect: "manual" });
    await soon(async () => expect((await visit("kept")).status).toBe(307));
    const text = textOf("logrotate/waymark")
      .replaceAll("/var/log/waymark", logs)
      .replace("systemctl reload waymark.service", `kill -HUP ${server.pid}`)
      .replaceAll(
        "waymark waymark",
        `${run(["id", "-un"]).output.trim()} ${run(["id", "-gn"]).output.trim()}`,
      );
    const file = join(folder, "logrotate.conf");
    writeFileSync(file, text, { mode: 0o644 });
    const rotated = run(["logrotate", "--force", "--state", join(folder, "state"), file]);
    expect(rotated).toEqual({ exitCode: 0, output: "" });
    expect(readdirSync(logs).toSorted()).toEqual(["waymark.log", "waymark.log.1"]);
    await until(async () => {
      await visit("after-rotation");
      return readFileSync(log, "utf8").includes('"path":"/after-rotation"');
    });
    expect(readFileSync(`${log}.1`, "utf8")).toContain('"path":"/kept"');
  } finally {
    server.kill();
    await server.exited;
  }
});
