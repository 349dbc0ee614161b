/**
 * Kills the primary of a cluster while two nodes serve: links are visited and changed, files uploaded. Every fourth time
 * the primary is paused until another took its place. Meanwhile every link redirects. At the end every answered change,
 * click and file is there, once. Prints when the cluster had another primary, and the longest time without an answered
 * change (of Ceph: upload). Reports read from the last member. The cluster is left running.
 *
 *     bin/bun test/faults/failover.ts patroni|group|galera|sentinel|ceph [--rounds 10]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVER_VARIABLES } from "../../src/platform/db/fresh.test-support.ts";
import { compareCounts, countsIn, sumOf } from "../support/click-tally.ts";
import { type Node, startCluster } from "../support/cluster.ts";
import { ALLOWED_MS, createTruth, startLoad, targetOf } from "../support/cluster-load.ts";
import { driveClient } from "../support/drive.ts";
import { countRounds, type FaultOptions, type FaultResult, runFaultScript } from "../support/fault-script.ts";
import { startLinkChanges } from "../support/link-changes.ts";
import { until } from "../support/until.ts";
import {
  checkUploads,
  createUploadFolder,
  createUploadRecord,
  startUploads,
} from "../support/upload-load.ts";
import { stopAll, untilWell, wrongTargets } from "./world.ts";

const FIXED = Array.from({ length: 30 }, (_, at) => `fixed-${at}`);
const MOVING = Array.from({ length: 30 }, (_, at) => `moving-${at}`);
const CLIENTS = 6;
const UPLOADERS = 2;
/**
 * Three servers on one machine must catch up beside the load. A member of MySQL's group that returns applies
 * transactions more slowly than the primary makes them at the usual load.
 */
const USUAL_LOAD = { pauseMs: 100, items: 2_000, flushClicks: "200", flushSeconds: "1" };
const GROUP_LOAD = { pauseMs: 400, items: 200, flushClicks: "2000", flushSeconds: "4" };
/** A cluster that took so many polls has lost its quorum. */
const MOST_POLLS = 7_200;
const MOST_READS = 30;
const ASK_MS = 300;

/** The database beside each cluster, or that it is. */
const DATABASES = {
  patroni: "postgres",
  group: "mysql",
  galera: "mariadb",
  sentinel: "postgres",
  ceph: "postgres",
} as const;
type ClusterName = keyof typeof DATABASES;
export const CLUSTERS = Object.keys(DATABASES) as ClusterName[];
/** Else it stands beside the usual server of the database. */
const isOfDatabase = (name: ClusterName): boolean => name !== "sentinel" && name !== "ceph";

export type FailoverNumbers = {
  rounds: number;
  sent: number;
  answered: number;
  counted: number;
  changed: number;
  refusedChanges: number;
  answeredUploads: number;
  refusedUploads: number;
  brokenUploads: number;
  /** Of each round: after the fault, and the longest time without an answered change or, of Ceph, upload. */
  electedMs: number[];
  waitsMs: number[];
};

