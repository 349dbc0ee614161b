/** deploy/caddy with an authority: certificates for the hosts that Waymark knows, at their first visits, and for no other. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PEBBLE, type Pebble, startPebble } from "./support/pebble.ts";
import { caddyCommand, caddyfile, freePort, isInstalled } from "./support/proxies.ts";
import { type Client, startSignedIn } from "./support/session.ts";
import { soon, until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const HOST = "links.example.test";
const DEFAULT = "go.example.test";

if (!isInstalled("caddy")) console.log("skipped: Caddy before Waymark, there is none (Debian: caddy)");

describe.skipIf(PEBBLE === undefined || !isInstalled("caddy"))("Caddy with deploy/caddy", () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-caddy-"));
  let installation: Installation;
  let server: RunningWaymark;
  let client: Client;
  let pebble: Pebble;
  let caddy: Bun.Subprocess;
  let port: number;

  beforeAll(async () => {
    ({ installation, server, client } = await startSignedIn());
    await client.call("PUT", "/config/features.public_url", { value: `https://${DEFAULT}` });
    const httpPort = await freePort();
    port = await freePort();
    pebble = await startPebble(httpPort, port);
    writeFileSync(join(folder, "root.pem"), await pebble.root());
    const options = [
      "admin off",
      `http_port ${httpPort}`,
      `https_port ${port}`,
      "default_bind 127.0.0.1",
      `acme_ca ${pebble.directory}`,
      `acme_ca_root ${pebble.caFile}`,
    ];
    const text = caddyfile()
      .replace(/^\{$/m, `{\n\t${options.join("\n\t")}`)
      .replaceAll("127.0.0.1:8080", new URL(server.url).host);
    writeFileSync(join(folder, "Caddyfile"), text);
    const output = Bun.file(join(folder, "output"));
    caddy = Bun.spawn(caddyCommand(join(folder, "Caddyfile")), {
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder },
      stdio: ["ignore", output, output],
    });
    // It accepts connections before it has any certificate.
    await until(async () => (await visit("stranger.example.test")).exitCode !== REFUSED_CONNECTION);
  });
  afterAll(async () => {
    caddy?.kill("SIGKILL");
    await caddy?.exited;
    await pebble?.remove();
    await installation?.remove();
    rmSync(folder, { recursive: true });
  });

  const REFUSED_CONNECTION = 7;
  const FAILED_HANDSHAKE = 35;

  async function visit(host: string, path = "/") {
    const child = Bun.spawn(
      ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code} %{redirect_url}"].concat(
        ["--cacert", join(folder, "root.pem"), "--resolve", `${host}:${port}:127.0.0.1`],
        [`https://${host}:${port}${path}`],
      ),
      { stdout: "pipe" },
    );
    const told = await new Response(child.stdout).text();
    return { told, exitCode: await child.exited };
  }

  const isOurs = (host: string) => fetch(`${server.url}/health/domain?domain=${host}`);

  test("a domain has HTTPS at its first visit, a stranger's host none", async () => {
    expect((await isOurs(HOST)).status).toBe(404);
    expect((await visit(HOST)).exitCode).toBe(FAILED_HANDSHAKE);
    await client.call("POST", "/domains", { host: HOST });
    await client.call("POST", "/links", { code: "a", target: "https://example.com/a", domain: HOST });
    expect((await isOurs(HOST)).status).toBe(200);
    // Caddy remembers a refusal for a moment.
    await soon(async () =>
      expect(await visit(HOST, "/a")).toEqual({ told: "307 https://example.com/a", exitCode: 0 }),
    );
    expect((await visit(DEFAULT, "/unknown")).told).toBe("404 ");
    for (const host of ["stranger.example.test", `sub.${HOST}`]) {
      expect((await isOurs(host)).status).toBe(404);
      expect((await visit(host)).exitCode).toBe(FAILED_HANDSHAKE);
    }
    expect(pebble.issued()).toBe(2);
  });
});
