/**
 * Lints the Helm chart of deploy/helm by Helm's own rules, renders it with several sets of values, and validates what it
 * makes by the schemas of Kubernetes, oldest and newest. Waymark must know each setting, and the commands that set a node
 * up must run. Needs Python 3 with venv.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadEnv } from "../src/server/settings.ts";
import { installPython } from "./tools.ts";

const ROOT = join(import.meta.dir, "..");
const CHART = join(ROOT, "deploy/helm");
/** The first one that the chart allows, and the newest. */
const RELEASES = ["1.25", "1.37"];
const KEY = "ab".repeat(32);
const example = (name: string) =>
  Bun.YAML.parse(readFileSync(join(CHART, "examples", name), "utf8")) as object;
const S3 = { enabled: true, endpoint: "https://s3.internal", bucket: "waymark", region: "eu-1", path: "a/b" };
const S3_KEYS = { s3AccessKey: "access", s3SecretKey: "it's" };
const MARIADB = { databaseUrl: "mariadb://waymark@db/waymark", secretKey: KEY };

type Case = { about: string; values: object; refusal?: string };
const CASES: readonly Case[] = [
  { about: "nothing set", values: {} },
  { about: "cluster.yaml", values: example("cluster.yaml") },
  { about: "shared-files.yaml", values: { ...example("shared-files.yaml"), secrets: MARIADB } },
  {
    about: "one node with S3 and all that may be set",
    values: {
      s3: S3,
      secrets: { secretKey: KEY, ...S3_KEYS },
      config: {
        "features.instance_name": "It's ours",
        "api.cookie_secure": false,
        "analytics.max_log_rows": 10_000_000,
      },
      settings: {
        WAYMARK__SERVER__WORKERS: 2,
        WAYMARK__CACHE__MAX_LINKS: 10_000_000,
        WAYMARK__LOGGING__LEVEL: "warn",
      },
      image: { pullSecrets: ["ours"], tag: "next" },
      service: { type: "LoadBalancer", annotations: { a: "b" } },
      ingress: { enabled: true, hosts: ["go.example.com"], annotations: { a: "b" } },
      persistence: { size: "20Gi", storageClass: "fast" },
      podAnnotations: { a: "b" },
      nodeSelector: { "kubernetes.io/arch": "arm64" },
      tolerations: [{ key: "a", operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      extraEnv: [{ name: "NODE_EXTRA_CA_CERTS", value: "/ca/ca.crt" }],
      extraVolumes: [{ name: "ca", configMap: { name: "ca" } }],
      extraVolumeMounts: [{ name: "ca", mountPath: "/ca" }],
    },
  },
  { about: "two nodes with SQLite", values: { replicas: 2 }, refusal: "need a database server" },
  {
    about: "two nodes without files",
    values: { replicas: 2, secrets: MARIADB },
    refusal: "one place for files",
  },
  {
    about: "S3 without a key that seals",
    values: { s3: S3, secrets: S3_KEYS },
    refusal: "secrets.secretKey",
  },
  { about: "S3 without keys", values: { s3: S3, secrets: { secretKey: KEY } }, refusal: "s3AccessKey" },
  { about: "S3 without a bucket", values: { s3: { enabled: true }, secrets: MARIADB }, refusal: "s3.bucket" },
  { about: "Redis without an address", values: { redis: { enabled: true } }, refusal: "secrets.redisUrl" },
  { about: "a short key", values: { secrets: { secretKey: "ab" } }, refusal: "/secrets/secretKey" },
  { about: "a misspelled value", values: { replica: 2 }, refusal: "replica" },
];

type Variable = { name: string; value?: string; valueFrom?: { secretKeyRef: { key: string } } };
type Container = { env: Variable[]; args?: string[] };
type Document = {
  kind: string;
  stringData?: Record<string, string>;
  spec: { template: { spec: { containers: Container[]; initContainers?: Container[] } } };
};
type Judged = { refused: string | null; messages: string[]; documents: Document[] };

/** The environment of a container, with the secrets of the chart. */
function environmentOf({ env }: Container, secrets: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    env.flatMap(({ name, value, valueFrom }) => {
      const found = value ?? secrets[valueFrom!.secretKeyRef.key];
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

/** What Waymark says against the documents. */
async function troublesOf(documents: readonly Document[]): Promise<string[]> {
  const secrets = documents.find(({ kind }) => kind === "Secret")?.stringData ?? {};
  const { spec } = documents.find(({ kind }) => kind === "StatefulSet")!.spec.template;
  const folder = mkdtempSync(join(tmpdir(), "waymark-chart-"));
  try {
    for (const container of spec.containers)
      loadEnv({ cwd: folder, processEnv: environmentOf(container, secrets) });
    const [setUp] = spec.initContainers ?? [];
    // With a database of its own, it runs here.
    if (setUp === undefined || secrets["s3-access-key"] === undefined) return [];
    symlinkSync(join(ROOT, "bin/waymark"), join(folder, "waymark"));
    const run = Bun.spawnSync(["/bin/sh", "-ec", setUp.args![0]!], {
      cwd: folder,
      env: {
        ...environmentOf(setUp, secrets),
        PATH: `${folder}:${process.env["PATH"]}`,
        WAYMARK__DATA__DIR: join(folder, "data"),
      },
    });
    return run.exitCode === 0 ? [] : [`the set-up ended with ${run.exitCode}: ${run.stderr}`];
  } catch (error) {
    return [String(error)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  const python = join(await installPython("lint-chart"), "python3");
  const job = { chart: CHART, releases: RELEASES, cases: CASES.map(({ values }) => values) };
  const child = Bun.spawnSync([python, join(import.meta.dir, "lint-chart.d/lint.py")], {
    stdin: Buffer.from(JSON.stringify(job)),
  });
  if (child.exitCode !== 0) throw new Error(child.stderr.toString());
  let wrong = 0;
  for (const [at, judged] of (JSON.parse(child.stdout.toString()) as Judged[]).entries()) {
    const { about, refusal } = CASES[at]!;
    const troubles = [];
    if (refusal !== undefined) {
      if (!judged.refused?.includes(refusal)) troubles.push(`should be refused, was: ${judged.refused}`);
    } else if (judged.refused !== null) troubles.push(judged.refused);
    else troubles.push(...judged.messages, ...(await troublesOf(judged.documents)));
    if (troubles.length > 0) wrong += 1;
    console.log(
      `${troubles.length > 0 ? "FAILED" : "ok"}  ${about}${troubles.map((one) => `\n  ${one}`).join("")}`,
    );
  }
  return wrong === 0 ? 0 : 1;
}

process.exit(await main());
