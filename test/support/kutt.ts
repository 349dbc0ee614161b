/** A real Kutt on a SQLite file or PostgreSQL database of its own, driven by its API. */
import { SQL } from "bun";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

const PASSWORD = "password of Kutt's administrator";
const PORT = 4312;

/** Null if there is one. */
export function missingKutt(): string | null {
  const folder = process.env["KUTT_DIR"];
  if (folder === undefined) return "KUTT_DIR is not set to the folder of Kutt 3 (after npm ci)";
  return existsSync(join(folder, "node_modules"))
    ? null
    : `there is no node_modules in ${folder}; run npm ci there`;
}

/** @param server address of PostgreSQL; without: SQLite */
export async function startKutt(folder: string, server?: string) {
  const cwd = process.env["KUTT_DIR"]!;
  const origin = `http://127.0.0.1:${PORT}`;
  const database = join(folder, "kutt.sqlite");
  const postgres = server === undefined ? null : new URL(`/kutt_${process.pid}`, server);
  const administer = async (statement: string) => {
    await using admin = new SQL(server!);
    await admin.unsafe(statement);
  };
  if (postgres !== null) await administer(`create database ${postgres.pathname.slice(1)}`);
  const sql = new SQL(postgres?.href ?? `sqlite://${database}`);
  const env = {
    PATH: process.env["PATH"]!,
    PORT: String(PORT),
    JWT_SECRET: "0123456789abcdef0123456789abcdef",
    ...(postgres === null
      ? { DB_CLIENT: "better-sqlite3", DB_FILENAME: database }
      : {
          DB_CLIENT: "pg",
          DB_HOST: postgres.hostname,
          DB_PORT: postgres.port,
          DB_NAME: postgres.pathname.slice(1),
          DB_USER: postgres.username,
          DB_PASSWORD: decodeURIComponent(postgres.password),
        }),
    DEFAULT_DOMAIN: `127.0.0.1:${PORT}`,
  };
  const migration = Bun.spawnSync(["npx", "knex", "migrate:latest"], { cwd, env });
  if (migration.exitCode !== 0) throw new Error(`Kutt's migrations failed: ${migration.stderr.toString()}`);
  async function start() {
    const program = Bun.spawn(["node", "server/server.js", "--production"], {
      cwd,
      env,
      stdout: "ignore",
      stderr: "ignore",
    });
    await until(() =>
      fetch(`${origin}/api/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return async () => {
      program.kill();
      await program.exited;
    };
  }
  let end = await start();
  let key: Record<string, string> = {};
  async function call<T>(path: string, body: object): Promise<T> {
    const answer = await fetch(`${origin}/api/v2${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...key },
      body: JSON.stringify(body),
    });
    if (!answer.ok)
      throw new Error(`Kutt: ${path} ${JSON.stringify(body)}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }
  const account = { email: "anna@example.com", password: PASSWORD };
  await call("/auth/create-admin", account);
  const { token } = await call<{ token: string }>("/auth/login", account);
  key = { cookie: `token=${token}` };
  const { apikey } = await call<{ apikey: string }>("/auth/apikey", {});
  key = { "x-api-key": apikey };
  return {
    origin,
    database,
    from: ["kutt", postgres?.href ?? database] as const,
    sql,
    /** It ends when its SQLite database is locked for 5 seconds. */
    async whileStopped(write: () => Promise<void>): Promise<void> {
      await end();
      await write();
      end = await start();
    },
    call,
    async visit(code: string, agent: string) {
      await fetch(`${origin}/${code}`, { redirect: "manual", headers: { "user-agent": agent } });
    },
    async stop() {
      await end();
      await sql.close();
      if (postgres !== null) await administer(`drop database ${postgres.pathname.slice(1)}`);
    },
  };
}

export type Kutt = Awaited<ReturnType<typeof startKutt>>;
const CHROME =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36";

/** Links of every kind that Kutt has. */
export async function fillKutt({ call, visit }: Kutt): Promise<void> {
  const add = (target: string, customurl: string, more: object = {}) =>
    call<{ id: string }>("/links", { target, customurl, ...more });
  await call("/domains", { address: "go.test", homepage: "https://home.test" });
  await add("https://example.com/plain", "plain", { description: 'A link,\nwith "quotes" and 日本語' });
  await add("https://example.com/upper", "Plain");
  await add("https://example.com/?q=ä&x=%20+&y[]=1#frag", "odd");
  await add("https://example.com/secret", "secret", { password: "open sesame" });
  await add("https://example.com/late", "late", { expire_in: "42 days" });
  await add("https://example.com/domain", "plain", { domain: "go.test" });
  await add("mailto:anna@example.com", "mail");
  await add(`https://example.com/${"x".repeat(2_000)}`, "long-target");
  await add("https://example.com/code", "c".repeat(64));
  const { id } = await add("https://banned.test/", "bad");
  await call(`/links/admin/ban/${id}`, {});
  for (let visits = 0; visits < 3; visits++) await visit("plain", CHROME);
  await visit("odd", CHROME);
  await visit("odd", "Googlebot/2.1");
}
