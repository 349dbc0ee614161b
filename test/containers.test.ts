/** Dockerfile and compose files, read as a machine without a container runtime can: every name in them exists. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Env } from "../src/platform/settings/env.ts";
import { loadEnv } from "../src/server/settings.ts";
import { readBlocks } from "./support/docs-commands.ts";

const ROOT = join(import.meta.dir, "..");
const textOf = (name: string): string => readFileSync(join(ROOT, name), "utf8");
/** Fails for a name or value that Waymark does not start with. */
const read = (environment: Record<string, string>): Env =>
  loadEnv({ cwd: tmpdir(), processEnv: environment });

type Service = {
  image?: string;
  build?: string;
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
};
type Compose = { services: Record<string, Service>; volumes: Record<string, null> };

const instructions = textOf("Dockerfile")
  .replace(/^#.*\n/gm, "")
  .replaceAll(/\\\n/g, " ")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1).trim()] as const);
const all = (name: string): string[] =>
  instructions.filter(([instruction]) => instruction === name).map(([, rest]) => rest);

describe("Dockerfile", () => {
  test("copies what exists and is not ignored, and builds by a script of package.json", () => {
    const ignored = textOf(".dockerignore").split("\n").filter(Boolean);
    const sources = all("COPY")
      .filter((rest) => !rest.startsWith("--from"))
      .flatMap((rest) => rest.split(/ +/).slice(0, -1));
    expect(sources.length).toBeGreaterThan(3);
    expect(sources.filter((name) => !existsSync(join(ROOT, name)) || ignored.includes(name))).toEqual([]);
    const run = all("RUN").join(" ");
    for (const [, script] of run.matchAll(/npm run (\S+)/g))
      expect(JSON.parse(textOf("package.json")).scripts[script!]).toBeString();
    for (const [, script] of run.matchAll(/node (\S+)/g)) expect(sources).toContain(script!);
    for (const folder of ["src", "panel", "clients", "scripts", "package.json"])
      expect(ignored).not.toContain(folder);
    expect(all("COPY").at(-1)).toBe("--from=build /src/dist/waymark /usr/local/bin/waymark");
  });

  test("has images with a release, and an account that is not root", () => {
    expect(all("FROM").map((rest) => rest.split(" ")[0]!.split(":")[1])).toEqual([
      expect.stringMatching(/^\d+-bookworm-slim$/),
      "bookworm-slim",
    ]);
    expect(all("USER")).toEqual(["waymark"]);
    expect(all("RUN").join(" ")).toContain("install -d -o waymark -g waymark -m 0700 /data /data/files");
  });

  test("sets what Waymark knows, and publishes the port that it listens on", () => {
    const pairs = [
      ...all("ENV")
        .join(" ")
        .matchAll(/(\w+)=(\S+)/g),
    ].map(([, name, value]) => [name!, value!]);
    const env = read(Object.fromEntries(pairs));
    expect([env.data.dir, env.server.host, env.logging.format]).toEqual(["/data", "0.0.0.0", "json"]);
    expect(all("EXPOSE")).toEqual([String(env.server.port)]);
    expect(all("VOLUME")).toEqual([env.data.dir]);
  });
});

describe.each(["compose.yaml", "compose.cluster.yaml"])("%s", (file) => {
  const text = textOf(file).replaceAll(/\$\{(\w+)(?::[-?][^}]*)?\}/g, (_, name: string) =>
    name === "STORAGE_SECRET_KEY" ? "ab".repeat(32) : "letters",
  );
  const { services, volumes } = Bun.YAML.parse(text) as Compose;
  const ours = Object.values(services).filter(({ build }) => build !== undefined);

  test("has services of ours that write to /data alone, with settings that Waymark knows", () => {
    expect(ours.length).toBeGreaterThan(0);
    for (const service of ours) {
      const env = read({ ...service.environment, WAYMARK__DATA__DIR: "/data" });
      // .env may lack it.
      read({ ...service.environment, WAYMARK__STORAGE__SECRET_KEY: "" });
      expect(service.ports).toEqual([
        expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:\\d+:${env.server.port}$`)),
      ]);
      for (const [, place] of (service.volumes ?? []).map((mount) => mount.split(":")))
        expect(["/data", "/data/files"]).toContain(place!);
      expect(service.volumes!.some((mount) => mount.endsWith(":/data"))).toBe(true);
      expect([service.read_only, service.cap_drop, service.security_opt]).toEqual([
        true,
        ["ALL"],
        ["no-new-privileges:true"],
      ]);
      for (const url of [env.database.url, env.cache.type === "redis" ? env.cache.redisUrl : ""]) {
        const host = /@?([a-z]+):\d+/.exec(url.replace(/^.*@|^redis:\/\//, ""))?.[1];
        if (host !== undefined) expect(Object.keys(services)).toContain(host);
      }
    }
    const ports = ours.flatMap((service) => service.ports ?? []);
    expect(new Set(ports).size).toBe(ports.length);
    const journals = ours.flatMap((service) => service.volumes!.filter((mount) => mount.endsWith(":/data")));
    expect(new Set(journals).size).toBe(journals.length);
  });

  test("declares each volume that it uses, waits for what can be healthy, and pins images", () => {
    const used = Object.values(services).flatMap((service) =>
      (service.volumes ?? []).map((mount) => mount.split(":")[0]!),
    );
    expect([...new Set(used)].toSorted()).toEqual(Object.keys(volumes).toSorted());
    for (const service of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(condition).toBe("service_healthy");
        expect([name, services[name]?.healthcheck?.test[0]]).toEqual([name, "CMD"]);
      }
      if (service.build === undefined) expect(service.image).toMatch(/^[a-z]+:\d+$/);
      else expect(service.build).toBe(".");
    }
  });
});

test("docs/containers.md names services that exist", () => {
  const servicesOf = (file: string) => Object.keys((Bun.YAML.parse(textOf(file)) as Compose).services);
  const commands = readBlocks("docs/containers.md").flatMap(({ text }) => text.split("\n"));
  let checked = 0;
  for (const command of commands) {
    const found = /^docker compose (?:-f (\S+) )?(exec|run|stop|kill) (.*?)(?:#.*)?$/.exec(command);
    if (found === null) continue;
    const words = found[3]!.trim().split(/ +/);
    while (words[0]!.startsWith("-")) words.splice(0, ["-v", "-s"].includes(words[0]!) ? 2 : 1);
    const named = found[2] === "stop" ? words : words.slice(0, 1);
    expect([command, named.filter((name) => !servicesOf(found[1] ?? "compose.yaml").includes(name))]).toEqual(
      [command, []],
    );
    checked++;
  }
  expect(checked).toBeGreaterThan(8);
});
