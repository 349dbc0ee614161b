/** The three servers that benchmarks start. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DataFolder } from "./data-folder.ts";
import { freePort, startSubject, type Subject } from "./subject.ts";

const root = join(import.meta.dir, "..", "..");
const bun = join(root, "bin", "bun");

export function startBare(count: number): Promise<Subject> {
  const port = freePort();
  return startSubject("bare Bun.serve with a Map", port, [
    bun,
    join(import.meta.dir, "bare-server.ts"),
    `${port}`,
    `${count}`,
  ]);
}

/** The real program on a data folder; of another checkout with its folder. */
export function startWaymark(
  data: Pick<DataFolder, "path">,
  environment: Record<string, string> = {},
  checkout = root,
): Promise<Subject> {
  const port = freePort();
  return startSubject("Waymark", port, [join(checkout, "bin", "waymark"), "serve"], {
    WAYMARK__SERVER__PORT: `${port}`,
    WAYMARK__DATA__DIR: data.path,
    WAYMARK__DATABASE__URL: `sqlite:${join(data.path, "waymark.db")}`,
    WAYMARK__LOGGING__LEVEL: "warn",
    ...environment,
  });
}

/** Null when nginx is not installed. One worker with `return 307`, the same headers and one fixed target. */
export async function startNginx(): Promise<Subject | null> {
  const nginx = Bun.which("nginx") ?? Bun.which("nginx", { PATH: "/usr/sbin:/usr/local/sbin" });
  if (nginx === null) return null;
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-nginx-"));
  const port = freePort();
  const config = join(folder, "nginx.conf");
  writeFileSync(
    config,
    `worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000; default_type text/plain;
  client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  server { listen 127.0.0.1:${port}; location / {
    add_header Cache-Control "no-cache, no-store, must-revalidate" always;
    return 307 https://www.example.com/some/longer/path/1?from=short; } }
}
`,
  );
  return startSubject("nginx, return 307", port, [nginx, "-e", join(folder, "error.log"), "-c", config]);
}
