/** A bundle of 100,000 links, answered by a real nginx with the file in deploy/. Without nginx it says so. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inParallel } from "../src/lib/in-parallel.ts";
import { soon } from "./support/until.ts";
import { install } from "./support/waymark.ts";

const NGINX = "/usr/sbin/nginx";
const LINKS = 100_000;
const AT_ONCE = 20;
const PORT = 18_473;

const installation = install();
afterAll(() => installation.remove());

/** The code and target of a link, with segments and both cases. */
const linkOf = (at: number) => ({
  code: `${at % 2 === 0 ? "c" : "C"}${at >> 1}${at % 5 === 0 ? "/x.y_z-1" : ""}`,
  target: `https://example.com/${at}?a=1&b=%22`,
});

if (!existsSync(NGINX)) console.log("skipped: a bundle served by nginx, there is none (Debian: nginx-light)");
else
  test("nginx answers every code of a bundle, and nothing else", async () => {
    const links = Array.from({ length: LINKS }, (_, at) => linkOf(at));
    const rows = links.map(({ code, target }) => `${code},${target}`);
    await installation.run(["links", "import", "-"], ["code,target", ...rows].join("\n"));
    await installation.run(["config", "set", "features.public_url", "https://go.test"]);
    const bundle = join(installation.dataDir, "successor.tar.gz");
    await installation.run(["successor", "make", bundle]);
    const folder = join(installation.dataDir, "web");
    mkdirSync(folder);
    expect(Bun.spawnSync(["tar", "-xzf", bundle, "-C", folder, "site"]).exitCode).toBe(0);
    const server = readFileSync(join(import.meta.dir, "../deploy/nginx/successor.conf"), "utf8")
      .replaceAll("/srv/successor", folder)
      .replace("listen 80;", `listen 127.0.0.1:${PORT};`)
      .replace("listen [::]:80;", "");
    const file = join(folder, "nginx.conf");
    writeFileSync(
      file,
      `user root; daemon off; pid ${folder}/pid; error_log ${folder}/log; events {}
       http { include /etc/nginx/mime.types; access_log off; client_body_temp_path ${folder}/t; proxy_temp_path ${folder}/t;
       fastcgi_temp_path ${folder}/t; uwsgi_temp_path ${folder}/t; scgi_temp_path ${folder}/t; ${server} }`,
    );
    const nginx = Bun.spawn([NGINX, "-c", file], { stdout: "ignore", stderr: "inherit" });
    try {
      const ask = (path: string) =>
        fetch(`http://127.0.0.1:${PORT}/${path}`, { headers: { Host: "go.test" }, redirect: "manual" });
      await soon(async () => expect((await ask(links[0]!.code)).status).toBe(200));
      await inParallel(links, AT_ONCE, async ({ code, target }) => {
        const page = await (await ask(code)).text();
        if (!page.includes(`content="0; url=${target.replace("&", "&amp;")}"`))
          throw new Error(`${code}: ${page}`);
      });
      for (const path of ["", "c", "c0", "site", "../manifest.json", "%2e%2e/%2e%2e/nginx.conf", "c1.html"]) {
        expect([path, (await ask(path)).status]).toEqual([path, 404]);
      }
    } finally {
      nginx.kill();
      await nginx.exited;
    }
  });
