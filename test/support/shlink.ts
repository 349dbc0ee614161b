/** A real Shlink on a SQLite file of its own, served by PHP. Its folder is copied, never changed. */
import { Database } from "bun:sqlite";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

const PORT = 4316;

/** Null if there is one. */
export function missingShlink(): string | null {
  const folder = process.env["SHLINK_DIR"];
  if (folder === undefined) return "SHLINK_DIR is not set to the folder of Shlink (after composer install)";
  if (!existsSync(join(folder, "vendor", "autoload.php")))
    return `there is no Shlink with vendor in ${folder}`;
  return Bun.which("php") === null ? "there is no php" : null;
}

/** @param folder for the copy */
export async function startShlink(folder: string) {
  const cwd = join(folder, "shlink");
  cpSync(process.env["SHLINK_DIR"]!, cwd, {
    recursive: true,
    filter: (path) => !path.startsWith(join(process.env["SHLINK_DIR"]!, "data", "")),
  });
  for (const name of ["cache", "locks", "log", "proxies", "temp-geolite"])
    mkdirSync(join(cwd, "data", name), { recursive: true });
  const env = {
    PATH: process.env["PATH"]!,
    APP_ENV: "prod",
    DB_DRIVER: "sqlite",
    DEFAULT_DOMAIN: `127.0.0.1:${PORT}`,
    IS_HTTPS_ENABLED: "false",
    AUTO_RESOLVE_TITLES: "false",
    MULTI_SEGMENT_SLUGS_ENABLED: "true",
    PHP_CLI_SERVER_WORKERS: "4",
  };
  function php(...args: string[]): string {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["php", ...args], { cwd, env });
    const told = stdout.toString() + stderr.toString();
    if (exitCode !== 0) throw new Error(`php ${args.join(" ")} failed: ${told}`);
    return told;
  }
  php("bin/cli", "db:create");
  php("bin/doctrine", "orm:generate-proxies");
  const [key] = /[0-9a-f-]{36}/.exec(php("bin/cli", "api-key:generate"))!;
  const command = [
    "-d",
    "opcache.enable_cli=1",
    "-S",
    `127.0.0.1:${PORT}`,
    "-t",
    "public",
    "public/index.php",
  ];
  const server = Bun.spawn(["php", ...command], {
    cwd,
    env,
    stdout: "ignore",
    stderr: "ignore",
    // Its workers outlive the main process, so they are ended as a group.
    detached: true,
  });
  const origin = `http://127.0.0.1:${PORT}`;
  await until(() =>
    fetch(`${origin}/rest/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    from: ["shlink", origin, "--stdin"] as const,
    origin,
    key,
    async call(path: string, body: object): Promise<void> {
      const answer = await fetch(`${origin}/rest/v3${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": key },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`Shlink: ${path}: ${answer.status} ${await answer.text()}`);
    },
    database() {
      const database = new Database(join(cwd, "data", "database.sqlite"));
      database.run("pragma busy_timeout = 30000");
      return database;
    },
    async stop() {
      process.kill(-server.pid, "SIGTERM");
      await server.exited;
    },
  };
}
