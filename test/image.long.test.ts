/** The Dockerfile, built and run by buildah, which needs no container runtime. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { version } from "../package.json";
import { run } from "../scripts/release.d/tools.ts";
import { freePort } from "./support/proxies.ts";
import { until } from "./support/until.ts";

const ROOT = join(import.meta.dir, "..");
/** Folder of buildah's images. Base images that are not in it are pulled. */
const STORE = process.env["IMAGE_STORE"];
const NAME = "localhost/waymark-test";

type Config = { Entrypoint: string[]; Cmd: string[]; Healthcheck: { Test: string[] } };

describe.skipIf(STORE === undefined || Bun.which("buildah") === null)("the image", () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-image-"));
  const command = (...rest: string[]) => ["buildah", "--root", STORE!, "--runroot", `${STORE}.run`, ...rest];
  const buildah = (...rest: string[]) => run(command(...rest), folder);
  let port: number;
  let container: string;
  let config: Config;
  const inside = (...rest: string[]) =>
    command(
      "run",
      "--isolation",
      "chroot",
      "--env",
      `WAYMARK__SERVER__PORT=${port}`,
      container,
      "--",
      ...rest,
    );

  beforeAll(async () => {
    port = await freePort();
    await run(["git", "clone", "--quiet", ROOT, join(folder, "waymark")], ROOT);
    const ways = ["--format", "docker", "--isolation", "chroot", "--network", "host", "--layers"];
    await buildah("build", ...ways, "--pull-never", "--tag", NAME, join(folder, "waymark")).catch(() =>
      buildah("build", ...ways, "--tag", NAME, join(folder, "waymark")),
    );
    const image = JSON.parse(await buildah("inspect", "--type", "image", NAME)) as {
      Docker: { config: Config };
    };
    config = image.Docker.config;
    container = (await buildah("from", NAME)).trim();
  });
  afterAll(async () => {
    if (container !== undefined) await buildah("rm", container);
    rmSync(folder, { recursive: true, force: true });
  });

  test("runs as an account that writes to /data alone", async () => {
    // In one shell: buildah may lose what a command prints.
    const checks = [
      "[ $(id -u) = 10001 ]",
      `[ $(waymark version) = ${version} ]`,
      "touch /data/files/new",
      "! touch /etc/new",
      "! touch /usr/local/bin/waymark",
    ];
    await run(inside("sh", "-c", checks.join(" && ")), folder);
  });

  test("serves, is healthy by its own check, and ends in order", async () => {
    const server = Bun.spawn(inside(...config.Entrypoint, ...config.Cmd), {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const log = new Response(server.stderr).text();
    const [kind, ...check] = config.Healthcheck.Test;
    expect(kind).toBe("CMD");
    await until(() =>
      run(inside(...check), folder).then(
        () => true,
        () => false,
      ),
    );
    await run(inside("waymark", "links", "add", "https://example.com/", "--code", "image"), folder);
    const ask = () => fetch(`http://127.0.0.1:${port}/image`, { redirect: "manual" });
    await until(async () => (await ask()).status === 307);
    process.kill(firstProcess(), "SIGTERM");
    expect(await server.exited).toBe(0);
    expect(await log).toContain(`"msg":"stopped"`);
  });

  /** The process that a runtime would send the image's signal: that of the entry point. */
  function firstProcess(): number {
    const found = readdirSync("/proc").filter((pid) => {
      try {
        const [program = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        return (
          basename(program) === config.Entrypoint[0] && environment.includes(`WAYMARK__SERVER__PORT=${port}`)
        );
      } catch {
        return false;
      }
    });
    expect(found).toHaveLength(1);
    return Number(found[0]);
  }
});
