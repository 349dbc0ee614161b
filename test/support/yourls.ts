/** A real YOURLS on a database of its own, served by PHP. Its folder is copied, never changed. */
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

const PORT = 4314;
const DATABASE = `yourls_${process.pid}`;

/** Null if there is one. */
export function missingYourls(): string | null {
  const folder = process.env["YOURLS_DIR"];
  if (folder === undefined) return "YOURLS_DIR is not set to the folder of YOURLS 1.10";
  if (!existsSync(join(folder, "yourls-loader.php"))) return `there is no YOURLS in ${folder}`;
  if (process.env["WAYMARK_TEST_MARIADB_URL"] === undefined) return "WAYMARK_TEST_MARIADB_URL is not set";
  return Bun.which("php") === null ? "there is no php" : null;
}

const config = ({ host, username, password }: URL) => `<?php
define('YOURLS_DB_HOST', '${host}'); define('YOURLS_DB_NAME', '${DATABASE}');
define('YOURLS_DB_USER', '${username}'); define('YOURLS_DB_PASS', '${decodeURIComponent(password)}');
define('YOURLS_DB_PREFIX', 'yourls_'); define('YOURLS_SITE', 'http://127.0.0.1:${PORT}');
define('YOURLS_UNIQUE_URLS', false); define('YOURLS_URL_CONVERT', 62); define('YOURLS_PRIVATE', false);
define('YOURLS_FLOOD_DELAY_SECONDS', 0); define('YOURLS_NO_VERSION_CHECK', true); define('YOURLS_COOKIEKEY', 'key');
define('YOURLS_LANG', ''); define('YOURLS_DEBUG', false); $yourls_user_passwords = []; $yourls_reserved_URL = [];`;

const ROUTER = `<?php
$_SERVER['SCRIPT_NAME'] = '/yourls-loader.php';
require __DIR__ . '/yourls-loader.php';`;

const LOADED = `define('YOURLS_INSTALLING', true);
$_SERVER['HTTP_HOST'] = '127.0.0.1'; $_SERVER['REQUEST_URI'] = '/'; $_SERVER['REMOTE_ADDR'] = '192.0.2.7';
require 'includes/load-yourls.php'; $db = yourls_get_db('write-test');`;

/** @param folder for the copy */
export async function startYourls(folder: string) {
  const cwd = join(folder, "yourls");
  cpSync(process.env["YOURLS_DIR"]!, cwd, { recursive: true });
  const url = new URL(process.env["WAYMARK_TEST_MARIADB_URL"]!);
  await Bun.write(join(cwd, "user", "config.php"), config(url));
  await Bun.write(join(cwd, "router.php"), ROUTER);
  function run(code: string): string {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["php", "-r", code], { cwd });
    if (exitCode !== 0) throw new Error(`PHP failed: ${stdout.toString()}${stderr.toString()}`);
    return stdout.toString();
  }
  const administer = (statement: string) =>
    run(
      `mysqli_query(mysqli_connect('${url.hostname}', '${url.username}', '${decodeURIComponent(url.password)}', null, ${url.port}), '${statement}');`,
    );
  administer(`create database ${DATABASE}`);
  run(`${LOADED} yourls_create_sql_tables();`);
  const server = Bun.spawn(["php", "-S", `127.0.0.1:${PORT}`, "router.php"], {
    cwd,
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: "4" },
    stdout: "ignore",
    stderr: "ignore",
    // Its workers outlive the main process, so they are ended as a group.
    detached: true,
  });
  const origin = `http://127.0.0.1:${PORT}`;
  await until(() =>
    fetch(origin, { redirect: "manual" }).then(
      () => true,
      () => false,
    ),
  );
  return {
    origin,
    source: `mysql://${url.username}:${url.password}@${url.host}/${DATABASE}`,
    /** Runs PHP code within YOURLS; `$db` is its database. Returns what it prints. */
    run: (code: string) => run(`${LOADED} ${code}`),
    async stop() {
      process.kill(-server.pid, "SIGTERM");
      await server.exited;
      administer(`drop database ${DATABASE}`);
    },
  };
}
