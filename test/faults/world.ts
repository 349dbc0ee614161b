/**
 * Nodes under load, a fault that comes and goes, and the comparison of all answers with what is stored.
 *
 * Meanwhile links are visited and changed, files uploaded, and a webhook told of new links. Known links redirect in
 * every fault that leaves the node running. After the last round the nodes start again: every answered change, file and
 * event is there once, and every answered visit is counted once, in the counts and in their sums by time and value.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fresh } from "../../src/platform/db/fresh.test-support.ts";
import { addOne, countsIn, sumOf } from "../support/click-tally.ts";
import { health, type Node, startCluster } from "../support/cluster.ts";
import { ALLOWED_MS, createTruth, type Load, startLoad, targetOf } from "../support/cluster-load.ts";
import { driveClient } from "../support/drive.ts";
import { type LinkChanges, startLinkChanges } from "../support/link-changes.ts";
import type { StorageName } from "../support/storages.ts";
import {
  checkUploads,
  createUploadFolder,
  createUploadRecord,
  startUploads,
} from "../support/upload-load.ts";
import { visitAll } from "../support/visits.ts";
import type { Settings } from "../support/waymark.ts";
import { disagreements } from "./click-books.ts";
import type { Bounds, Outcome } from "./row.ts";
import { startReceiver } from "./receiver.ts";

const FIXED = Array.from({ length: 30 }, (_, at) => `fixed-${at}`);
const MOVING = Array.from({ length: 30 }, (_, at) => `moving-${at}`);
const HOLD_MS = [1_500, 6_000] as const;
/** Every node has the changes of the last fault, and makes some. */
const CALM_MS = ALLOWED_MS;
/** Set before the start, so that every visit has details. Sessions outlast jumps of the clock. */
const CONFIG = {
  "click.max_clicks_before_flush": "200",
  "click.flush_interval": "1",
  "analytics.enable_detailed_logging": "true",
  "api.access_token_minutes": "1440",
};
const CLIENTS = 6;
const UPLOADERS = 3;
const PAUSE_MS = 60;
const ITEMS = 100;
/** A job of a dead node is free after two minutes. */
const HEARD_MS = 200_000;
const WELL_MS = 180_000;

export type Place = {
  nodes?: number;
  workers?: number;
  storage?: StorageName;
  redisUrl?: string;
  settings?: Settings;
  nodeSettings?: (at: number) => Settings;
  program?: string;
  fresh?: Fresh;
  /** Where nodes reach the test's own servers: proxies to database and Redis, and the receiver of the webhook. */
  addresses?: { database: string; redis: string };
  receiver?: string;
  /** Where uploads are stored. */
  files?: string;
  /** The node's processes end in the fault, or its network is cut: calls and visits may stay without an answer. */
  mayBreak?: boolean;
  /** A clock is wrong by as much as a resumable upload lasts. */
  mayExpire?: boolean;
  /** The nodes stop in one more fault, after the last round. */
  endsInFault?: boolean;
  /** Between the beginning and the end of a fault. */
  holdMs?: readonly [shortest: number, longest: number];
  /** Of a visitor, after each answer. */
  pauseMs?: number;
};

export type Cause = {
  place: Place;
  begin(nodes: readonly Node[], round: number): Promise<unknown> | void;
  /** Until the cause is gone and the nodes run. */
  end(nodes: readonly Node[], round: number): Promise<unknown> | void;
  /** Of what `place` needs. */
  remove?(): Promise<unknown> | void;
};

