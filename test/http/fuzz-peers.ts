/** The programs that the fuzz compares with: Node's server in a process of its own, and nginx in front of ours. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../bench/lib/subject.ts";
import type { Heard } from "../support/hearing.ts";
import { until } from "../support/until.ts";

export type Node = {
  url: string;
  /** After the connection of the caller has ended. Null: it did not tell in time. */
  take(caller: string): Promise<Heard[] | null>;
  stop(): void;
};

export type Nginx = {
  url: string;
  /** Takes the statuses that our server answered through it, by the address of the caller. */
  forwarded(): Map<string, string[]>;
  stop(): Promise<void>;
};

/** The header by which nginx tells our server the address of the caller. */
export const CALLER = "x-caller";

/** For a busy machine. */
const PATIENCE_MS = 30_000;

export async function startNode(): Promise<Node> {
  const child = Bun.spawn(["node", join(import.meta.dir, "fuzz-node.mjs")], {
    stdin: "pipe",
    stdout: "pipe",
  });
  const { promise: port, resolve: tellPort, reject } = Promise.withResolvers<number>();
  const told = new Map<string, PromiseWithResolvers<Heard[] | null>>();
  const slotOf = (caller: string) => {
    const slot = told.get(caller) ?? Promise.withResolvers<Heard[] | null>();
    told.set(caller, slot);
    return slot;
  };

  async function read(): Promise<void> {
    let text = "";
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (text + piece).split("\n");
      text = lines.pop()!;
      for (const line of lines) {
        const said: number | { caller: string; requests: Heard[] } = JSON.parse(line);
        if (typeof said === "number") tellPort(said);
        else slotOf(said.caller).resolve(said.requests);
      }
    }
    reject(new Error("Node has ended"));
    for (const slot of told.values()) slot.resolve(null);
  }
  void read();

  return {
    url: `http://127.0.0.1:${await port}`,
    async take(caller) {
      const slot = slotOf(caller);
      const timer = setTimeout(() => slot.resolve(null), PATIENCE_MS);
      const heard = await slot.promise;
      clearTimeout(timer);
      told.delete(caller);
      return heard;
    },
    stop: () => child.kill(),
  };
}

/**
 * In front of the server at `upstream`. Its connections to it live on, so that bytes left over would be read as the
 * next caller's. Null if nginx is not installed.
 */
export async function startNginx(upstream: number): Promise<Nginx | null> {
  const program = Bun.which("nginx", { PATH: `${process.env["PATH"]}:/usr/sbin:/usr/local/sbin` });
  if (program === null) return null;
  const folder = mkdtempSync(join(tmpdir(), "waymark-nginx-"));
  const port = freePort();
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  writeFileSync(
    join(folder, "nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""} worker_processes 1; daemon off; pid ${folder}/pid;
error_log ${folder}/errors crit;
events { worker_connections 1024; }
http {
  ${paths.join(" ")}
  log_format forwarded '$remote_addr $upstream_status';
  access_log ${folder}/forwarded forwarded;
  client_max_body_size 0; lingering_close off;
  upstream ours { server 127.0.0.1:${upstream}; keepalive 4; keepalive_timeout 10s; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://ours;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header ${CALLER} $remote_addr;
      proxy_ignore_client_abort on;
      proxy_next_upstream off;
    }
  }
}
`,
  );
  const log = join(folder, "forwarded");
  const child = Bun.spawn([program, "-e", join(folder, "errors"), "-c", join(folder, "nginx.conf")]);
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(url, { method: "OPTIONS" }).catch(() => null)) !== null);
  let read = 0;

  const nginx: Nginx = {
    url,
    forwarded() {
      const bytes = readFileSync(log);
      const end = bytes.lastIndexOf(10) + 1;
      const lines = bytes.toString("latin1", read, end).split("\n").slice(0, -1);
      read = end;
      const statuses = new Map<string, string[]>();
      for (const [caller = "", status = "-"] of lines.map((line) => line.split(" "))) {
        if (status !== "-") statuses.set(caller, [...(statuses.get(caller) ?? []), status]);
      }
      return statuses;
    },
    async stop() {
      child.kill();
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return nginx;
}