export async function failOver(
  name: ClusterName,
  options: Omit<FaultOptions, "database" | "storage">,
): Promise<FaultResult<FailoverNumbers>> {
  const usual = name === "group" ? GROUP_LOAD : USUAL_LOAD;
  const { workers = 1, pauseMs = usual.pauseMs, report } = options;
  const database = DATABASES[name];
  const isDatabase = isOfDatabase(name);
  await services("up", name);
  const variables = [...(await services("env", name)).matchAll(/^export (\w+)='?([^'\s]+)/gm)];
  for (const [, variable, value] of variables) process.env[variable!] = value;
  const url = variables[0]![2]!;
  // Databases of tests are made where this names a server.
  if (isDatabase) process.env[SERVER_VARIABLES[database]] = url;
  const shared = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const cluster = await startCluster({
    dialect: database,
    redisUrl: name === "sentinel" ? url : "",
    // The last member, in whatever role it is.
    ...(isDatabase && { replicaOf: (all: string) => all.replace(/@[^/]*,/, "@") }),
    nodes: 2,
    workers,
    links: [...FIXED, ...MOVING].map((code) => `${code},${targetOf(code, 1)}`),
    config: {
      "click.max_clicks_before_flush": usual.flushClicks,
      "click.flush_interval": usual.flushSeconds,
      "api.access_token_minutes": "1440",
    },
    settings: { WAYMARK__STORAGE__LOCAL_ROOTS: shared, WAYMARK__STORAGE__SECRET_KEY: "5a".repeat(32) },
  });
  try {
    const { nodes } = cluster;
    const accounts = () => nodes.map((node) => driveClient(node.url(), node.client().token));
    const record = createUploadRecord();
    const folder = await (name === "ceph"
      ? createUploadFolder(accounts()[0]!, "s3")
      : createUploadFolder(accounts()[0]!, "local", join(shared, "files")));
    const load = startLoad({ nodes, codes: FIXED, clients: CLIENTS, truth: createTruth() });
    const changes = startLinkChanges(nodes, MOVING, pauseMs, usual.items);
    const clients = Array.from({ length: UPLOADERS }, (_, at) => accounts()[at % nodes.length]!);
    const uploads = startUploads({ clients, folder, record, pauseMs });
    const made = () => (name === "ceph" ? record.answered.size : changes.made);
    const gap = watchGaps(made);
    const lost: string[] = [];
    const electedMs: number[] = [];
    const waitsMs: number[] = [];
    const numbers = (counted: number): FailoverNumbers => ({
      rounds: waitsMs.length,
      sent: sumOf(load.sent),
      answered: sumOf(load.answered),
      counted,
      changed: changes.made,
      refusedChanges: changes.refused,
      answeredUploads: record.answered.size,
      refusedUploads: record.refused,
      brokenUploads: record.broken,
      electedMs,
      waitsMs,
    });
    const visitAllLinks = async (known: ReadonlyMap<string, number>) => {
      lost.push(...(await wrongTargets(nodes, known, changes, load)));
    };
    for (const round of countRounds(options)) {
      await Bun.sleep(ALLOWED_MS);
      // Ceph has one when the first upload has made its pool.
      let primary = "";
      await until(async () => (primary = await primaryOf(name)) !== "", MOST_POLLS);
      load.at(`failover ${round}, of member ${primary}`);
      const known = changes.settledAt(performance.now() - ALLOWED_MS);
      const isPause = round % 4 === 0;
      gap.reset();
      await services(isPause ? "pause" : "kill", name, primary);
      const begun = performance.now();
      const electing = until(async () => ![primary, ""].includes(await primaryOf(name)), MOST_POLLS);
      await visitAllLinks(known);
      await electing;
      electedMs.push(Math.round(performance.now() - begun));
      const before = made();
      await until(() => made() > before, MOST_POLLS);
      waitsMs.push(gap.longestMs());
      await services(isPause ? "resume" : "start", name, primary);
      await services("up", name);
      await untilWell(nodes);
      if (isDatabase) for (const node of nodes) await until(() => readsFromReplica(node), MOST_POLLS);
      report?.(numbers(0));
    }
    gap.end();
    await Promise.all([load.end(), changes.end(), uploads.end()]);
    await untilWell(nodes);
    lost.push(...(await stopAll(nodes)));
    await Promise.all(nodes.map((node) => node.start()));
    await untilWell(nodes);
    await visitAllLinks(changes.settledAt(Infinity));
    lost.push(...(await checkUploads(accounts()[0]!, folder, record)));
    const readCounts = async () => countsIn(await cluster.cli(["links", "export"]));
    // A busy machine counts what the last visits left in more time than a stop may take.
    await until(async () => sumOf(await readCounts()) >= sumOf(load.answered), MOST_READS).catch(() => {});
    lost.push(...(await stopAll(nodes)));
    const counts = await readCounts();
    lost.push(...compareCounts(load, counts), ...load.unexpected, ...changes.wrong);
    return { tried: numbers(sumOf(counts)), lost };
  } finally {
    await cluster.remove();
    rmSync(shared, { recursive: true, force: true });
  }
}

/** Whether it follows closely enough, and answers a report. */
async function readsFromReplica(node: Node): Promise<boolean> {
  const { body } = await node.client().call("GET", "/system");
  const report = await node.client().call("GET", "/analytics/top");
  return report.status === 200 && body.data?.database?.replica?.status === "healthy";
}

function watchGaps(made: () => number) {
  let seen = made();
  let at = performance.now();
  let longest = 0;
  const look = () => {
    if (made() === seen) return;
    longest = Math.max(longest, performance.now() - at);
    seen = made();
    at = performance.now();
  };
  const watching = setInterval(look, 20);
  return {
    reset: () => void (longest = 0),
    longestMs: () => {
      look();
      return Math.round(longest);
    },
    end: () => clearInterval(watching),
  };
}

const SERVICES = join(import.meta.dir, "../../scripts/services");

async function services(command: string, ...args: string[]): Promise<string> {
  const run = Bun.spawn([SERVICES, "cluster", command, ...args], { stdout: "pipe", stderr: "inherit" });
  const text = await new Response(run.stdout).text();
  if ((await run.exited) !== 0)
    throw new Error(`scripts/services cluster ${command} ${args.join(" ")} failed`);
  return text;
}

/** Empty while there is none. Each question takes processes of their own: they are far enough apart for the members. */
async function primaryOf(name: string): Promise<string> {
  await Bun.sleep(ASK_MS);
  return (await services("primary", name)).trim();
}

if (import.meta.main) {
  const [first] = process.argv.splice(2, 1);
  const name = CLUSTERS.find((one) => one === first);
  if (name === undefined) throw new Error(`Name a cluster first: ${CLUSTERS.join(", ")}.`);
  // It starts the database itself, or needs the usual one.
  if (isOfDatabase(name)) process.env[SERVER_VARIABLES[DATABASES[name]]] ??= name;
  await runFaultScript((options) => failOver(name, options), {
    rounds: 10,
    database: DATABASES[name],
    workers: 1,
  });
}