export async function underLoad(cause: Cause, bounds: Bounds): Promise<Outcome[]> {
  const { place } = cause;
  const { database, say } = bounds;
  const count = place.nodes ?? (database === "sqlite" ? 1 : 2);
  const shared = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const receiver = startReceiver();
  const cluster = await startCluster({
    dialect: database,
    redisUrl: place.redisUrl ?? "",
    nodes: count,
    workers: place.workers ?? 1,
    links: [...FIXED, ...MOVING].map((code) => `${code},${targetOf(code, 1)}`),
    config: CONFIG,
    ...place,
    settings: {
      WAYMARK__STORAGE__LOCAL_ROOTS: [shared, ...(place.files === undefined ? [] : [place.files])].join(":"),
      WAYMARK__STORAGE__SECRET_KEY: "5a".repeat(32),
      WAYMARK__WEBHOOKS__ALLOW_PRIVATE: "true",
      ...place.settings,
    },
  });
  try {
    const { nodes } = cluster;
    const accounts = () => nodes.map((node) => driveClient(node.url(), node.client().token));
    const record = createUploadRecord(place.mayExpire);
    const folder = await createUploadFolder(
      accounts()[0]!,
      place.storage ?? "local",
      place.files ?? (count > 1 ? join(shared, "files") : undefined),
    );
    const call = (method: string, path: string, body?: object) => nodes[0]!.client().call(method, path, body);
    const hook = await call("POST", "/webhooks", {
      url: `http://${place.receiver ?? "127.0.0.1"}:${receiver.port}/hook`,
      events: ["link.created"],
    });
    const deliveries = `/webhooks/${hook.body.data.id}/deliveries`;
    /** The third attempt comes after five minutes. */
    const hurry = async () => {
      const waiting = await call("GET", `${deliveries}?state=waiting`);
      for (const { id } of waiting.body.data) await call("POST", `${deliveries}/${id}/resend`);
    };
    const load = startLoad({
      nodes,
      codes: FIXED,
      clients: CLIENTS,
      truth: createTruth(),
      ...(place.pauseMs !== undefined && { pauseMs: place.pauseMs }),
    });
    const changes = startLinkChanges(nodes, MOVING, PAUSE_MS, ITEMS);
    const uploading = () =>
      startUploads({
        clients: Array.from({ length: UPLOADERS }, (_, at) => accounts()[at % nodes.length]!),
        folder,
        record,
        pauseMs: PAUSE_MS,
      });
    let uploads = uploading();
    let recoveryMs = 0;
    let rounds = 0;
    const lost: string[] = [];
    const until = performance.now() + bounds.minutes * 60_000;
    const mayBreak = (may: boolean) => {
      if (!place.mayBreak) return;
      for (const node of nodes) load.expectBreaks(node, may);
      changes.expectBreaks(may);
    };
    const begin = async (round: number) => {
      await Bun.sleep(CALM_MS);
      load.at(`round ${round}`);
      const known = changes.settledAt(performance.now() - ALLOWED_MS);
      mayBreak(true);
      await cause.begin(nodes, round);
      const [shortest, longest] = place.holdMs ?? HOLD_MS;
      await Bun.sleep(shortest + Math.random() * (longest - shortest));
      if (!place.mayBreak) lost.push(...(await wrongTargets(nodes, known, changes, load)));
    };
    for (let round = 1; round <= bounds.rounds && performance.now() < until; round++) {
      await begin(round);
      const ended = performance.now();
      await cause.end(nodes, round);
      await untilWell(nodes);
      recoveryMs = Math.max(recoveryMs, performance.now() - ended);
      if (place.mayBreak) {
        // Nodes that started again have another address.
        await uploads.end();
        uploads = uploading();
      }
      mayBreak(false);
      rounds = round;
      say(
        `round ${round}: ${sumOf(load.answered)} visits, ${changes.made} links, ${record.answered.size} files`,
      );
    }
    if (place.endsInFault) await begin(rounds + 1);
    await Promise.all([load.end(), changes.end(), uploads.end()]);
    // A stop in a fault may leave clicks in the journal. The next start counts them.
    lost.push(...(await stopAll(nodes)));
    if (place.endsInFault) await cause.end(nodes, rounds + 1);
    await Promise.all(nodes.map((node) => node.start()));
    await untilWell(nodes);
    const created = changes.created();
    const unheard = bounds.isShort ? [] : await receiver.hear(created, HEARD_MS, hurry);
    const missingLinks = await wrongTargets(nodes, changes.settledAt(Infinity), changes, load);
    const missingFiles = await checkUploads(accounts()[0]!, folder, record);
    lost.push(...(await stopAll(nodes)));
    const complaint = await nodes[0]!.cli(["doctor", "--storage"]).then(() => null, String);
    const counts = countsIn(await nodes[0]!.cli(["links", "export"]));
    const tooFew = compareEach(load.answered, counts, (answered, is) => is < answered, "answered");
    const tooMany = compareEach(load.sent, counts, (sent, is) => is > sent, "sent");
    lost.push(...load.unexpected, ...tooFew);
    lost.push(...(await disagreements(cluster.databaseUrl, sumOf(counts), load.automated)));
    const outcome = { rounds, recoveryMs, refused: 0, doubled: [], said: new Map<string, number>() };
    const outcomes: Outcome[] = [
      {
        ...outcome,
        subject: "clicks",
        answered: sumOf(load.answered),
        lost,
        doubled: tooMany,
        said: logLines(nodes),
      },
      {
        ...outcome,
        subject: "links",
        answered: changes.made,
        refused: changes.refused,
        lost: [...changes.wrong, ...missingLinks],
        said: changes.refusals,
      },
      {
        ...outcome,
        subject: "files",
        answered: record.answered.size,
        refused: record.refused,
        lost: complaint === null ? missingFiles : [...missingFiles, complaint],
        said: record.refusals,
      },
    ];
    if (bounds.isShort) return outcomes;
    const heard = { answered: created.length, lost: unheard, doubled: receiver.doubled() };
    return [...outcomes, { ...outcome, subject: "webhooks", ...heard }];
  } finally {
    await cluster.remove();
    await receiver.stop();
    await cause.remove?.();
    rmSync(shared, { recursive: true, force: true });
  }
}

