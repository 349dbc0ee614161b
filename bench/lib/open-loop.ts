/**
 * A load at a fixed rate that does not wait for answers (open loop), from a process of its own on the second core.
 * Each request has a due time, and `corrected` latencies count from there: a server that stands still for 100 ms gets
 * the delays of all visitors of those 100 ms in its percentiles. `uncorrected` ones count from the moment when a free
 * connection sent the request, as generators that wait for answers do.
 *
 * The measured schedule begins when one that warms up has all its answers. The process never sleeps, so that it sends in
 * time, and has priority where it may. `generator` is how late it was itself: latencies below that are its own. Without
 * spare time it, and not the server, is the limit. Answers that never came count with the time until the end.
 */
import { join } from "node:path";
import { connectLane, type Lane } from "./lane.ts";

export type OpenLoad = {
  port: number;
  /** Requests a second. */
  rate: number;
  seconds: number;
  /** Whole requests, taken in turn. `{code}` becomes the code of a link at random, `{n}` a number of 12 digits. */
  requests: readonly string[];
  /** Links to choose from. */
  count: number;
  /** Of a right answer. */
  status: number;
  connections?: number;
};

/** Milliseconds. */
export type Percentiles = { p50: number; p90: number; p99: number; p999: number; max: number };

export type OpenResult = {
  scheduled: number;
  answered: number;
  /** Answers with another status, and connections that broke. */
  wrong: number;
  /** Answers a second while the schedule ran. */
  perSecond: number;
  corrected: Percentiles;
  uncorrected: Percentiles;
  generator: Percentiles;
  /** The share of the time in which the generator had nothing to do. */
  spare: number;
  /** Of the generator. */
  cpuSeconds: number;
};

type Generated = Omit<OpenResult, "cpuSeconds">;

/** Of a browser that follows a link. */
export const BROWSER_HEADERS = [
  "Referer: https://www.site.example/articles/2026/some-page?from=list",
  "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "Accept-Language: en-GB,en;q=0.9,de;q=0.8",
  "Upgrade-Insecure-Requests: 1",
  "Sec-Fetch-Dest: document",
  "Sec-Fetch-Mode: navigate",
  "Sec-Fetch-Site: cross-site",
  "",
].join("\r\n");

const CONNECTIONS = 256;
/** A schedule before the measured one, for the compilers of the generator and the server. */
const WARM_UP_MS = 2_000;
/** How long answers may come after the end of the schedule. */
const DRAIN_MS = 2_000;

export async function runOpenLoad(load: OpenLoad): Promise<OpenResult> {
  const bun = join(import.meta.dir, "..", "..", "bin", "bun");
  const child = Bun.spawn(["nice", "-n", "-10", "taskset", "-c", "1", bun, import.meta.path], {
    stdin: Buffer.from(JSON.stringify(load)),
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the load generator failed");
  const cpuSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
  return { ...(JSON.parse(text) as Generated), cpuSeconds };
}

/** @returns a function that makes the next request */
function requestMaker(requests: readonly string[], count: number): () => string {
  const kinds = requests.map((request) => request.split(/(\{code\}|\{n\})/));
  let made = 0;
  return () => {
    const parts = kinds[made % kinds.length]!;
    let text = parts[0]!;
    for (let at = 1; at < parts.length; at += 2) {
      const value =
        parts[at] === "{n}"
          ? String(made).padStart(12, "0")
          : `c${Math.floor(Math.random() * count)
              .toString(16)
              .padStart(6, "0")}`;
      text += value + parts[at + 1]!;
    }
    made++;
    return text;
  };
}

type Schedule = {
  /** By request; Infinity without an answer. */
  corrected: Float64Array;
  uncorrected: Float64Array;
  /** How late the generator noticed that it is due. */
  lateness: Float64Array;
  /** Answers before the end of the schedule, and before the end of the wait for the rest. */
  inTime: number;
  answered: number;
  wrong: number;
  spare: number;
};

async function generate(load: OpenLoad): Promise<Generated> {
  const { port, rate, seconds, requests, count, status: right, connections = CONNECTIONS } = load;
  const next = requestMaker(requests, count);
  const idle: Lane[] = [];
  let done: (lane: Lane, status: number) => void = () => {};
  const lanes = await Promise.all(
    Array.from({ length: connections }, () => connectLane(port, (lane, status) => done(lane, status))),
  );
  idle.push(...lanes);

  async function run(total: number): Promise<Schedule> {
    const perMs = rate / 1000;
    const all = (): Float64Array => new Float64Array(total).fill(Infinity);
    const found = {
      corrected: all(),
      uncorrected: all(),
      lateness: all(),
      inTime: 0,
      answered: 0,
      wrong: 0,
      spare: 0,
    };
    const begun = performance.now();
    done = (lane, status) => {
      const now = performance.now();
      found.corrected[lane.index] = now - begun - lane.index / perMs;
      found.uncorrected[lane.index] = now - lane.sentAt;
      found.answered++;
      if (now - begun <= total / perMs) found.inTime++;
      if (status !== right) found.wrong++;
      idle.push(lane);
    };
    let due = 0;
    let sent = 0;
    const { promise: end, resolve } = Promise.withResolvers<void>();
    let turned = 0;
    let idleMs = 0;
    let worked = 0;
    function turn(): void {
      const now = performance.now() - begun;
      if (worked === found.answered + sent) idleMs += now - turned;
      turned = now;
      for (const owed = Math.min(total, Math.floor(now * perMs) + 1); due < owed; due++)
        found.lateness[due] = now - due / perMs;
      const isOver = now > total / perMs + DRAIN_MS;
      while (!isOver && sent < due && idle.length > 0) {
        const lane = idle.shift()!;
        lane.index = sent++;
        lane.send(next());
      }
      worked = found.answered + sent;
      // What is under way is awaited, so that the next schedule begins with free connections.
      if (found.answered === total || (isOver && idle.length === connections)) resolve();
      else setImmediate(turn);
    }
    turn();
    await end;
    const endedAt = performance.now() - begun;
    found.spare = idleMs / endedAt;
    for (let index = 0; index < total; index++)
      if (found.corrected[index] === Infinity) found.corrected[index] = endedAt - index / perMs;
    return found;
  }

  await run(Math.ceil((rate * WARM_UP_MS) / 1000));
  const total = Math.ceil(rate * seconds);
  const { corrected, uncorrected, lateness, inTime, answered, wrong, spare } = await run(total);
  for (const lane of lanes) lane.end();
  return {
    scheduled: total,
    answered,
    wrong,
    perSecond: inTime / seconds,
    corrected: percentiles(corrected),
    uncorrected: percentiles(uncorrected.filter(Number.isFinite)),
    generator: percentiles(lateness),
    spare,
  };
}

function percentiles(values: Float64Array): Percentiles {
  const sorted = values.toSorted();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1) };
}

if (import.meta.main) {
  console.log(JSON.stringify(await generate(await Bun.stdin.json())));
  process.exit(0);
}
