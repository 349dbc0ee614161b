/** nginx, to compare downloads with. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./subject.ts";

/** Serves the files below `root` with one worker. Its own files are in `folder`. */
export async function startNginx(root: string, folder: string): Promise<{ port: number; stop(): void }> {
  const nginx = Bun.which("nginx", { PATH: `${process.env["PATH"]}:/usr/sbin:/usr/local/sbin` });
  if (nginx === null) throw new Error("This benchmark needs nginx: apt-get install nginx-light");
  const port = freePort();
  const at = mkdtempSync(join(folder, "nginx-"));
  writeFileSync(
    join(at, "nginx.conf"),
    `user root; worker_processes 1; daemon off; pid ${at}/pid; error_log ${at}/error.log;
events { worker_connections 64; }
http { access_log off; sendfile on; client_body_temp_path ${at}/b; proxy_temp_path ${at}/p;
  fastcgi_temp_path ${at}/f; uwsgi_temp_path ${at}/u; scgi_temp_path ${at}/s;
  server { listen 127.0.0.1:${port}; root ${root}; } }
`,
  );
  const child = Bun.spawn([nginx, "-e", join(at, "error.log"), "-c", join(at, "nginx.conf")]);
  for (let tries = 0; tries < 100; tries++) {
    if (await fetch(`http://127.0.0.1:${port}/`).catch(() => null)) break;
    await Bun.sleep(20);
  }
  return { port, stop: () => child.kill() };
}
