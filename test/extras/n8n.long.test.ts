/**
 * The node of clients/n8n, built and installed into a real n8n, and n8n's own node for YOURLS, in one workflow. N8N_DIR is
 * a folder with n8n; its data is in a database of its own on the server for PostgreSQL.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installWithPassword, signIn } from "../support/session.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

const N8N = join(process.env["N8N_DIR"] ?? "", "node_modules/n8n/bin/n8n");
const POSTGRES = process.env["WAYMARK_TEST_POSTGRES_URL"];
const isThere = existsSync(N8N) && POSTGRES !== undefined;
if (!isThere) console.log("skipped: n8n, N8N_DIR is no folder with it, or there is no PostgreSQL");
const whenThere = isThere ? test : test.skip;

const DATABASE = `n8n_${process.pid}`;
let installation: Installation;
let server: RunningWaymark;
let token: string;
let folder: string;

beforeAll(async () => {
  if (!isThere) return;
  installation = await installWithPassword();
  await installation.run(["config", "set", "features.yourls_api", "true"]);
  server = await installation.serve();
  const client = await signIn(server.url);
  const scopes = ["links:read", "links:write", "analytics:read"];
  token = (await client.call("POST", "/tokens", { name: "n8n", scopes })).body.data.token;
  folder = mkdtempSync(join(tmpdir(), "waymark-n8n-"));
  await using sql = new SQL(POSTGRES);
  await sql.unsafe(`create database ${DATABASE}`);
});
afterAll(async () => {
  if (!isThere) return;
  await installation.remove();
  rmSync(folder, { recursive: true, force: true });
  await using sql = new SQL(POSTGRES!);
  await sql.unsafe(`drop database ${DATABASE} with (force)`);
});

async function run(
  command: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${out}${err}`);
  return out;
}

/** Builds the package as npm does, and puts it where n8n looks for nodes. */
async function installNode(): Promise<void> {
  const source = join(folder, "source");
  cpSync(join(import.meta.dir, "../../clients/n8n"), source, { recursive: true });
  await run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], source);
  await run(["npm", "run", "build"], source);
  const custom = join(folder, "custom");
  mkdirSync(custom);
  cpSync(join(source, "dist"), join(custom, "dist"), { recursive: true });
  cpSync(join(source, "package.json"), join(custom, "package.json"));
}

function n8n(...args: string[]): Promise<string> {
  const { hostname, port, username, password } = new URL(POSTGRES!);
  return run(["node", N8N, ...args], folder, {
    NODE_ENV: "production",
    N8N_USER_FOLDER: folder,
    N8N_EXPRESSION_ENGINE: "legacy",
    N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: "true",
    N8N_CUSTOM_EXTENSIONS: join(folder, "custom"),
    N8N_ENCRYPTION_KEY: "a key of this test",
    N8N_DIAGNOSTICS_ENABLED: "false",
    N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
    N8N_RUNNERS_ENABLED: "false",
    N8N_LOG_LEVEL: "info",
    DB_TYPE: "postgresdb",
    DB_POSTGRESDB_HOST: hostname,
    DB_POSTGRESDB_PORT: port,
    DB_POSTGRESDB_USER: username,
    DB_POSTGRESDB_PASSWORD: password,
    DB_POSTGRESDB_DATABASE: DATABASE,
  });
}

type Step = [name: string, type: string, parameters: Record<string, unknown>];

