/** The pages of drop boxes and two-way shares in Chromium, behind the real nginx with its limits of bodies. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHROMIUM, startChromium } from "./support/chromium.ts";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { freePort, isInstalled } from "./support/proxies.ts";
import { startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const MIB = 1024 * 1024;
const SIZE = 60 * MIB;
const ARE_THERE = CHROMIUM !== null && isInstalled("nginx");

let installation: Installation;
let server: RunningWaymark;
let me: DriveClient;
let browser: Awaited<ReturnType<typeof startChromium>>;
let folder: string;

beforeAll(async () => {
  if (!ARE_THERE) return;
  let client;
  ({ installation, server, client } = await startSignedIn());
  await client.call("PUT", "/config/api.cookie_secure", { value: false });
  me = driveClient(server.url, client.token);
  browser = await startChromium();
  folder = mkdtempSync(join(tmpdir(), "waymark-nginx-"));
  writeFileSync(join(folder, "photo.bin"), new Uint8Array(SIZE).fill(7));
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
  if (ARE_THERE) rmSync(folder, { recursive: true });
});

/** A server of nginx for each limit. Without `buffers` it passes bodies on as they come. */
async function startNginx(limit: string, buffers: boolean) {
  const port = await freePort();
  const config = join(folder, `nginx-${port}.conf`);
  writeFileSync(
    config,
    `user root; daemon off; pid ${folder}/${port}.pid; error_log ${folder}/${port}.log;
events {}
http {
  access_log off; client_body_temp_path ${folder}/body-${port}; proxy_temp_path ${folder}/proxy-${port};
  fastcgi_temp_path ${folder}/f-${port}; uwsgi_temp_path ${folder}/u-${port}; scgi_temp_path ${folder}/s-${port};
  server {
    listen 127.0.0.1:${port}; client_max_body_size ${limit};
    location / { proxy_pass ${server.url}; proxy_http_version 1.1; proxy_request_buffering ${buffers ? "on" : "off"}; }
  }
}`,
  );
  const child = Bun.spawn(["/usr/sbin/nginx", "-c", config], { stdio: ["ignore", "ignore", "ignore"] });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/health/live`).then(
      () => true,
      () => false,
    );
  await until(isUp, 20_000);
  return {
    at: (address: string) => `http://127.0.0.1:${port}${new URL(address).pathname}`,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

for (const [limit, buffers, kind] of [
  ["100m", true, "drop"],
  ["10m", true, "share"],
  ["1m", true, "drop"],
  ["1m", false, "share"],
] as const) {
  test.skipIf(!ARE_THERE)(
    `a file arrives whole in a ${kind} behind a limit of ${limit}, ${buffers ? "buffered" : "as it comes"}`,
    async () => {
      const id = await me.folder(crypto.randomUUID());
      const limits = { max_bytes: 100 * MIB, max_files: 10 };
      const given = kind === "drop" ? limits : { ...limits, add: true };
      const { url } = (await me.call("POST", `/folders/${id}/${kind}`, given)).body.data;
      const nginx = await startNginx(limit, buffers);
      const page = await browser.page({ width: 1280, height: 800, dark: false });
      await page.open(nginx.at(url));
      await page.chooseFiles("input[type=file]", [join(folder, "photo.bin")]);
      await page.evaluate("document.querySelector('form').requestSubmit()");
      await until(async () => await page.evaluate<boolean>("location.search === '?sent=1'"), 100_000);
      const { files } = (await me.call("GET", `/folders/${id}`)).body.data;
      const sha256 = new Bun.CryptoHasher("sha256").update(new Uint8Array(SIZE).fill(7)).digest("hex");
      expect(files).toMatchObject([{ name: "photo.bin", size: SIZE, sha256 }]);
      await nginx.stop();
    },
    120_000,
  );
}
