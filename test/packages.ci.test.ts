/** The container files, without an engine; see docs/containers.md. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { loadEnv } from "../src/server/settings.ts";

const root = join(import.meta.dir, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const service = z.object({
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.unknown().optional(),
});
const composeFile = z.object({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});
const files = ["compose.yaml", "compose.cluster.yaml"].map((name) =>
  composeFile.parse(Bun.YAML.parse(read(name))),
);
const services = files.flatMap((file) => Object.values(file.services));
const nodes = Object.entries(files[1]!.services).filter(([name]) => name.startsWith("node"));

/** The text with default values, and a password for required variables. */
const filled = (text: string) =>
  text.replace(/\$\{\w+:-([^}]*)\}/g, "$1").replace(/\$\{\w+:\?[^}]*\}/g, "secret");

const imageEnvironment = Object.fromEntries(
  [...read("Dockerfile").matchAll(/(WAYMARK__\w+)=(\S+)/g)].map((match) => [match[1]!, match[2]!]),
);

test("every service starts with valid settings", () => {
  expect(Object.keys(imageEnvironment)).toContain("WAYMARK__DATA__DIR");
  expect(nodes).toHaveLength(2);
  for (const { environment } of services) {
    const own = Object.entries(environment).filter(([name]) => name.startsWith("WAYMARK__"));
    const processEnv = {
      ...imageEnvironment,
      ...Object.fromEntries(own.map(([name, value]) => [name, filled(value)])),
    };
    expect(loadEnv({ cwd: import.meta.dir, processEnv }).data.dir).toBe("/data");
  }
});

test("Compose requires a password for the cluster, without a default", () => {
  const cluster = read("compose.cluster.yaml");
  expect(cluster).toContain("${POSTGRES_PASSWORD:?");
  expect(cluster).not.toMatch(/\$\{POSTGRES_PASSWORD:?-/);
  // Compose reads the variables of all services of a file, even of profiles that are off.
  expect(read("compose.yaml")).not.toContain(":?");
});

test("each node has its own data folder, and all nodes share the stored files", () => {
  const mounts = nodes.map(([, { volumes }]) =>
    Object.fromEntries(volumes.map((volume) => volume.split(":").toReversed())),
  );
  expect(new Set(mounts.map((mount) => mount["/data"])).size).toBe(nodes.length);
  expect(new Set(mounts.map((mount) => mount["/data/files"])).size).toBe(1);
  expect(mounts[0]!["/data/files"]).toBeDefined();
  // A new volume takes its owner from the image's folder. Without one it belongs to root.
  for (const path of Object.keys(mounts[0]!))
    expect(read("Dockerfile")).toMatch(new RegExp(`install .*${path}\\b`));
});

test("neither repository nor image contains .env", () => {
  for (const list of [".gitignore", ".dockerignore"]) expect(read(list).split("\n")).toContain(".env");
});

test("named volumes are declared, and dependencies have a health check", () => {
  for (const file of files) {
    for (const { volumes, depends_on } of Object.values(file.services)) {
      for (const volume of volumes) expect(Object.keys(file.volumes)).toContain(volume.split(":")[0]!);
      for (const [name, { condition }] of Object.entries(depends_on)) {
        expect(condition).toBe("service_healthy");
        expect(file.services[name]?.healthcheck).toBeDefined();
      }
    }
  }
});