export async function stopAll(nodes: readonly Node[]): Promise<string[]> {
  const codes = await Promise.all(nodes.map((node) => node.stop()));
  return codes.flatMap((code, at) => (code === 0 ? [] : [`${nodes[at]!.name} ended with ${code}`]));
}

/** Healthy on every worker, and takes links and files. */
export async function untilWell(nodes: readonly Node[]): Promise<void> {
  const end = performance.now() + WELL_MS;
  let last: unknown;
  for (let tries = 0; performance.now() < end; tries++) {
    last = await illness(nodes, tries).catch(String);
    if (last === null) return;
    await Bun.sleep(50);
  }
  throw new Error(`not well after ${WELL_MS / 1000} s: ${JSON.stringify(last)}`);
}

async function illness(nodes: readonly Node[], tries: number): Promise<unknown> {
  const signal = () => AbortSignal.timeout(10_000);
  for (const node of nodes) {
    for (let asked = 0; asked < 4; asked++) {
      const report = await health(node);
      if (report.status !== "healthy") return report;
    }
    const code = `well-${crypto.randomUUID()}`;
    const link = await node.client().fetch("/links", {
      method: "POST",
      body: JSON.stringify({ code, target: targetOf(code, 1) }),
      headers: { "Content-Type": "application/json" },
      signal: signal(),
    });
    if (link.status !== 201) return [link.status, await link.text()];
    const drive = driveClient(node.url(), node.client().token);
    const form = new FormData();
    form.set("file", new File([`${tries}`], code), code);
    const file = await drive.send("/files/upload", { method: "POST", body: form, signal: signal() });
    if (file.status !== 201) return [file.status, await file.text()];
  }
  return null;
}

function compareEach(
  numbers: ReadonlyMap<string, number>,
  counts: ReadonlyMap<string, number>,
  isWrong: (number: number, count: number) => boolean,
  word: string,
): string[] {
  return [...numbers].flatMap(([code, number]) => {
    const count = counts.get(code) ?? 0;
    return isWrong(number, count) ? [`${code}: ${word} ${number}, counted ${count}`] : [];
  });
}

/** Visits links. Returns a line for each that does not redirect to its confirmed version or a newer one. */
export async function wrongTargets(
  nodes: readonly Node[],
  known: ReadonlyMap<string, number>,
  changes: LinkChanges,
  load: Load,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const node of nodes) {
    const answers = await visitAll(node.url(), [...known.keys()]);
    for (const [code, version] of known) {
      const target = answers.get(code) ?? null;
      const found = Number(target?.split("/").at(-1));
      for (const { sent, answered } of [load, load.automated]) {
        addOne(sent, code);
        if (target !== null) addOne(answered, code);
      }
      if (target !== targetOf(code, found) || found < version || found > changes.latest())
        wrong.push(`${node.name}: ${code}: ${target} instead of version ${version}`);
    }
  }
  return wrong;
}

/** Warnings and errors, without what differs each time. */
function logLines(nodes: readonly Node[]): Map<string, number> {
  const said = new Map<string, number>();
  for (const line of nodes.flatMap((node) => node.log().split("\n"))) {
    if (!line.startsWith("{")) {
      if (line !== "") said.set(line, (said.get(line) ?? 0) + 1);
      continue;
    }
    const { level, message, msg, error, err } = parsed(line);
    if (["info", "debug", "trace", 10, 20, 30].includes(level as never)) continue;
    const text = `${level}: ${message ?? msg} ${JSON.stringify(error ?? err ?? "")}`.slice(0, 300);
    said.set(text, (said.get(text) ?? 0) + 1);
  }
  return said;
}

function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return { level: "?", message: line };
  }
}
