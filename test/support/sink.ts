/** A real Sink in wrangler's local mode, with a store of its own. */
import { Database } from "bun:sqlite";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

const PORT = 4318;
const TOKEN = "SiteTokenOfTests";

/** Null if there is one. */
export function missingSink(): string | null {
  const folder = process.env["SINK_DIR"];
  if (folder === undefined) return "SINK_DIR is not set to the folder of Sink 0.2 (after nuxt build)";
  const isBuilt = existsSync(join(folder, "dist", "server", "index.mjs"));
  return isBuilt && existsSync(join(folder, "node_modules")) ? null : `there is no built Sink in ${folder}`;
}

/** @param folder for its store */
export async function startSink(folder: string) {
  const store = join(folder, "sink");
  const origin = `http://127.0.0.1:${PORT}`;
  const headers = { "content-type": "application/json", authorization: `Bearer ${TOKEN}` };
  async function start() {
    const server = Bun.spawn(
      ["node_modules/.bin/wrangler", "dev", "--local", "--ip", "127.0.0.1", "--port", String(PORT)].concat(
        ["--persist-to", store],
        ["NUXT_SITE_TOKEN:" + TOKEN, "NUXT_CASE_SENSITIVE:true"].flatMap((one) => ["--var", one]),
      ),
      {
        cwd: process.env["SINK_DIR"]!,
        env: { PATH: process.env["PATH"]!, HOME: folder, WRANGLER_SEND_METRICS: "false", CI: "true" },
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
        // Its workers are ended as a group.
        detached: true,
      },
    );
    await until(() =>
      fetch(`${origin}/api/link/list`, { headers }).then(
        async (answer) => (await answer.text(), answer.ok),
        () => false,
      ),
    );
    return async () => {
      process.kill(-server.pid, "SIGTERM");
      await server.exited;
    };
  }
  let end = await start();
  return {
    from: ["sink", origin, "--stdin"] as const,
    origin,
    key: TOKEN,
    async add(link: object): Promise<void> {
      const body = JSON.stringify(link);
      const answer = await fetch(`${origin}/api/link/create`, { method: "POST", headers, body });
      if (!answer.ok) throw new Error(`Sink: ${body}: ${answer.status} ${await answer.text()}`);
      await answer.text();
    },
    /** As its API stores them, while it is stopped: that one makes some dozens a second. */
    async copy(links: readonly { slug: string; url: string }[]): Promise<void> {
      await end();
      const kv = join(store, "v3", "kv");
      const file = readdirSync(join(kv, "miniflare-KVNamespaceObject")).find((name) =>
        name.endsWith(".sqlite"),
      )!;
      const namespace = readdirSync(kv).find((name) => existsSync(join(kv, name, "blobs")))!;
      using database = new Database(join(kv, "miniflare-KVNamespaceObject", file));
      const insert = database.query("insert into _mf_entries (key, blob_id, metadata) values (?, ?, ?)");
      database.transaction(() => {
        for (const link of links) {
          const blob = crypto.randomUUID().replaceAll("-", "").padEnd(80, "0");
          writeFileSync(join(kv, namespace, "blobs", blob), JSON.stringify(link));
          insert.run(`link:${link.slug}`, blob, JSON.stringify({ url: link.url }));
        }
      })();
      end = await start();
    },
    stop: () => end(),
  };
}
