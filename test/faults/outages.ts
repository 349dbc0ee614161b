/**
 * Takes the database from two running nodes at random moments, while links are visited and changed and files uploaded.
 * Outages take turns: refused on both nodes, hanging on both, refused on one, hanging on one. Meanwhile every link
 * without a change in the last three seconds redirects. The nodes stop right after the last outage and start again:
 * every answered change, click and file is there.
 *
 *     bin/bun test/faults/outages.ts [--rounds 20] [--database postgres]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addOne, compareCounts, countsIn, sumOf } from "../support/click-tally.ts";
import { type Cluster, health, type Node, startCluster } from "../support/cluster.ts";
import { ALLOWED_MS, createTruth, type Load, startLoad, targetOf } from "../support/cluster-load.ts";
import { driveClient } from "../support/drive.ts";
import { countRounds, type FaultOptions, type FaultResult, runFaultScript } from "../support/fault-script.ts";
import { type LinkChanges, startLinkChanges } from "../support/link-changes.ts";
import { until } from "../support/until.ts";
import {
  checkUploads,
  createUploadFolder,
  createUploadRecord,
  startUploads,
} from "../support/upload-load.ts";
import { visitAll } from "../support/visits.ts";

const FIXED = Array.from({ length: 30 }, (_, at) => `fixed-${at}`);
const MOVING = Array.from({ length: 30 }, (_, at) => `moving-${at}`);
const LONGEST_OUTAGE_MS = 6_000;
const MOST_PAUSE_MS = 1_000;
const CLIENTS = 6;
const UPLOADERS = 3;

export type OutageNumbers = {
  rounds: number;
  /** Requests of links. */
  sent: number;
  answered: number;
  counted: number;
  /** Of these, visits to links with changes, whose targets are compared. */
  visited: number;
  /** Links of answered changes. */
  changed: number;
  refusedChanges: number;
  slowestRefusalMs: number;
  uploads: number;
  answeredUploads: number;
  refusedUploads: number;
  /** Calls without an answer. */
  brokenUploads: number;
};

export async function takeDatabaseAway(options: FaultOptions): Promise<FaultResult<OutageNumbers>> {
  const { database, storage = "local", workers = 2, pauseMs, report } = options;
  const shared = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const cluster = await startCluster({
    dialect: database,
    redisUrl: "",
    nodes: 2,
    workers,
    links: [...FIXED, ...MOVING].map((code) => `${code},${targetOf(code, 1)}`),
    config: {
      "click.max_clicks_before_flush": "200",
      "click.flush_interval": "1",
      "api.access_token_minutes": "1440",
    },
    settings: {
      WAYMARK__STORAGE__LOCAL_ROOTS: shared,
      WAYMARK__STORAGE__SECRET_KEY: "5a".repeat(32),
    },
  });
  try {
    const { nodes } = cluster;
    const accounts = () => nodes.map((node) => driveClient(node.url(), node.client().token));
    const record = createUploadRecord();
    const folder = await createUploadFolder(accounts()[0]!, storage, join(shared, "files"));
    const load = startLoad({ nodes, codes: FIXED, clients: CLIENTS, truth: createTruth() });
    const changes = startLinkChanges(nodes, MOVING, pauseMs);
    const clients = Array.from({ length: UPLOADERS }, (_, at) => accounts()[at % nodes.length]!);
    const uploads = startUploads({ clients, folder, record, ...(pauseMs !== undefined && { pauseMs }) });
    const lost: string[] = [];
    let rounds = 0;
    let visited = 0;
    const visitAllLinks = async (known: ReadonlyMap<string, number>) => {
      visited += known.size * nodes.length;
      for (const node of nodes) lost.push(...(await visitEach(node, known, changes, load)));
    };
    const numbers = (counted: number): OutageNumbers => ({
      rounds,
      sent: sumOf(load.sent),
      answered: sumOf(load.answered),
      counted,
      visited,
      changed: changes.made,
      refusedChanges: changes.refused,
      slowestRefusalMs: changes.slowestRefusalMs,
      uploads: record.tried.size,
      answeredUploads: record.answered.size,
      refusedUploads: record.refused,
      brokenUploads: record.broken,
    });
    for (const round of countRounds(options)) {
      // Every node has the changes of the last outage, and makes some.
      await Bun.sleep(ALLOWED_MS + Math.random() * MOST_PAUSE_MS);
      load.at(`outage ${round}`);
      const known = changes.settledAt(performance.now() - ALLOWED_MS);
      const away = beginOutage(nodes, round);
      await Bun.sleep(Math.random() * LONGEST_OUTAGE_MS);
      await visitAllLinks(known);
      for (const node of away) await heal(node);
      rounds = round;
      report?.(numbers(0));
    }
    beginOutage(nodes, rounds + 1);
    await Promise.all([load.end(), changes.end(), uploads.end()]);
    for (const node of nodes) node.database.heal();
    lost.push(...(await stopAll(nodes)));
    await Promise.all(nodes.map((node) => node.start()));
    for (const node of nodes) await untilHealthy(node);
    await visitAllLinks(changes.settledAt(Infinity));
    lost.push(...(await checkUploads(accounts()[0]!, folder, record)));
    lost.push(...(await stopAll(nodes)));
    const counts = countsIn(await cluster.cli(["links", "export"]));
    lost.push(...compareCounts(load, counts), ...load.unexpected, ...changes.wrong);
    return { tried: numbers(sumOf(counts)), lost };
  } finally {
    await cluster.remove();
    rmSync(shared, { recursive: true, force: true });
  }
}

type Nodes = Cluster["nodes"];

/** Returns the nodes that lost their database. */
function beginOutage(nodes: Nodes, round: number): Nodes {
  const turn = round % 4;
  const away = turn === 1 || turn === 2 ? nodes : [nodes[turn === 3 ? 0 : 1]!];
  for (const { database } of away) {
    if (round % 2 === 1) database.sever();
    else database.mode = "hang";
  }
  return away;
}

async function heal(node: Node): Promise<void> {
  node.database.heal();
  await untilHealthy(node);
}

/** Visits every link once. Returns a line for each that does not redirect to its confirmed version or a newer one. */
export async function visitEach(
  node: Node,
  known: ReadonlyMap<string, number>,
  changes: LinkChanges,
  load: Load,
): Promise<string[]> {
  const answers = await visitAll(node.url(), [...known.keys()]);
  return [...known].flatMap(([code, version]) => {
    addOne(load.sent, code);
    const target = answers.get(code) ?? null;
    if (target !== null) addOne(load.answered, code);
    const found = Number(target?.split("/").at(-1));
    const isRight = target === targetOf(code, found) && found >= version && found <= changes.latest();
    return isRight ? [] : [`${node.name}: ${code}: ${target} instead of version ${version}`];
  });
}

/** A stop right after an outage may leave clicks in the journal. The next start counts them. */
export async function stopAll(nodes: Nodes): Promise<string[]> {
  const codes = await Promise.all(nodes.map((node) => node.stop()));
  return codes.flatMap((code, at) => (code === 0 ? [] : [`${nodes[at]!.name} ended with ${code}`]));
}

/** Each worker finds out by itself. */
export const untilHealthy = (node: Node): Promise<void> =>
  until(async () =>
    (await Promise.all(Array.from({ length: 8 }, () => health(node)))).every(
      ({ status }) => status === "healthy",
    ),
  );

if (import.meta.main)
  await runFaultScript(takeDatabaseAway, { rounds: 20, database: "postgres", workers: 2 });