const WAYMARK = "CUSTOM.waymark";
const STEPS: readonly Step[] = [
  [
    "Create",
    WAYMARK,
    {
      operation: "create",
      target: "https://example.com/n8n",
      options: { newCode: "n8n/one", title: "One", tags: "n8n, test", maxClicks: 9 },
    },
  ],
  ["Get", WAYMARK, { operation: "get", code: "n8n/one" }],
  ["Update", WAYMARK, { operation: "update", code: "={{$json.code}}", changes: { title: "Changed" } }],
  ["Clicks", WAYMARK, { operation: "clicks", code: "n8n/one" }],
  ["All", WAYMARK, { operation: "getMany", returnAll: true, filters: { tag: "n8n" } }],
  ["Some", WAYMARK, { operation: "getMany", returnAll: false, limit: 1, filters: { search: "n8n" } }],
  [
    "YOURLS",
    "n8n-nodes-base.yourls",
    { operation: "shorten", url: "https://example.com/y", additionalFields: { keyword: "n8n-y" } },
  ],
  ["Expand", "n8n-nodes-base.yourls", { operation: "expand", shortUrl: "={{$json.shorturl}}" }],
  ["Stats", "n8n-nodes-base.yourls", { operation: "stats", shortUrl: "n8n-y" }],
  ["Delete", WAYMARK, { operation: "delete", code: "n8n/one" }],
];

function workflow() {
  const nodes = STEPS.map(([name, type, parameters], at) => ({
    id: `${at}`,
    name,
    type,
    typeVersion: 1,
    position: [200 * at, 0],
    parameters,
    executeOnce: true,
    credentials:
      type === WAYMARK
        ? { waymarkApi: { id: "waymark", name: "Waymark" } }
        : { yourlsApi: { id: "yourls", name: "YOURLS" } },
  }));
  const start = {
    id: "start",
    name: "Start",
    type: "n8n-nodes-base.manualTrigger",
    typeVersion: 1,
    position: [-200, 0],
    parameters: {},
  };
  const names = ["Start", ...STEPS.map(([name]) => name)];
  const next = (node: string) => ({ main: [[{ node, type: "main", index: 0 }]] });
  const connections = Object.fromEntries(names.slice(0, -1).map((name, at) => [name, next(names[at + 1]!)]));
  return { id: "story", name: "Story", nodes: [start, ...nodes], connections, active: false, settings: {} };
}

whenThere("a workflow of a real n8n makes, finds, changes, counts and deletes links", async () => {
  await installNode();
  const credentials = [
    {
      id: "waymark",
      name: "Waymark",
      type: "waymarkApi",
      data: { url: `${server.url}/`, token, prefix: "/admin" },
    },
    { id: "yourls", name: "YOURLS", type: "yourlsApi", data: { url: server.url, signature: token } },
  ];
  await Bun.write(join(folder, "credentials.json"), JSON.stringify(credentials));
  await Bun.write(join(folder, "workflow.json"), JSON.stringify(workflow()));
  await n8n("import:credentials", `--input=${join(folder, "credentials.json")}`);
  await n8n("import:workflow", `--input=${join(folder, "workflow.json")}`);
  const said = await n8n("execute", "--id=story", "--rawOutput");
  const { runData } = JSON.parse(said.slice(said.indexOf("{"))).data.resultData;
  const results = (name: string): unknown[] =>
    runData[name][0].data.main[0].map(({ json }: { json: unknown }) => json);
  expect(results("Create")).toMatchObject([
    {
      code: "n8n/one",
      title: "One",
      tags: ["n8n", "test"],
      max_clicks: 9,
      short_url: `${server.url}/n8n/one`,
    },
  ]);
  expect(results("Get")).toMatchObject([{ code: "n8n/one" }]);
  expect(results("Update")).toMatchObject([{ title: "Changed", tags: ["n8n", "test"] }]);
  expect(results("Clicks")).toMatchObject([{ total_clicks: 0 }]);
  expect(results("All")).toMatchObject([{ code: "n8n/one" }]);
  expect(results("Some")).toHaveLength(1);
  expect(results("YOURLS")).toMatchObject([{ status: "success", shorturl: `${server.url}/n8n-y` }]);
  expect(results("Expand")).toMatchObject([{ longurl: "https://example.com/y" }]);
  expect(results("Stats")).toMatchObject([{ clicks: "0" }]);
  expect(results("Delete")).toEqual([{ deleted: true }]);
});
