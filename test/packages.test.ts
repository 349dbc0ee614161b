/** What can be said about the container files without an engine; docs/containers.md tells how they are used. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { loadEnv } from "../src/env.ts";

const root = join(import.meta.dir, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const service = z.object({
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.unknown().optional(),
});
const compose = z
  .object({
    services: z.record(z.string(), service),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(Bun.YAML.parse(read("compose.yaml")));
const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith("node"));

/** What `${NAME:-default}` becomes when nothing is set. */
const defaults = (text: string) => text.replace(/\$\{\w+:-([^}]*)\}/g, "$1");

const imageEnvironment = Object.fromEntries(
  [...read("Dockerfile").matchAll(/(WAYMARK__\w+)=(\S+)/g)].map((match) => [match[1]!, match[2]!]),
);

test("every service starts with settings that exist, also without an .env", () => {
  expect(Object.keys(imageEnvironment)).toContain("WAYMARK__DATA__DIR");
  expect(nodes).toHaveLength(2);
  for (const { environment } of Object.values(compose.services)) {
    const own = Object.entries(environment).filter(([name]) => name.startsWith("WAYMARK__"));
    const processEnv = {
      ...imageEnvironment,
      ...Object.fromEntries(own.map(([name, value]) => [name, defaults(value)])),
    };
    expect(loadEnv({ cwd: import.meta.dir, processEnv }).data.dir).toBe("/data");
  }
});

test("nodes have a data folder each, and share the stored files", () => {
  const mounts = nodes.map(([, { volumes }]) =>
    Object.fromEntries(volumes.map((volume) => volume.split(":").toReversed())),
  );
  expect(new Set(mounts.map((mount) => mount["/data"])).size).toBe(nodes.length);
  expect(new Set(mounts.map((mount) => mount["/data/files"])).size).toBe(1);
  expect(mounts[0]!["/data/files"]).toBeDefined();
  // A new volume takes its owner from the image's folder: without one it would belong to root.
  for (const path of Object.keys(mounts[0]!))
    expect(read("Dockerfile")).toMatch(new RegExp(`install .*${path}\\b`));
});

test("what .env keeps secret goes neither into the repository nor into the image", () => {
  for (const list of [".gitignore", ".dockerignore"]) expect(read(list).split("\n")).toContain(".env");
});

test("named volumes are declared, and what is waited for has a health check", () => {
  for (const { volumes, depends_on } of Object.values(compose.services)) {
    for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(":")[0]!);
    for (const [name, { condition }] of Object.entries(depends_on)) {
      expect(condition).toBe("service_healthy");
      expect(compose.services[name]?.healthcheck).toBeDefined();
    }
  }
});
