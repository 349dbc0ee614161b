/**
 * Servers of the fault table's own, whose commits survive a SIGKILL: PostgreSQL, MariaDB, MySQL, Redis and S3, with the
 * programs that scripts/services has downloaded. Their data is on a small disk in memory, which can be filled.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { DialectName } from "../../src/platform/db/fresh.test-support.ts";
import { fillDisk } from "./disks.ts";
import { run, runSlowly } from "./row.ts";

const SCRIPT = join(import.meta.dir, "../../scripts/services");
const DISK = "size=2600m";
export type ServerName = "postgres" | "mariadb" | "mysql" | "redis" | "s3";

export type Servers = {
  kill(name: ServerName): Promise<unknown>;
  start(name: ServerName): Promise<unknown>;
  pause(name: ServerName): Promise<unknown>;
  resume(name: ServerName): Promise<unknown>;
  /** Fills the disk that holds all data. */
  fill(): void;
  empty(): void;
  down(): Promise<void>;
};

export const serverOf = (database: DialectName): ServerName => database as ServerName;

/** Sets WAYMARK_TEST_… of this process to the new servers. */
export async function startServers(names: readonly ServerName[], port: number): Promise<Servers> {
  const source = resolve(
    process.env["WAYMARK_SERVICES_DIR"] ?? join(import.meta.dir, "../../.cache/services"),
  );
  const folder = mkdtempSync(join(tmpdir(), "waymark-faults-"));
  const env = {
    WAYMARK_SERVICES_DIR: folder,
    WAYMARK_SERVICES_PORT: String(port),
    WAYMARK_SERVICES_SURVIVE_KILLS: "1",
  };
  const control = (...args: string[]) => runSlowly([SCRIPT, ...args], env);
  const disks = [join(folder, "data")];
  mkdirSync(join(folder, "run"));
  if (existsSync(join(source, "packages"))) {
    run(["cp", "-al", join(source, "packages"), folder]);
    run(["sh", "-c", 'cp "$1"/run/*.packages "$2"/run', "sh", source, folder]);
  }
  if (names.includes("mysql") && existsSync(join(source, "mysql"))) {
    run([
      "sh",
      "-c",
      'mkdir "$2/mysql" && cd "$1/mysql" && cp -al $(ls -A | grep -v "^srv$") "$2/mysql"',
      "sh",
      source,
      folder,
    ]);
    disks.push(join(folder, "mysql/srv"));
  }
  const mounted: string[] = [];
  const down = async () => {
    await control("down").catch((error) => console.error(String(error)));
    for (const disk of mounted.toReversed()) Bun.spawnSync(["umount", "-l", disk]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const [at, disk] of disks.entries()) {
      mkdirSync(disk, { recursive: true });
      if (at === 0) run(["mount", "-t", "tmpfs", "-o", DISK, "waymark-test", disk]);
      else {
        mkdirSync(join(disks[0]!, "srv"));
        run(["mount", "--bind", join(disks[0]!, "srv"), disk]);
      }
      mounted.push(disk);
    }
    if (!existsSync(join(source, "packages"))) await control("up");
    else for (const name of names) await control("start", name);
    const told = await control("env");
    for (const [, name, value] of told.matchAll(/^export (\w+)=(.*)$/gm))
      process.env[name!] = value!.replace(/^'|'$/g, "");
  } catch (error) {
    await down();
    throw error;
  }
  const disk = fillDisk(disks[0]!);
  return {
    kill: (name) => control("kill", name),
    start: (name) => control("start", name),
    pause: (name) => control("pause", name),
    resume: (name) => control("resume", name),
    fill: disk.fill,
    empty: disk.empty,
    down,
  };
}
